import { type EpisodeRequest, type FeedOutline, type FingerprintedEpisode, NotAFeed } from '../domain/feeds/document.ts'
import type { OpenDocument } from '../domain/feeds/ports.ts'
import { DomainError } from '../domain/shared/errors.ts'
import { systemTimer, type Timer } from '../platform/timer.ts'
import type { MapOptions } from './parse/mapped-feed.ts'
import type { ParseRequest, ParseResponse } from './parse-messages.ts'
import { slicesOf } from './unknown-episodes.ts'

export interface FeedParser {
  /**
   * Parses a document and settles when `read` is done with it; until then the thread is there for no other. Rejects with `NotAFeed`, with
   * what `read` rejects, and with `unavailable` once the parser is closed.
   */
  parse(
    bytes: Uint8Array,
    contentType: string,
    options: MapOptions,
    read: (feed: OpenDocument) => Promise<void>,
  ): Promise<FeedOutline>
  /** For good, and for what is under way as well. */
  close(): void
}

/** Of processor; a document that takes more was made for it. */
const PROCESSOR_MS_MAX = 20_000
/** For whoever reads the episodes, on a slow disk, and beside programs that leave this one next to nothing of the processor. */
const LONGEST_MS = 600_000
/** Between two looks at these limits. */
const LOOK_MS = 5000
/** Documents larger than this leave a thread with more memory than it will need again. */
const LARGE_BYTES = 2 * 1024 * 1024

/** A document that has the thread, or waits for it. */
interface Turn {
  readonly number: number
  readonly begun: PromiseWithResolvers<void>
  /** To what was asked last. */
  reply: PromiseWithResolvers<ParseResponse> | undefined
  /** Why the thread is not there for it any more. */
  lost: Error | undefined
}

/**
 * Milliseconds of processor that this process has had, with all its threads. Those that fetch other feeds meanwhile count as well: the limit
 * is far above what any document takes that was not made for it.
 */
export type ProcessorMs = () => number

/** Parses on one thread beside ours, one document after the other. The thread is started when it is needed. */
export function createParserThread(
  startWorker: () => Worker,
  processorMs: ProcessorMs,
  timer: Timer = systemTimer,
): FeedParser {
  const waiting: Turn[] = []
  let current: Turn | undefined
  let worker: Worker | undefined
  let count = 0
  let isClosed = false

  function end(): void {
    worker?.terminate()
    worker = undefined
  }

  function start(): Worker {
    const started = startWorker()
    // An answer that comes too late has nobody's number.
    started.onmessage = ({ data }: MessageEvent<ParseResponse>) => {
      if (current?.number === data.number) current.reply?.resolve(data)
    }
    const onEnd = (cause: string) => {
      // One that we ended ourselves may tell later.
      if (worker === started && current) lose(current, new Error(`the parser's thread ended: ${cause}`))
    }
    started.onerror = ({ message }: ErrorEvent) => onEnd(message)
    started.addEventListener('close', () => onEnd('without a word'))
    // It must not keep a server that stops.
    started.unref()
    return started
  }

  async function enter(): Promise<Turn> {
    const turn: Turn = { number: count++, begun: Promise.withResolvers(), reply: undefined, lost: undefined }
    waiting.push(turn)
    next()
    await turn.begun.promise
    return turn
  }

  function next(): void {
    if (current) return
    current = waiting.shift()
    current?.begun.resolve()
  }

  function leave(turn: Turn): void {
    if (current !== turn) return
    current = undefined
    next()
  }

  /** The thread is lost; whoever waits gets another. */
  function lose(turn: Turn, error: Error): void {
    if (current !== turn) return
    end()
    turn.lost = error
    turn.reply?.reject(error)
    leave(turn)
  }

  async function ask(turn: Turn, order: ParseRequest): Promise<ParseResponse> {
    if (turn.lost) throw turn.lost
    worker ??= start()
    turn.reply = Promise.withResolvers()
    worker.postMessage(order, 'bytes' in order ? [order.bytes.buffer] : [])
    const reply = await turn.reply.promise
    if ('notAFeed' in reply) throw new NotAFeed(reply.notAFeed)
    if ('broken' in reply) throw new Error(reply.broken)
    return reply
  }

  async function open(turn: Turn, order: ParseRequest): Promise<FeedOutline> {
    const reply = await ask(turn, order)
    if (!('document' in reply)) throw new Error('the parser answers something else')
    return reply.document
  }

  function episodesBut(
    turn: Turn,
    known: string,
    order: EpisodeRequest,
  ): AsyncIterable<readonly FingerprintedEpisode[]> {
    return slicesOf(async (isFirst) => {
      const reply = await ask(turn, { number: turn.number, known: isFirst ? known : undefined, order })
      return 'episodes' in reply ? reply.episodes : []
    })
  }

  /** As `work` does, but the thread is there for it only so long. */
  async function within<T>(turn: Turn, work: Promise<T>): Promise<T> {
    const atFirst = processorMs()
    let passed = 0
    const look = () => {
      passed += LOOK_MS
      const isTooLong = passed >= LONGEST_MS || processorMs() - atFirst >= PROCESSOR_MS_MAX
      if (isTooLong) lose(turn, new NotAFeed('parsing the document takes too long'))
      else callOff = timer(LOOK_MS, look)
    }
    let callOff = timer(LOOK_MS, look)
    try {
      return await work
    } finally {
      callOff()
    }
  }

  return {
    async parse(bytes, contentType, options, read) {
      if (isClosed) throw stopping()
      const own = inItsOwnBuffer(bytes)
      const isLarge = own.length > LARGE_BYTES
      const turn = await enter()
      try {
        const work = async () => {
          const document = await open(turn, { number: turn.number, bytes: own, contentType, options })
          await read({ document, episodesBut: (known, wished = 'newest first') => episodesBut(turn, known, wished) })
          return document
        }
        return await within(turn, work())
      } finally {
        if (isLarge && current === turn) end()
        leave(turn)
      }
    },
    close() {
      isClosed = true
      end()
      const left = current ? [current, ...waiting] : []
      current = undefined
      waiting.length = 0
      for (const turn of left) {
        turn.lost = stopping()
        turn.begun.reject(turn.lost)
        turn.reply?.reject(turn.lost)
      }
    },
  }
}

function stopping(): DomainError {
  return new DomainError('unavailable', 'the server is stopping')
}

/** What is handed over to another thread is gone here, with all that shares its buffer. */
function inItsOwnBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes)
}
