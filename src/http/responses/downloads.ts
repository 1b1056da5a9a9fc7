import { DomainError } from '../../domain/shared/errors.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import { TextResponse } from './text-response.ts'

/** Each takes up to five megabytes while its client is not reading. */
const PER_USER = 10
const RETRY_SECONDS = 10

/** Limits long responses per user, since each takes memory while its client is not reading. */
export function createDownloads() {
  const counts = new Map<UserId, number>()

  const countOf = (userId: UserId) => counts.get(userId) ?? 0

  function begin(userId: UserId): () => void {
    counts.set(userId, countOf(userId) + 1)
    let isOpen = true
    return () => {
      if (!isOpen) return
      isOpen = false
      const remaining = countOf(userId) - 1
      if (remaining > 0) counts.set(userId, remaining)
      else counts.delete(userId)
    }
  }

  return {
    /** Counts the response until it has been sent or the client has disconnected. Throws `rate_limited`. */
    follow({ signal }: Request, userId: UserId, { body, contentType }: TextResponse): TextResponse {
      const source = body?.getReader()
      if (!source) throw new Error('there is nothing to send')
      if (countOf(userId) >= PER_USER) {
        void source.cancel()
        throw new DomainError('rate_limited', 'too many long downloads at once, try again when one has ended', {
          retryAfter: RETRY_SECONDS,
        })
      }
      const end = begin(userId)
      void source.closed.then(end, end)
      // If the client disconnects before the response begins, its body is neither read nor cancelled.
      signal.addEventListener('abort', end, { once: true })
      if (signal.aborted) end()
      const followed = new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const { done, value } = await source.read()
            if (done) controller.close()
            else controller.enqueue(value)
          },
          cancel: () => source.cancel(),
        },
        { highWaterMark: 0 },
      )
      return new TextResponse(followed, contentType)
    },
  }
}
