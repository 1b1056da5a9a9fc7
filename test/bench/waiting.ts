import { runLoad } from './load.ts'
import { median } from './numbers.ts'
import type { ServerProcess } from './processes.ts'
import { deltaGet, roundRobin } from './requests.ts'

const CONNECTIONS = 4
const PAUSE_MS = 3
const LONGEST_MS = 300_000
/** Of watching before and after, so that the beginning and the end of what is watched are seen as well. */
const MARGIN_MS = 30

/** How long other users wait for a delta GET, asked every few milliseconds; all in milliseconds. */
export interface Waiting {
  readonly p50: number
  readonly p99: number
  readonly longest: number
}

/** Watches users 1 to 4 while `work` goes on. */
export async function watchOthers<T>(
  { port }: ServerProcess,
  work: () => Promise<T>,
): Promise<Waiting & { result: T }> {
  let isOver = false
  const source = roundRobin(CONNECTIONS, CONNECTIONS, (user) => deltaGet(user + 1))
  const watching = runLoad({
    port,
    connections: CONNECTIONS,
    source,
    maxMs: LONGEST_MS,
    isOver: () => isOver,
    pauseMs: PAUSE_MS,
  })
  const working = Bun.sleep(MARGIN_MS)
    .then(work)
    .finally(async () => {
      await Bun.sleep(MARGIN_MS)
      isOver = true
    })
  const [{ p50, p99, max }, result] = await Promise.all([watching, working])
  return { p50, p99, longest: max, result }
}

/** What takes longer is not repeated. */
const REPEATED_MS = 15_000

/** Medians over several times, since one interruption by the machine would be the longest of all. */
export async function watchOthersRepeatedly<T>(
  server: ServerProcess,
  times: number,
  work: () => Promise<T>,
): Promise<Waiting & { results: T[] }> {
  const all: (Waiting & { result: T })[] = []
  const started = performance.now()
  while (all.length < times && performance.now() - started < REPEATED_MS) all.push(await watchOthers(server, work))
  const of = (pick: (one: Waiting) => number) => median(all.map(pick))
  return {
    p50: of((one) => one.p50),
    p99: of((one) => one.p99),
    longest: of((one) => one.longest),
    results: all.map(({ result }) => result),
  }
}
