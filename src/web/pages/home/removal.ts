import type { Answer } from '../../api/client.ts'

type Change = Pick<Answer<'listChanges'>['items'][number], 'time' | 'added_count' | 'removed_count' | 'can_undo'>

interface Removal {
  /** How many podcasts. */
  readonly count: number
  /** As the API writes times. */
  readonly time: string
}

/** The removal that has emptied a list: the last change of `changes`, newest first, if it can be taken back. */
export function findRemoval(changes: readonly Change[]): Removal | undefined {
  const last = changes.find(({ added_count, removed_count }) => added_count + removed_count > 0)
  if (!last?.can_undo || last.removed_count === 0) return
  return { count: last.removed_count, time: new Date(last.time * 1000).toISOString().slice(0, 19) }
}
