import { signal } from '@preact/signals'
import { EVERYTHING, type InboxFilter } from '../../store/episodes/lists.ts'
import { onUserChange } from '../../store/resource.ts'

/** What the inbox shows. It is kept while the client is open, for when the user returns from an episode. */
export const filter = signal<InboxFilter>(EVERYTHING)
/** The keys of the episodes that are selected; undefined unless episodes are being selected. */
export const selected = signal<ReadonlySet<string> | undefined>(undefined)

onUserChange(() => {
  filter.value = EVERYTHING
  selected.value = undefined
})
