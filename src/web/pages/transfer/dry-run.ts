import { sanitizeUrl } from '../../../domain/feed-url.ts'
import type { Entry } from './read-list.ts'

/** What would become of an entry: added; on the device already; in the list before; no address of a feed. */
export type State = 'new' | 'known' | 'duplicate' | 'invalid'

export const STATES: readonly State[] = ['new', 'known', 'duplicate', 'invalid']

export interface Row {
  readonly state: State
  /** As the server would keep it; as it was found if it is invalid. */
  readonly url: string
  readonly title: string
}

/** What an import would do, without asking anybody. `isKnown` tells whether the device has a feed. */
export function dryRun(entries: readonly Entry[], isKnown: (url: string) => boolean): Row[] {
  const seen = new Set<string>()
  return entries.map(({ address, title }) => {
    const url = sanitizeUrl(address)
    if (url === undefined) return { state: 'invalid', url: address, title }
    const state = seen.has(url) ? 'duplicate' : isKnown(url) ? 'known' : 'new'
    seen.add(url)
    return { state, url, title }
  })
}

/** How many there are of each. */
export function countStates(rows: readonly Row[]): Readonly<Record<State, number>> {
  const counts = { new: 0, known: 0, duplicate: 0, invalid: 0 }
  for (const { state } of rows) counts[state]++
  return counts
}
