import { createHostQueue } from '../domain/shared/concurrency.ts'
import { FetchFailure } from '../outbound/fetch-failure.ts'

/** Lets only a few large documents be in memory at once: each is there as a whole until it has its turn with the parser. */
export interface LargeFeedLimit {
  /**
   * Settles as `get` does, which fetches and reads a document of at most so many bytes, or rejects with a `FetchFailure` that is `too_large`.
   * It is called with a small limit first, and with `maxBytes` only when its turn has come.
   */
  run<T>(url: string, maxBytes: number, get: (maxBytes: number) => Promise<T>): Promise<T>
}

/** Of documents that are small enough for as many as are fetched at once. */
const SMALL_BYTES = 2 * 1024 * 1024
/** Two, so that one whose server is slow does not keep all others waiting. */
const AT_ONCE = 2
/** Addresses of large documents that are remembered, so that they are not begun in vain again. */
const REMEMBERED_MAX = 5000

export function createLargeFeedLimit(): LargeFeedLimit {
  const queue = createHostQueue({ atOnce: AT_ONCE, perHost: AT_ONCE })
  const large = new Set<string>()

  function remember(url: string): void {
    if (large.size >= REMEMBERED_MAX) large.clear()
    large.add(url)
  }

  return {
    async run(url, maxBytes, get) {
      if (maxBytes <= SMALL_BYTES) return get(maxBytes)
      if (!large.has(url))
        try {
          return await get(SMALL_BYTES)
        } catch (error) {
          if (!(error instanceof FetchFailure) || error.reason !== 'too_large') throw error
          remember(url)
        }
      return queue.run('', () => get(maxBytes))
    },
  }
}
