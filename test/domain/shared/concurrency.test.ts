import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createHostQueue, createSharedTurns, forEachLimit } from '../../../src/domain/shared/concurrency.ts'
import { reasonOf } from '../../support/values.ts'

/** A queue with work that ends on request. */
function open(atOnce: number, perHost: number, perFlow = atOnce) {
  const queue = createHostQueue({ atOnce, perHost, perFlow })
  const ends = new Map<string, () => void>()
  const started: string[] = []

  /** Adds work and starts what there is room for. The name of work begins with the name of its host. */
  async function addTo(flow: string | undefined, ...names: readonly string[]): Promise<void> {
    const work = (name: string) => () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    }
    for (const name of names) void queue.run(name.replace(/\d+$/, ''), work(name), flow === undefined ? {} : { flow })
    await settled()
  }

  return {
    queue,
    /** Names of started work, in order. */
    started,
    /** Names of running work. */
    running: () => [...ends.keys()],
    add: (...names: readonly string[]) => addTo(undefined, ...names),
    addTo,
    /** Ends work and starts what there is room for. */
    async end(...names: readonly string[]): Promise<void> {
      for (const name of names) {
        ends.get(name)?.()
        ends.delete(name)
      }
      await settled()
    },
  }
}

/** Resolves in the next turn of the event loop. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Lets everything proceed that only waits for its turn. */
async function settled(): Promise<void> {
  for (let n = 0; n < 10; n++) await turn()
}

