import { DomainError } from '../domain/errors.ts'
import { type FeedDocument, NotAFeed } from '../domain/feed-document.ts'
import type { MapOptions } from './map-xml-feed.ts'

export interface ParseOrder {
  readonly number: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly contentType: string
  readonly options: MapOptions
}

export type ParseReply =
  | { readonly number: number; readonly document: FeedDocument }
  | { readonly number: number; readonly notAFeed: string }
  /** A fault of ours: the stack. */
  | { readonly number: number; readonly broken: string }

export interface FeedParser {
  /** Rejects with `NotAFeed`; with `unavailable` once it is closed. */
  parse(bytes: Uint8Array, contentType: string, options: MapOptions): Promise<FeedDocument>
  /** For good, and for what is under way as well. */
  close(): void
}

/** Milliseconds; a document that takes longer was made for it. */
const LONGEST_MS = 20_000
/** Documents larger than this leave a thread with more memory than it will need again. */
const LARGE_BYTES = 2 * 1024 * 1024

interface Flight {
  readonly order: ParseOrder
  /** Of the document; the order's bytes are gone once they are handed over. */
  readonly size: number
  readonly resolve: (document: FeedDocument) => void
  readonly reject: (error: unknown) => void
}

/** Parses on one thread beside ours, one document after the other. The thread is started when it is needed. */
export function createParserThread(startWorker: () => Worker): FeedParser {
  const waiting: Flight[] = []
  let current: Flight | undefined
  let worker: Worker | undefined
  let number = 0
  let isClosed = false

  function end(): void {
    worker?.terminate()
    worker = undefined
  }

  function start(): Worker {
    const started = startWorker()
    started.onmessage = ({ data }: MessageEvent<ParseReply>) => settle(data)
    const onEnd = (cause: string) => {
      // One that we ended ourselves may tell later.
      if (worker === started) abandon(new Error(`the parser's thread ended: ${cause}`))
    }
    started.onerror = ({ message }: ErrorEvent) => onEnd(message)
    started.addEventListener('close', () => onEnd('without a word'))
    // It must not keep a server that stops.
    started.unref()
    return started
  }

  function next(): void {
    if (current) return
    current = waiting.shift()
    if (!current) return
    worker ??= start()
    const { order } = current
    worker.postMessage(order, [order.bytes.buffer])
    const late = AbortSignal.timeout(LONGEST_MS)
    late.addEventListener('abort', () => {
      if (current?.order.number === order.number) abandon(new NotAFeed('parsing the document takes too long'))
    })
  }

  /** The thread is lost; whoever waits gets another. */
  function abandon(error: unknown): void {
    const lost = current
    current = undefined
    end()
    lost?.reject(error)
    next()
  }

  function settle(reply: ParseReply): void {
    const done = current
    if (done?.order.number !== reply.number) return
    current = undefined
    if (done.size > LARGE_BYTES) end()
    if ('document' in reply) done.resolve(reply.document)
    else done.reject('notAFeed' in reply ? new NotAFeed(reply.notAFeed) : new Error(reply.broken))
    next()
  }

  return {
    async parse(bytes, contentType, options) {
      if (isClosed) throw stopping()
      const { promise, resolve, reject } = Promise.withResolvers<FeedDocument>()
      const own = inItsOwnBuffer(bytes)
      waiting.push({ order: { number: number++, bytes: own, contentType, options }, size: own.length, resolve, reject })
      next()
      return promise
    },
    close() {
      isClosed = true
      end()
      const left = current ? [current, ...waiting] : []
      current = undefined
      waiting.length = 0
      for (const { reject } of left) reject(stopping())
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
