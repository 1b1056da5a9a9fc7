import { createBrotliDecompress, createInflateRaw } from 'node:zlib'
import { FetchFailure } from './fetch-failure.ts'

type Coding = 'gzip' | 'deflate' | 'br' | 'zstd'
type Chunk = Uint8Array<ArrayBuffer>
type Chunks = AsyncGenerator<Chunk>

const CODINGS: Readonly<Record<string, Coding>> = {
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
  br: 'br',
  zstd: 'zstd',
}

export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd'

/** More codings than any server applies. Each costs memory, and may expand its input many times. */
const CODINGS_MAX = 4
/** Limit on the parts of a gzip file, since even empty parts cost time. */
const GZIP_PARTS_MAX = 10_000
const GZIP_TRAILER = 8

/** Codings of a `Content-Encoding`, in the order to undo them. Ignores unknown names and immediate repeats. */
export function codingsOf(header: string | null): Coding[] {
  const names = (header ?? '').split(',').map((name) => name.replace(/;.*/s, '').trim().toLowerCase())
  const supported = names.flatMap((name) => (Object.hasOwn(CODINGS, name) ? (CODINGS[name] ?? []) : []))
  const codings = supported.filter((coding, index) => coding !== supported[index - 1])
  if (codings.length > CODINGS_MAX)
    throw new FetchFailure('bad_encoding', `the response is compressed in more than ${CODINGS_MAX} ways`)
  return codings.toReversed()
}

/** Undoes one coding. Throws `FetchFailure`, and errors of `source`. An empty body stays empty. */
export async function* undo(coding: Coding, source: Chunks): Chunks {
  const input = createInput(source)
  try {
    const [first] = await input.peek(1)
    if (first === undefined) return
    if (coding === 'br') yield* unpack(input, createBrotliDecompress())
    else if (coding === 'zstd') yield* unzstd(input)
    else if (isGzip(await input.peek(3))) yield* gunzip(input)
    else if (coding === 'deflate') yield* inflate(input)
    else throw damaged()
  } finally {
    await input.close()
  }
}

/** Decompresses a body that is a gzip file, even if its headers do not say so. No feed starts with these bytes. */
export async function* undoGzipFile(source: Chunks): Chunks {
  const input = createInput(source)
  try {
    if (isGzip(await input.peek(3))) yield* gunzip(input)
    else yield* input.rest()
  } finally {
    await input.close()
  }
}

function isGzip([first, second, third]: Uint8Array): boolean {
  return first === 0x1f && second === 0x8b && third === 8
}

async function* gunzip(input: Input): Chunks {
  for (let part = 0; part < GZIP_PARTS_MAX; part++) {
    const header = await input.peek(10)
    if (!isGzip(header)) return
    await input.skip(10)
    const flags = header[3] ?? 0
    if (flags & 4) {
      const [low = 0, high = 0] = await input.peek(2)
      await input.skip(2 + low + 256 * high)
    }
    if (flags & 8) await input.skipText()
    if (flags & 16) await input.skipText()
    if (flags & 2) await input.skip(2)
    yield* unpack(input, createInflateRaw())
    await input.skip(GZIP_TRAILER)
  }
  throw new FetchFailure('bad_encoding', `the response has more than ${GZIP_PARTS_MAX} compressed parts`)
}

async function* inflate(input: Input): Chunks {
  const [first = 0] = await input.peek(1)
  if ((first & 0x0f) === 8) await input.skip(2)
  yield* unpack(input, createInflateRaw())
}

type Engine = ReturnType<typeof createInflateRaw> | ReturnType<typeof createBrotliDecompress>

/** Decompresses one stream, and leaves the input at the first byte after it. */
async function* unpack(input: Input, engine: Engine): Chunks {
  let failure: unknown
  let written = 0

  const write = (chunk: Uint8Array) => new Promise<void>((resolve) => engine.write(chunk, () => resolve()))

  async function feed(): Promise<void> {
    try {
      while (!engine.destroyed) {
        const chunk = await input.take()
        if (!chunk) return void engine.end()
        await write(chunk)
        written += chunk.byteLength
        const unread = written - engine.bytesWritten
        if (unread > 0) return input.putBack(chunk.subarray(chunk.byteLength - unread))
      }
    } catch (error) {
      failure = error
      engine.destroy()
    }
  }

  if ((await input.peek(1)).byteLength === 0) throw damaged()
  const feeding = feed()
  try {
    for await (const chunk of engine) yield chunk
    await feeding
  } catch (error) {
    throw failure ?? (error instanceof FetchFailure ? error : damaged())
  } finally {
    engine.destroy()
  }
}

async function* unzstd(input: Input): Chunks {
  let failure: unknown
  const packed = new ReadableStream<Chunk>({
    async pull(controller) {
      try {
        const chunk = await input.take()
        if (chunk) controller.enqueue(chunk)
        else controller.close()
      } catch (error) {
        failure = error
        throw error
      }
    },
  })
  try {
    yield* packed.pipeThrough(new DecompressionStream('zstd'))
  } catch {
    throw failure ?? damaged()
  }
}

function damaged(): FetchFailure {
  return new FetchFailure('bad_encoding', 'the response cannot be decompressed')
}

type Input = ReturnType<typeof createInput>

/** Wraps arriving bytes so that they can be peeked at or put back. */
function createInput(source: Chunks) {
  let ahead: Chunk = new Uint8Array()

  async function take(): Promise<Chunk | undefined> {
    if (ahead.byteLength > 0) {
      const chunk = ahead
      ahead = new Uint8Array()
      return chunk
    }
    const next = await source.next()
    return next.done ? undefined : next.value
  }

  async function skip(count: number): Promise<void> {
    let remaining = count
    while (remaining > 0) {
      const chunk = await take()
      if (!chunk) return
      if (chunk.byteLength > remaining) ahead = chunk.subarray(remaining)
      remaining -= chunk.byteLength
    }
  }

  return {
    /** Returns some of the next bytes; `undefined` at the end. */
    take,
    async peek(count: number): Promise<Uint8Array> {
      while (ahead.byteLength < count) {
        const next = await source.next()
        if (next.done) break
        ahead = new Uint8Array(Buffer.concat([ahead, next.value]))
      }
      return ahead.subarray(0, count)
    },
    skip,
    /** Skips all bytes up to and including the next 0. */
    async skipText(): Promise<void> {
      for (;;) {
        const chunk = await take()
        if (!chunk) return
        const end = chunk.indexOf(0)
        if (end === -1) continue
        ahead = chunk.subarray(end + 1)
        return
      }
    },
    putBack: (chunk: Chunk): void => {
      ahead = chunk
    },
    async *rest(): Chunks {
      for (;;) {
        const chunk = await take()
        if (!chunk) return
        yield chunk
      }
    },
    close: async (): Promise<void> => {
      await source.return(undefined)
    },
  }
}
