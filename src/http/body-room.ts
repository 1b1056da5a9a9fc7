import { DomainError } from '../domain/shared/errors.ts'
import type { Timer } from '../platform/clock.ts'

/** Bodies of up to this many bytes are always accepted: an app that uploads a few changes is never rejected. */
export const SMALL_BODY = 64 * 1024

/** Long enough for ten megabytes at 1.5 Mbit/s. If it were longer, a few slow clients could occupy all the room. */
const BODY_MS = 60_000
/** Uploads in progress are stored or aborted within seconds. */
const RETRY_SECONDS = 5

export interface BodyStreamReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
}

/** Memory shared by large bodies, from their first byte until the response. */
export interface BodyRoom {
  /** Sets the total bytes reserved for a request until `release`. Throws `unavailable` if there is not enough room. */
  reserve(request: Request, bytes: number): void
  release(request: Request): void
  /** Returns the result of `read`. Throws `invalid_json` if it takes longer than a minute. */
  inTime<T>(body: ReadableStream<Uint8Array>, read: (reader: BodyStreamReader) => Promise<T>): Promise<T>
}

export function createBodyRoom({ maxBytes, timer }: { maxBytes: number; timer: Timer }): BodyRoom {
  const reserved = new Map<Request, number>()
  let used = 0

  function release(request: Request): void {
    used -= reserved.get(request) ?? 0
    reserved.delete(request)
  }

  return {
    reserve(request, bytes) {
      const before = reserved.get(request) ?? 0
      if (used - before + bytes > maxBytes)
        throw new DomainError('unavailable', 'too many large uploads at once; nothing was changed, try again later', {
          retryAfter: RETRY_SECONDS,
        })
      used += bytes - before
      reserved.set(request, bytes)
    },

    release,

    async inTime(body, read) {
      const reader = body.getReader()
      const late = Promise.withResolvers<never>()
      const cancelTimer = timer(BODY_MS, () =>
        late.reject(new DomainError('invalid_json', `the body did not arrive within ${BODY_MS / 1000} seconds`)),
      )
      try {
        return await Promise.race([read(reader), late.promise])
      } catch (error) {
        // If the connection has ended, cancelling fails; the error that matters is thrown below.
        reader.cancel().catch(() => undefined)
        throw error
      } finally {
        cancelTimer()
      }
    },
  }
}
