import { nextTurn } from '../../platform/clock.ts'
/** A text response. Its length and the client decide later whether it is compressed. */
export class TextResponse extends Response {
  /** The complete body; undefined if it is generated while it is being sent. */
  readonly whole: string | undefined
  readonly contentType: string

  constructor(body: string | ReadableStream<Uint8Array>, contentType: string) {
    super(body, { headers: { 'content-type': contentType } })
    this.contentType = contentType
    this.whole = typeof body === 'string' ? body : undefined
  }
}

const encoder = new TextEncoder()

const CHUNK = 64 * 1024

/** Joins pieces of text into a response. A long one is generated as the client reads, one chunk at a time. */
export async function streamResponse(pieces: AsyncIterable<string>, contentType: string): Promise<TextResponse> {
  const iterator = pieces[Symbol.asyncIterator]()
  const first = await nextChunk(iterator)
  if (first.isLast) return new TextResponse(first.text, contentType)
  let chunk: Chunk | undefined = first
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (!chunk) await nextTurn()
        const { text, isLast } = chunk ?? (await nextChunk(iterator))
        chunk = undefined
        controller.enqueue(encoder.encode(text))
        if (isLast) controller.close()
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return new TextResponse(body, contentType)
}

interface Chunk {
  readonly text: string
  readonly isLast: boolean
}

async function nextChunk(iterator: AsyncIterator<string>): Promise<Chunk> {
  let text = ''
  while (text.length < CHUNK) {
    const next = await iterator.next()
    if (next.done) return { text, isLast: true }
    text += next.value
  }
  return { text, isLast: false }
}

export async function* arrayText<T>(
  pages: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  toText: (item: T) => string,
): AsyncGenerator<string> {
  let before = '[\n'
  for await (const page of pages) {
    if (page.length === 0) continue
    yield before + page.map(toText).join(',\n')
    before = ',\n'
  }
  yield before === ',\n' ? '\n]' : '[]'
}
