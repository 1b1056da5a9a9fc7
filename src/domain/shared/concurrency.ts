export interface WorkPriority {
  /**
   * Flows take turns, so that a short one does not wait for the end of a long one. Work within a flow, and work without
   * one, is done in order of arrival.
   */
  readonly flow?: string
  readonly isUrgent?: boolean
}

interface Waiting {
  readonly host: string
  readonly flow: string
  readonly round: number
  readonly start: () => void
}

const URGENT = 0

export type HostQueue = ReturnType<typeof createHostQueue>

interface HostQueueLimits {
  readonly atOnce: number
  readonly perHost: number
  readonly perFlow?: number
}

export function createHostQueue({ atOnce, perHost, perFlow = atOnce }: HostQueueLimits) {
  const busyHosts = new Map<string, number>()
  const busyFlows = new Map<string, number>()
  let total = 0
  const waiting: Waiting[] = []
  let isScheduled = false
  let currentRound = URGENT

  function nextRoundOf(flow: string): number {
    const last = waiting.findLast((each) => each.flow === flow && each.round !== URGENT)
    return Math.max(last?.round ?? URGENT, currentRound) + 1
  }

  function mayStart({ host, flow }: Waiting): boolean {
    return total < atOnce && (busyHosts.get(host) ?? 0) < perHost && (busyFlows.get(flow) ?? 0) < perFlow
  }

  /** Starts one per turn of the event loop, so that requests are handled in between. */
  function startNext(): void {
    if (isScheduled || waiting.length === 0 || total >= atOnce) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      let next: Waiting | undefined
      for (const each of waiting) if (mayStart(each) && (!next || each.round < next.round)) next = each
      if (!next) return
      currentRound = Math.max(currentRound, next.round)
      waiting.splice(waiting.indexOf(next), 1)
      next.start()
      startNext()
    })
  }

  function add(host: string, flow: string, more: 1 | -1): void {
    total += more
    count(busyHosts, host, more)
    count(busyFlows, flow, more)
  }

  return {
    counts: () => ({ running: total, waiting: waiting.length }),

    countOf: (flow: string): number => (busyFlows.get(flow) ?? 0) + waiting.filter((each) => each.flow === flow).length,

    async run<T>(host: string, work: () => Promise<T>, { flow = '', isUrgent = false }: WorkPriority = {}): Promise<T> {
      await new Promise<void>((resolve) => {
        waiting.push({
          host,
          flow,
          round: isUrgent ? URGENT : nextRoundOf(flow),
          start() {
            add(host, flow, 1)
            resolve()
          },
        })
        startNext()
      })
      try {
        return await work()
      } finally {
        add(host, flow, -1)
        startNext()
      }
    },
  }
}

function count(counts: Map<string, number>, key: string, more: 1 | -1): void {
  const sum = (counts.get(key) ?? 0) + more
  if (sum > 0) counts.set(key, sum)
  else counts.delete(key)
}

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

export function createSharedWork<K, T>() {
  const works = new Map<K, Promise<T>>()
  return {
    has: (key: K): boolean => works.has(key),
    run(key: K, work: () => Promise<T>): Promise<T> {
      const promise = works.get(key) ?? work().finally(() => works.delete(key))
      works.set(key, promise)
      return promise
    },
  }
}

export interface Turn {
  readonly queue: HostQueue
  readonly host: string
  readonly flow: string
}

interface SharedTurns<T> {
  readonly result: Promise<T>
  /** Never rejects. */
  readonly begin: () => Promise<void>
  readonly flows: Set<string>
}

/** Shares work by key. It is queued once for each flow that waits for it, and starts with the first turn. */
export function createSharedTurns<K, T>() {
  const works = new Map<K, SharedTurns<T>>()

  function add(key: K, work: () => Promise<T>): SharedTurns<T> {
    const { promise: result, resolve, reject } = Promise.withResolvers<T>()
    let hasBegun = false
    async function begin(): Promise<void> {
      if (hasBegun) return
      hasBegun = true
      await work()
        .then(resolve, reject)
        .finally(() => works.delete(key))
    }
    const shared = { result, begin, flows: new Set<string>() }
    works.set(key, shared)
    return shared
  }

  return {
    find: (key: K): Promise<T> | undefined => works.get(key)?.result,

    run(key: K, { queue, host, flow }: Turn, work: () => Promise<T>): Promise<T> {
      const { result, begin, flows } = works.get(key) ?? add(key, work)
      if (!flows.has(flow)) void queue.run(host, begin, { flow })
      flows.add(flow)
      return result
    },
  }
}

/** Runs work for the same key one at a time. A call waits until the previous one has finished or failed. */
export function createSerialWork<K>() {
  const works = new Map<K, Promise<unknown>>()
  return async <T>(key: K, work: () => Promise<T>): Promise<T> => {
    while (works.has(key)) await works.get(key)?.catch(() => undefined)
    const promise = work().finally(() => works.delete(key))
    works.set(key, promise)
    return promise
  }
}

export function createSlots(count: number) {
  let free = count
  const waiting: (() => void)[] = []

  function giveBack(): void {
    const next = waiting.shift()
    if (next) next()
    else free++
  }

  return {
    /** Waits for a slot in order of arrival; returns a function that releases it. Rejects with `signal`'s reason. */
    async take(signal: AbortSignal): Promise<() => void> {
      signal.throwIfAborted()
      if (free > 0) free--
      else
        await new Promise<void>((resolve, reject) => {
          const begin = () => {
            signal.removeEventListener('abort', leave)
            resolve()
          }
          const leave = () => {
            waiting.splice(waiting.indexOf(begin), 1)
            reject(signal.reason)
          }
          signal.addEventListener('abort', leave, { once: true })
          waiting.push(begin)
        })
      return giveBack
    },
  }
}
