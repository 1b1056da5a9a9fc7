import type { FeedOutline, FingerprintedEpisode } from '../../src/domain/feeds/document.ts'
import { createParserThread, type FeedParser } from '../../src/worker/parser-thread.ts'
import { FakeTimer } from '../support/timer.ts'

export const OPTIONS = { url: 'https://a.example/f', maxEpisodes: 100 }

/**
 * Parses at once, and does what some documents ask for. A document that is a number has that many episodes, which come as the thread
 * of the program hands them over, without a look at those that are known.
 */
const SCRIPT = `
  let left = 0
  let asked = 0
  self.onmessage = ({ data: { number, bytes, known } }) => {
    if (!bytes) {
      if (known === 'die') throw new Error('low tide')
      if (known === 'hang') return
      if (known === 'fault') postMessage({ number, broken: 'Error: low tide\\n    at slice' })
      asked++
      const episodes = Array.from({ length: Math.min(left, 10) }, () => ({ title: String(asked) }))
      left -= episodes.length
      postMessage({ number, episodes })
      return
    }
    const text = new TextDecoder().decode(bytes)
    left = Number(text) || 0
    asked = 0
    if (text === 'die') throw new Error('low tide')
    if (text === 'leave') process.exit(0)
    if (text === 'hang') return
    if (text === 'twice') postMessage({ number, document: { title: 'first' } })
    if (text === 'fault') postMessage({ number, broken: 'Error: low tide\\n    at parse' })
    postMessage({ number, document: { title: text } })
  }`

export interface ThreadScene extends Disposable {
  readonly parser: FeedParser
  /** How many threads there have been. */
  readonly threads: () => number
  readonly timer: FakeTimer
}

/** `processorMs` is what it has had of the processor. */
export function openThread(startWorker: () => Worker, processorMs = () => 0): ThreadScene {
  let threads = 0
  const timer = new FakeTimer()
  const start = () => {
    threads++
    return startWorker()
  }
  const parser = createParserThread(start, processorMs, timer.start)
  return { parser, timer, threads: () => threads, [Symbol.dispose]: () => parser.close() }
}

/** With the thread of the program. */
export const openReal = () =>
  openThread(() => new Worker(new URL('../../src/worker/parse-worker.ts', import.meta.url).href))

export const openScripted = (processorMs?: () => number) =>
  openThread(() => new Worker(URL.createObjectURL(new Blob([SCRIPT]))), processorMs)

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

interface Parsed {
  readonly document: FeedOutline
  readonly episodes: FingerprintedEpisode[]
  /** How many episodes came at once. */
  readonly sizes: number[]
}

/** A document that is read to its end. */
export async function parsed({ parser }: ThreadScene, bytes: Uint8Array, known = '[]'): Promise<Parsed> {
  const episodes: FingerprintedEpisode[] = []
  const sizes: number[] = []
  const document = await parser.parse(bytes, 'text/xml', OPTIONS, async ({ episodesBut }) => {
    for await (const some of episodesBut(known)) {
      episodes.push(...some)
      sizes.push(some.length)
    }
  })
  return { document, episodes, sizes }
}

/** The title of a document, or why there is none. */
export async function outcome(scene: ThreadScene, bytes: Uint8Array): Promise<unknown> {
  try {
    return (await parsed(scene, bytes)).document.title
  } catch (error) {
    return error
  }
}
