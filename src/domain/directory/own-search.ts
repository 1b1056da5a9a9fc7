import { invalid } from '../shared/errors.ts'
import type { UserId } from '../shared/ids.ts'
import type { OwnHits, OwnSearchStore } from './ports/own-search.ts'
import { queryWords } from './words.ts'

const MOST = { podcasts: 20, episodes: 50, history: 20 }
const NOTHING: OwnHits = { podcasts: [], episodes: [], history: [] }

/** Search in what is the user's own (docs/protocol.md#D115). */
export function createOwnSearch(store: OwnSearchStore) {
  return {
    /** Throws `validation_failed` for a blank query. */
    async find(userId: UserId, query: string): Promise<OwnHits> {
      const text = query.trim()
      if (text === '') throw invalid('q', 'q is required')
      const words = queryWords(text)
      return words.length === 0 ? NOTHING : store.find(userId, { text, words }, MOST)
    },
  }
}
