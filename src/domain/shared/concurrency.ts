export interface WorkPriority {
  /**
   * Flows take turns, one piece of work each, so that a short one need not wait for the end of a long one. Within a
   * flow, and for all that names none, first come is first served.
   */
  readonly flow?: string
  /** Goes before all that waits. */
  readonly isUrgent?: boolean
}

interface Waiting {
  readonly host: string
  readonly flow: string
  /** Lower ones go first: the n-th piece of work of each flow comes before the next of any. */
  readonly round: number
  readonly start: () => void
}

const URGENT = 0

export type HostQueue = ReturnType<typeof createHostQueue>

/** Work on many hosts: so many at once in all, and so many with one host. */
export function createHostQueue({ atOnce, perHost }: { atOnce: number; perHost: number }) {
  const running = new Map<string, number>()
  let total = 0
  const waiting: Waiting[] = []
  let isScheduled = false
  let currentRound = URGENT

  /** A flow that comes late begins with the others' next turn, and makes up for nothing. */
  function nextRoundOf(flow: string): number {
    const last = waiting.findLast((each) => each.flow === flow && each.round !== URGENT)
    return Math.max(last?.round ?? URGENT, currentRound) + 1
  }

  function mayStart(host: string): boolean {
    return total < atOnce && (running.get(host) ?? 0) < perHost
  }

  /** One in each turn of the event loop, so that requests come in between. */
  function startNext(): void {
    if (isScheduled || waiting.length === 0 || total >= atOnce) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      let next: Waiting | undefined
      for (const each of waiting) if (mayStart(each.host) && (!next || each.round < next.round)) next = each
      if (!next) return
      currentRound = Math.max(currentRound, next.round)
      waiting.splice(waiting.indexOf(next), 1)
      next.start()
      startNext()
    })
  }

  function take(host: string): void {
    total++
    running.set(host, (running.get(host) ?? 0) + 1)
  }

  function giveBack(host: string): void {
    total--
    const left = (running.get(host) ?? 1) - 1
    if (left > 0) running.set(host, left)
    else running.delete(host)
    startNext()
  }

  return {
    /** How many pieces of work are being done, and how many wait. */
    counts: () => ({ running: total, waiting: waiting.length }),

    /** Settles as `work` does, once its turn has come. */
    async run<T>(host: string, work: () => Promise<T>, { flow = '', isUrgent = false }: WorkPriority = {}): Promise<T> {
      await new Promise<void>((resolve) => {
        waiting.push({
          host,
          flow,
          round: isUrgent ? URGENT : nextRoundOf(flow),
          start() {
            take(host)
            resolve()
          },
        })
        startNext()
      })
      try {
        return await work()
      } finally {
        giveBack(host)
      }
    },
  }
}

/** Does `work` for all, so many at once. After a failure no more is begun; it is thrown when all have settled. */
export async function forEachLimit<T>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const iterator = items[Symbol.iterator]()
  let isFailed = false

  async function worker(): Promise<void> {
    for (let next = iterator.next(); !next.done && !isFailed; next = iterator.next())
      try {
        await work(next.value)
      } catch (error) {
        isFailed = true
        throw error
      }
  }

  const outcomes = await Promise.allSettled(Array.from({ length: atOnce }, worker))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** Shared work by key: all who ask for the same before it is done get the same. */
export function createSharedWork<K, T>() {
  const works = new Map<K, Promise<T>>()
  return {
    has: (key: K): boolean => works.has(key),
    count: (): number => works.size,
    run(key: K, work: () => Promise<T>): Promise<T> {
      const begun = works.get(key) ?? work().finally(() => works.delete(key))
      works.set(key, begun)
      return begun
    },
  }
}

/** Work that is done once at a time for each key: who comes for the same key meanwhile waits until it is done or has failed. */
export function createSerialWork<K>() {
  const works = new Map<K, Promise<unknown>>()
  return async <T>(key: K, work: () => Promise<T>): Promise<T> => {
    while (works.has(key)) await works.get(key)?.catch(() => undefined)
    const begun = work().finally(() => works.delete(key))
    works.set(key, begun)
    return begun
  }
}
