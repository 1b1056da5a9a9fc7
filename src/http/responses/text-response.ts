import { nextTurn } from '../../platform/clock.ts'
/** A response that is text. Whether it is compressed is decided at the end, by its length and the client. */
export class TextResponse extends Response {
  /** The body, if all of it is there; undefined for one that is generated while it is sent. */
  readonly whole: string | undefined
  readonly contentType: string

  constructor(body: string | ReadableStream<Uint8Array>, contentType: string) {
    super(body, { headers: { 'content-type': contentType } })
    this.contentType = contentType
    this.whole = typeof body === 'string' ? body : undefined
  }
}

const encoder = new TextEncoder()

/** Characters in a chunk, at least. */
const CHUNK = 64 * 1024

/**
 * A text that is made piece by piece, sent as it is made: the next pieces are made when the client has taken the last
 * ones, so that there is never more of it in memory than a chunk and a piece. Others have their turn in between, and
 * after a piece of nothing.
 */
export function streamText(pieces: Iterable<string>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.iterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await nextTurn()
        let text = ''
        while (text.length < CHUNK) {
          const next = iterator.next()
          if (next.done) {
            controller.enqueue(encoder.encode(text))
            controller.close()
            return
          }
          if (next.value === '') await nextTurn()
          else text += next.value
        }
        controller.enqueue(encoder.encode(text))
      },
      cancel() {
        iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