describe('work on hosts', () => {
  test('starts one piece in each turn of the event loop, which serves other events in between', async () => {
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

  test('starts urgent work before all that waits', async () => {
    const { queue, add, started, end } = open(1, 1)
    await add('a1', 'b1', 'c1')
    const urgent = queue.run('d', async () => void started.push('d'), { isUrgent: true })
    await end('a1')
    await urgent
    expect(started).toEqual(['a1', 'd', 'b1'])
  })

  test('starts in the order of arrival as far as the hosts allow, and once', async () => {
    const { add, started, end } = open(2, 1)
    await add('a1', 'a2', 'b1', 'a3', 'c1', 'b2')
    expect(started).toEqual(['a1', 'b1'])
    for (const name of ['b1', 'a1', 'c1', 'a2', 'b2', 'a3']) await end(name)
    await add('a4')
    expect(started).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  })
})

describe('flows', () => {
  /** Ends running work, one piece after the other, until none is left. */
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

  test('that come late are not compensated for it', async () => {
    const world = open(1, 1)
    await world.addTo('long', 'a1', 'b1', 'c1', 'd1', 'e1', 'f1')
    for (const name of ['a1', 'b1', 'c1']) await world.end(name)
    await world.addTo('late', 'u1', 'v1', 'w1')
    await endAll(world)
    expect(world.started.slice(4)).toEqual(['e1', 'u1', 'f1', 'v1', 'w1'])
  })

  test('leave places for others, and their counts include waiting work', async () => {
    const world = open(4, 4, 2)
    await world.addTo('long', 'a1', 'b1', 'c1', 'd1')
    expect(world.running()).toEqual(['a1', 'b1'])
    await world.addTo('other', 'e1', 'e2', 'e3')
    expect(world.running()).toEqual(['a1', 'b1', 'e1', 'e2'])
    expect(['long', 'other', 'none'].map(world.queue.countOf)).toEqual([4, 3, 0])
    await world.end('e1')
    expect(world.running()).toEqual(['a1', 'b1', 'e2', 'e3'])
    await world.end('a1')
    expect(world.running()).toEqual(['b1', 'e2', 'e3', 'c1'])
    await endAll(world)
    expect(world.queue.countOf('long')).toBe(0)
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

test.each([false, true])('failing work reports why, and makes room for the next; after waiting: %p', async (isLate) => {
  const { queue, add, end } = open(1, 1)
  if (isLate) await add('a1')
  const later = queue.run('b', () => Promise.reject(new Error('low tide')))
  const atOnce = queue.run('b', () => {
    throw new Error('ebb')
  })
  const next = queue.run('b', async () => 'next')
  const outcomes = Promise.allSettled([later, atOnce, next])
  await end('a1')
  expect(await outcomes).toMatchObject([
    { reason: { message: 'low tide' } },
    { reason: { message: 'ebb' } },
    { value: 'next' },
  ])
})

test('in any order of hosts, flows and ends, limits hold, no place stays idle, and all work is done', async () => {
  const work = fc.record({ host: fc.constantFrom('a', 'b', 'c', 'd'), flow: fc.constantFrom('x', 'y', 'z') })
  const world = fc.record({
    atOnce: fc.integer({ min: 1, max: 5 }),
    perHost: fc.integer({ min: 1, max: 3 }),
    perFlow: fc.integer({ min: 1, max: 3 }),
    works: fc.array(work, { maxLength: 40 }),
    picks: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
  })
  await fc.assert(
    fc.asyncProperty(world, async ({ atOnce, perHost, perFlow, works, picks }) => {
      const { addTo, started, running, end } = open(atOnce, perHost, perFlow)
      const all = new Map(works.map((each, n) => [`${each.host}${n}`, each]))
      for (const [name, { flow }] of all) await addTo(flow, name)
      const busy = (key: 'host' | 'flow', value: string | undefined) =>
        running().filter((name) => all.get(name)?.[key] === value).length
      for (const pick of picks) {
        const now = running()
        expect(now.length).toBeLessThanOrEqual(atOnce)
        for (const { host, flow } of all.values()) {
          expect(busy('host', host)).toBeLessThanOrEqual(perHost)
          expect(busy('flow', flow)).toBeLessThanOrEqual(perFlow)
        }
        for (const [name, { host, flow }] of now.length < atOnce ? all : [])
          if (!started.includes(name)) expect([perHost - busy('host', host), perFlow - busy('flow', flow)]).toContain(0)
        await end(...now.slice(pick % Math.max(now.length, 1)).slice(0, 1))
      }
      expect(running()).toEqual([])
      expect(started).toHaveLength(all.size)
      expect(new Set(started)).toEqual(new Set(all.keys()))
    }),
  )
})

describe('work shared by several flows', () => {
  function openShared() {
    const world = open(1, 1)
    const shared = createSharedTurns<string, number>()
    let count = 0
    const share = (flow: string) => shared.run('key', { queue: world.queue, host: 'z', flow }, async () => ++count)
    return { ...world, shared, share }
  }

  test('starts once, in the first turn of any of them', async () => {
    const { addTo, end, share } = openShared()
    await addTo('long', 'a1', 'b1', 'c1')
    const results = [share('long'), share('short'), share('short')]
    await end('a1')
    await end('b1')
    expect(await Promise.all(results)).toEqual([1, 1, 1])
    await end('c1')
    expect(await share('long')).toBe(2)
  })

  test('fails for all of them, and can be repeated', async () => {
    const { queue, shared, share } = openShared()
    const turn = { queue, host: 'z', flow: 'one' }
    const failing = shared.run('key', turn, () => Promise.reject(new Error('low tide')))
    expect(shared.find('key')).toBe(failing)
    expect(await Promise.all([failing, share('two')].map(reasonOf))).toMatchObject([
      { message: 'low tide' },
      { message: 'low tide' },
    ])
    expect(shared.find('key')).toBeUndefined()
    expect(await share('one')).toBe(1)
  })
})

/** Work for 1 to 4, two at once, which ends on request. */
function openWork() {
  const begun: number[] = []
  const ends = new Map<number, PromiseWithResolvers<void>>()
  const all = forEachLimit([1, 2, 3, 4], 2, (item) => {
    begun.push(item)
    ends.set(item, Promise.withResolvers())
    return ends.get(item)?.promise ?? Promise.resolve()
  })
  return { begun, ends, all }
}

describe('forEachLimit', () => {
  test('processes the items in order, up to the limit at once', async () => {
    const { begun, ends, all } = openWork()
    const counts: number[] = []
    for (const item of [2, 3, 1, 4]) {
      await turn()
      counts.push(begun.length)
      ends.get(item)?.resolve()
    }
    await all
    expect([begun, counts]).toEqual([
      [1, 2, 3, 4],
      [2, 3, 4, 4],
    ])
  })

  test('rejects with the first failure, once nothing is running any more', async () => {
    const { begun, ends, all } = openWork()
    let isOver = false
    const reason = reasonOf(all).finally(() => {
      isOver = true
    })
    await turn()
    const failure = new Error('no more')
    ends.get(1)?.reject(failure)
    await turn()
    expect({ begun, isOver }).toEqual({ begun: [1, 2], isOver: false })
    ends.get(2)?.resolve()
    expect(await reason).toBe(failure)
    expect(begun).toEqual([1, 2])
  })
})
