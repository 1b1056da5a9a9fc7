import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createHostQueue, forEachLimit } from '../../../src/domain/shared/concurrency.ts'
import { reasonOf } from '../../support/values.ts'

/** A queue with work that ends when it is told to. */
function open(atOnce: number, perHost: number) {
  const queue = createHostQueue({ atOnce, perHost })
  const ends = new Map<string, () => void>()
  const started: string[] = []

  async function addTo(flow: string | undefined, ...names: readonly string[]): Promise<void> {
    for (const name of names)
      void queue.run(
        name.replace(/\d+$/, ''),
        () => {
          started.push(name)
          return new Promise<void>((resolve) => ends.set(name, resolve))
        },
        flow === undefined ? {} : { flow },
      )
    await settled()
  }

  return {
    queue,
    /** Names of what has begun, in order. */
    started,
    /** Names of what is under way. */
    running: () => [...ends.keys()],
    /** Hands work in, and lets begin what there is room for; its name begins with the name of its host. */
    add: (...names: readonly string[]) => addTo(undefined, ...names),
    addTo,
    /** Ends work, and lets what it made room for begin. */
    async end(...names: readonly string[]): Promise<void> {
      for (const name of names) {
        ends.get(name)?.()
        ends.delete(name)
      }
      await settled()
    },
  }
}

/** Of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Lets everything go on that waits for nothing but its turn. */
async function settled(): Promise<void> {
  for (let n = 0; n < 10; n++) await turn()
}

describe('work on hosts', () => {
  test('begins one in each turn of the event loop, in which others are served as well', async () => {
    const { queue } = open(8, 2)
    const started: string[] = []
    for (const host of ['a', 'b', 'c']) void queue.run(host, async () => void started.push(host))
    expect(started).toEqual([])
    const seen: number[] = []
    for (let n = 0; n < 4; n++) {
      await turn()
      seen.push(started.length)
    }
    expect(seen).toEqual([1, 2, 3, 3])
  })

  test('that is urgent begins before all that waits', async () => {
    const { queue, add, started, end } = open(1, 1)
    await add('a1', 'b1', 'c1')
    const urgent = queue.run('d', async () => void started.push('d'), { isUrgent: true })
    await end('a1')
    await urgent
    expect(started).toEqual(['a1', 'd', 'b1'])
  })

  test('begins in the order it came in, as far as the hosts allow', async () => {
    const { add, started, end } = open(2, 1)
    await add('a1', 'a2', 'b1', 'a3', 'c1', 'b2')
    expect(started).toEqual(['a1', 'b1'])
    await end('b1')
    expect(started).toEqual(['a1', 'b1', 'c1'])
    await end('a1')
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2'])
    await end('c1')
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2'])
  })

  test('that comes when there is room again does not begin twice', async () => {
    const { add, started, end } = open(1, 1)
    await add('a1', 'a2')
    await end('a1')
    await end('a2')
    await add('a3')
    expect(started).toEqual(['a1', 'a2', 'a3'])
  })
})

describe('flows', () => {
  /** Ends what is under way, one by one, until there is nothing any more. */
  async function endAll({ running, end }: ReturnType<typeof open>): Promise<void> {
    for (let [name] = running(); name !== undefined; [name] = running()) await end(name)
  }

  test('take turns, however much waits in one of them', async () => {
    const world = open(1, 1)
    await world.addTo('long', 'a1', 'b1', 'c1', 'd1', 'e1')
    await world.addTo('short', 'f1')
    await world.addTo('other', 'g1', 'h1')
    await endAll(world)
    expect(world.started).toEqual(['a1', 'b1', 'f1', 'g1', 'c1', 'h1', 'd1', 'e1'])
  })

  test('that come late do not make up for what they have missed', async () => {
    const world = open(1, 1)
    await world.addTo('long', 'a1', 'b1', 'c1', 'd1', 'e1', 'f1')
    for (const name of ['a1', 'b1', 'c1']) await world.end(name)
    await world.addTo('late', 'u1', 'v1', 'w1')
    await endAll(world)
    expect(world.started.slice(4)).toEqual(['e1', 'u1', 'f1', 'v1', 'w1'])
  })

  test('do not wait for one whose hosts are all busy, which keeps its place', async () => {
    const world = open(2, 1)
    await world.addTo('slow', 'a1', 'a2', 'a3')
    await world.addTo('other', 'b1', 'c1', 'd1', 'e1')
    for (const name of ['b1', 'c1', 'd1']) await world.end(name)
    expect(world.running()).toEqual(['a1', 'e1'])
    await world.addTo('third', 'f1')
    await world.end('a1')
    expect(world.running()).toEqual(['e1', 'a2'])
  })
})

