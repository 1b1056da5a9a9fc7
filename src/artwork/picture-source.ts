import type { PictureAnswer, PictureFailureReason, PictureSource } from '../domain/directory/artwork.ts'
import { DomainError, refuseWhenStopped } from '../domain/shared/errors.ts'
import { FetchFailure } from '../outbound/fetch-failure.ts'
import { type GuardedFetch, isSuccess } from '../outbound/guarded-fetch.ts'

/** A compromise: a user waits for the picture, but a large one takes long on a slow connection. */
const TOTAL_MS = 20_000
const ANSWER_MS = 8000
const BYTES_MAX = 8 * 1024 * 1024

const ACCEPT = 'image/webp, image/png, image/jpeg, image/gif;q=0.9, image/*;q=0.5'

export function createPictureSource(fetcher: GuardedFetch): PictureSource {
  const closing = new AbortController()

  async function fetchPicture(url: string, mayReachPrivate: boolean): Promise<PictureAnswer> {
    const { status, body } = await fetcher.fetch({
      url,
      headers: { accept: ACCEPT },
      limits: { totalMs: TOTAL_MS, answerMs: ANSWER_MS, maxBytes: BYTES_MAX },
      mayReachPrivate,
      signal: closing.signal,
    })
    if (isSuccess(status)) return { kind: 'picture', bytes: body }
    return failed(status === 404 || status === 410 ? 'gone' : 'unavailable', `its server answers ${status}`)
  }

  return {
    async ask(url, mayReachPrivate) {
      try {
        return await fetchPicture(url, mayReachPrivate)
      } catch (error) {
        refuseWhenStopped(closing.signal)
        if (!(error instanceof FetchFailure)) throw error
        // Not a fault of the picture, so the failure must not be cached.
        if (error.reason === 'out_of_files') throw new DomainError('unavailable', error.message, { retryAfter: 30 })
        return failed(error.reason === 'forbidden' ? 'forbidden' : 'unavailable', error.message)
      }
    },
    close: () => closing.abort(),
  }
}

function failed(reason: PictureFailureReason, message: string): PictureAnswer {
  return { kind: 'failed', reason, message }
}
