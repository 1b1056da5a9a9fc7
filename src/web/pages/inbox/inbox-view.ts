import { signal } from '@preact/signals'
import type { InboxFilter } from '../../store/episodes/lists.ts'
import { href } from '../../store/paths.ts'
import { onUserChange } from '../../store/resource.ts'

/** The keys of the episodes that are selected; undefined unless episodes are being selected. */
export const selected = signal<ReadonlySet<string> | undefined>(undefined)

onUserChange(() => {
  selected.value = undefined
})

/** The address of the inbox with a filter, which is read from there. */
export function inboxHref({ podcast, tag, folder, show }: InboxFilter): string {
  return href('/inbox', {
    ...(podcast !== '' && { podcast }),
    ...(tag !== '' && { tag }),
    ...(folder !== '' && { folder }),
    ...(show !== 'new' && { show }),
  })
}

/** The filters of the inbox by state. The first one applies unless the address names another. */
export const SHOWN = ['new', 'unplayed', 'all'] as const