describe('work that fails', () => {
  test.each([
    ['later', () => Promise.reject(new Error('low tide'))],
    [
      'at once',
      () => {
        throw new Error('low tide')
      },
    ],
  ])('%s tells why, and makes room for the next', async (_when, work: () => Promise<never>) => {
    const { queue } = open(1, 1)
    const failing = queue.run('a', work)
    const next = queue.run('a', async () => 'next')
    expect(await reasonOf(failing)).toEqual(new Error('low tide'))
    expect(await next).toBe('next')
  })

  test('fails alone, though it had to wait', async () => {
    const { queue, add, end } = open(1, 1)
    await add('a1')
    const failing = reasonOf(queue.run('b', () => Promise.reject(new Error('low tide'))))
    const next = queue.run('b', async () => 'next')
    await end('a1')
    expect(await failing).toEqual(new Error('low tide'))
    expect(await next).toBe('next')
  })
})

test('however hosts and ends come, limits hold, nothing idles that could work, and everything is done', async () => {
  const world = fc.record({
    atOnce: fc.integer({ min: 1, max: 5 }),
    perHost: fc.integer({ min: 1, max: 3 }),
    hosts: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 40 }),
    picks: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(world, async ({ atOnce, perHost, hosts, picks }) => {
      const { add, started, running, end } = open(atOnce, perHost)
      const names = hosts.map((host, n) => `${host}${n}`)
      await add(...names)
      for (const pick of picks) {
        const now = running()
        const counts = new Map(
          Map.groupBy(now, ([host]) => host)
            .entries()
            .map(([host, all]) => [host, all.length]),
        )
        expect(now.length).toBeLessThanOrEqual(atOnce)
        for (const count of counts.values()) expect(count).toBeLessThanOrEqual(perHost)
        const waiting = names.filter((name) => !started.includes(name))
        if (now.length < atOnce) for (const [host] of waiting) expect(counts.get(host)).toBe(perHost)
        await end(...now.slice(pick % Math.max(now.length, 1)).slice(0, 1))
      }
      expect(running()).toEqual([])
      expect(started).toHaveLength(names.length)
      expect(new Set(started)).toEqual(new Set(names))
    }),
  )
})

/** Work that ends when it is told to. */
function openWork() {
  const begun: number[] = []
  const ends = new Map<number, (error?: Error) => void>()
  const work = (item: number) =>
    new Promise<void>((resolve, reject) => {
      begun.push(item)
      ends.set(item, (error) => (error ? reject(error) : resolve()))
    })
  async function end(item: number, error?: Error): Promise<void> {
    ends.get(item)?.(error)
    await turn()
  }
  return { begun, work, end }
}

describe('work for many', () => {
  test('is done for each of them, in order, so many at once', async () => {
    const { begun, work, end } = openWork()
    const all = forEachLimit([1, 2, 3, 4], 2, work)
    await turn()
    expect(begun).toEqual([1, 2])
    await end(2)
    expect(begun).toEqual([1, 2, 3])
    await end(3)
    expect(begun).toEqual([1, 2, 3, 4])
    await end(1)
    await end(4)
    await all
  })

  test('ends with the first failure, when nothing is under way any more', async () => {
    const { begun, work, end } = openWork()
    let isOver = false
    const all = forEachLimit([1, 2, 3, 4], 2, work)
    const reason = reasonOf(all).finally(() => {
      isOver = true
    })
    await turn()
    const failure = new Error('no more')
    await end(1, failure)
    expect({ begun, isOver }).toEqual({ begun: [1, 2], isOver: false })
    await end(2)
    expect(await reason).toBe(failure)
    expect(begun).toEqual([1, 2])
  })
})
