import type { Forms } from '../fill.ts'

export const upgrades = {
  title: 'HTTPS upgrades',
  lead: 'These podcasts come to you unencrypted, although they can be had encrypted. Nothing changes unless you say so.',
  whatTitle: 'What happens',
  what: 'Your devices get the new address and lose the old one at their next sync. Some apps take that for a new podcast: what is downloaded there may be deleted, and episodes may look unplayed.',
  noUndo: 'There is no way back on this page.',
  one: 'Upgrade',
  all: 'Upgrade all',
  confirmTitle: { one: 'Upgrade {n} podcast?', other: 'Upgrade {n} podcasts?' } as Forms,
  to: 'to',
  waiting: 'Upgrading …',
  done: { one: 'Upgraded on {n} device', other: 'Upgraded on {n} devices' } as Forms,
  failed: 'Not upgraded: {message}',
  progress: '{done} of {total} done',
  leave: 'You may leave this page meanwhile.',
  finished: { one: '{n} podcast now comes encrypted.', other: '{n} podcasts now come encrypted.' } as Forms,
  emptyTitle: 'Everything is as safe as it can be',
  empty:
    'Podcasts with an http:// address come unencrypted: others on the way can see and change them. When the same feed is there by https://, too, it is offered here.',
  toPodcasts: 'To your podcasts',
}
