import type { ChapterSource } from '../domain/feeds/chapters.ts'
import { decodeText } from '../platform/decode-text.ts'
import { FetchFailure } from './fetch-failure.ts'
import { type GuardedFetch, isSuccess } from './guarded-fetch.ts'

const LIMITS = { totalMs: 8000, answerMs: 5000, maxBytes: 256 * 1024 }

export function createChapterSource(fetcher: GuardedFetch): ChapterSource {
  const closing = new AbortController()
  return {
    async read(url) {
      try {
        const headers = { accept: 'application/json+chapters, application/json' }
        const {
          status,
          headers: answered,
          body,
        } = await fetcher.fetch({
          url,
          headers,
          limits: LIMITS,
          mayReachPrivate: true,
          signal: closing.signal,
        })
        return isSuccess(status) ? decodeText(body, answered.get('content-type') ?? '') : undefined
      } catch (error) {
        if (error instanceof FetchFailure) return undefined
        throw error
      }
    },
    close: () => closing.abort(),
  }
}
