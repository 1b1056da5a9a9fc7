import { signal } from '@preact/signals'
import type { InboxFilter } from '../../store/episodes/lists.ts'
import { href } from '../../store/paths.ts'
import { onUserChange } from '../../store/resource.ts'

/** Keys of the selected episodes; undefined unless episodes are being selected. */
export const selected = signal<ReadonlySet<string> | undefined>(undefined)

onUserChange(() => {
  selected.value = undefined
})

/** Returns the address of the inbox with a filter. The page reads its filter from the address. */
export function inboxHref({ podcast, tag, folder, show }: InboxFilter): string {
  return href('/inbox', {
    ...(podcast !== '' && { podcast }),
    ...(tag !== '' && { tag }),
    ...(folder !== '' && { folder }),
    ...(show !== 'new' && { show }),
  })
}

/** Filters of the inbox by state. The first is the default. */
export const SHOWN = ['new', 'unplayed', 'all'] as const
