import type { Socket } from 'bun'
import { percentile } from './numbers.ts'
import { createResponseReader, type RawResponse } from './responses.ts'

/** Hands out ready-made requests; each connection has a sequence of its own, one request at a time. */
export type Source = (connection: number) => Uint8Array

export interface LoadOptions {
  readonly port: number
  readonly connections: number
  readonly source: Source
  /** Whichever comes first. */
  readonly maxMs: number
  readonly maxRequests?: number
  /** Asked before each request. */
  readonly isOver?: () => boolean
  /** Milliseconds a connection rests between an answer and its next request. */
  readonly pauseMs?: number
  /** Throws when the answer is not what the case is about. Called for the first answer of each connection. */
  readonly check?: (response: RawResponse) => void
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Processor seconds of this process over elapsed seconds. */
  readonly generatorCpu: number
}

/** Longer than any sane answer takes; a hanging server must not hang the benchmark. */
const GRACE_MS = 30_000

/**
 * Sends requests over keep-alive connections, one at a time on each, and measures them. Requests are bytes made beforehand and answers
 * are hardly looked at, so that this process costs less than the server it shares the machine with.
 */
export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const { connections, maxMs, maxRequests = Number.POSITIVE_INFINITY } = options
  const latencies: number[] = []
  const cpu = process.cpuUsage()
  const start = performance.now()
  const limits = { deadline: start + maxMs, left: maxRequests }
  await Promise.all(Array.from({ length: connections }, (_, index) => drive(index, options, limits, latencies)))
  const seconds = (performance.now() - start) / 1000
  const used = process.cpuUsage(cpu)
  const ascending = Float64Array.from(latencies).sort()
  return {
    requests: latencies.length,
    seconds,
    perSecond: latencies.length / seconds,
    p50: percentile(ascending, 0.5),
    p99: percentile(ascending, 0.99),
    max: percentile(ascending, 1),
    generatorCpu: (used.user + used.system) / 1e6 / seconds,
  }
}

function drive(
  index: number,
  { port, source, check, pauseMs, maxMs, isOver }: LoadOptions,
  limits: { readonly deadline: number; left: number },
  latencies: number[],
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error('the server does not answer')), maxMs + GRACE_MS)
  let sentAt = 0
  let first = true
  let socket: Socket | undefined
  let unsent: Uint8Array | undefined

  function send(): void {
    if (!socket) return
    if (limits.left <= 0 || performance.now() >= limits.deadline || isOver?.()) {
      resolve()
      return
    }
    limits.left--
    sentAt = performance.now()
    write(source(index))
  }

  function write(bytes: Uint8Array): void {
    const written = socket?.write(bytes) ?? 0
    unsent = written < bytes.length ? bytes.subarray(Math.max(0, written)) : undefined
  }

  const read = createResponseReader((response) => {
    latencies.push(performance.now() - sentAt)
    try {
      if (response.status !== 200) throw new Error(`answered ${response.status}: ${textOf(response)}`)
      if (first) check?.(response)
    } catch (error) {
      reject(error)
      return
    }
    first = false
    if (pauseMs === undefined) send()
    else setTimeout(send, pauseMs)
  })

  Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      binaryType: 'buffer',
      open(opened) {
        socket = opened
        send()
      },
      data: (_, data) => read(data),
      drain: () => {
        if (unsent) write(unsent)
      },
      close: () => reject(new Error('the server closed a connection')),
      error: (_, error) => reject(error),
    },
  }).catch(reject)

  return promise.finally(() => {
    clearTimeout(timer)
    socket?.end()
    socket = undefined
  })
}

export function textOf({ body }: RawResponse): string {
  return Buffer.from(body).toString()
}

export interface RequestParts {
  readonly method: string
  readonly path: string
  readonly headers?: readonly string[]
  readonly body?: string
}

/** The bytes of a request, all headers of a usual client included. */
export function requestBytes({ method, path, headers = [], body }: RequestParts): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: 127.0.0.1',
    'User-Agent: podstep-bench',
    'Accept: application/json',
    ...headers,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

/** `POST` with an empty body needs a length, or servers wait for one. */
export const NO_BODY = 'Content-Length: 0'
