import type { Forms } from '../fill.ts'

export const upgrades = {
  title: 'HTTPS upgrades',
  lead: 'These podcasts come to you unencrypted, although they are also available encrypted. Nothing changes unless you say so.',
  whatTitle: 'What happens',
  what: 'Your devices get the new address and lose the old one at their next sync. Some apps take it for a new podcast: downloads may be deleted, and episodes may look unplayed.',
  noUndo: 'This cannot be undone here.',
  one: 'Upgrade',
  all: 'Upgrade all',
  confirmTitle: { one: 'Upgrade {n} podcast?', other: 'Upgrade {n} podcasts?' } as Forms,
  to: 'to',
  waiting: 'Upgrading…',
  done: { one: 'Upgraded on {n} device', other: 'Upgraded on {n} devices' } as Forms,
  failed: 'Not upgraded: {message}',
  progress: '{done} of {total} done',
  leave: 'You can leave this page in the meantime.',
  allDone: 'All of them now come encrypted.',
  finished: { one: '{n} podcast now comes encrypted.', other: '{n} podcasts now come encrypted.' } as Forms,
  movedTitle: 'New addresses',
  moved: 'These podcasts say that they are elsewhere for good. Old addresses often stop working after a while.',
  follow: 'Use the new address',
  followTitle: 'Use the new address of this podcast?',
  followed: 'The podcast has its new address.',
  emptyTitle: 'Everything is as safe as it can be',
  empty:
    'Podcasts with an http:// address come unencrypted: others along the way can see and change them. When the same feed is also available by https://, it is offered here.',
  toPodcasts: 'To your podcasts',
}
