import { describe, expect, test } from 'bun:test'
import { queueBenches, turn } from './queue-bench.ts'

const { open } = queueBenches()

const outcomes = async (promises: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(promises)).map(({ status }) => status)

test('units queued in one turn share one commit; more than fit in it go on in the next, in order', async () => {
  const { queue, add, onDisk, commits } = open()
  await Promise.all([1, 2, 3].map((value) => queue.run(add(value))))
  expect(commits()).toBe(1)
  const values = Array.from({ length: 300 }, (_, n) => n + 100)
  await Promise.all(values.map((value) => queue.run(add(value))))
  expect(onDisk()).toEqual([1, 2, 3, ...values])
  expect(commits()).toBe(4)
})

describe('settling', () => {
  test('gives each unit its own result, in the order of queueing', async () => {
    const { queue, add } = open()
    const order: string[] = []
    const run = (name: string, work: () => void) =>
      queue.run(work).then(
        () => order.push(name),
        () => order.push(`${name} failed`),
      )
    await Promise.all([run('a', add(1)), run('b', add(13)), run('c', add(3))])
    expect(order).toEqual(['a', 'b failed', 'c'])
    expect(await queue.run(() => ({ value: 7 }))).toEqual({ value: 7 })
  })

  test('waits until the change is on disk for everybody to see', async () => {
    const { queue, add, onDisk } = open()
    const seen: number[][] = []
    const run = async (value: number) => {
      await queue.run(() => {
        add(value)()
        seen.push(onDisk())
      })
      seen.push(onDisk())
    }
    await Promise.all([run(1), run(2)])
    expect(seen).toEqual([[], [], [1, 2], [1, 2]])
  })

  test('idle waits for all of it, and for nothing when there is nothing', async () => {
    const { queue, add, onDisk } = open()
    await queue.idle()
    for (let value = 100; value < 400; value++) void queue.run(add(value))
    await queue.idle()
    expect(onDisk()).toHaveLength(300)
  })
})

test('at the end what waits and what comes is refused, and the closed database is left alone', async () => {
  const bench = open()
  await bench.queue.run(bench.add(1))
  const waiting = [bench.queue.run(bench.add(2)), bench.queue.runDeferred(bench.add(3))]
  // So that the deferred one waits as well.
  await Promise.resolve()
  bench.queue.end()
  bench.db.close()
  waiting.push(bench.queue.run(bench.add(4)), bench.queue.runDeferred(bench.add(5)))
  const [first] = await Promise.allSettled(waiting)
  expect(await outcomes(waiting)).toEqual(['rejected', 'rejected', 'rejected', 'rejected'])
  expect(first).toMatchObject({ reason: { code: 'unavailable' } })
  await turn()
  expect(bench.onDisk()).toEqual([1])
  expect(bench.failures).toEqual([])
})

describe('a unit that fails', () => {
  test('is rolled back alone, whatever it did before', async () => {
    const { queue, add, onDisk, commits, failures } = open()
    const half = () => {
      add(2)()
      throw new Error('half done')
    }
    const runs = [queue.run(add(1)), queue.run(half), queue.run(add(3))]
    expect(await outcomes(runs)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(onDisk()).toEqual([1, 3])
    expect(commits()).toBe(1)
    // Its own business: nothing is wrong with the database.
    expect(failures).toEqual([])
  })

  test('so badly that SQLite drops the transaction takes the group along: nobody is told of a success that is none', async () => {
    const { queue, db, add, onDisk, failures } = open()
    db.run(
      `CREATE TRIGGER drop_all BEFORE INSERT ON numbers WHEN new.value = 99 BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`,
    )
    const runs = [1, 99, 3].map((value) => queue.run(add(value)))
    expect(await outcomes(runs)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(onDisk()).toEqual([])
    expect(failures).toEqual([{ code: 'SQLITE_CONSTRAINT_TRIGGER', units: 3 }])
    await queue.run(add(4))
    expect(onDisk()).toEqual([4])
  })
})

test('a full queue refuses more, keeps what it has and takes new work when it is empty again', async () => {
  const { queue, add, onDisk } = open()
  const accepted = Array.from({ length: 20_000 }, () => queue.run(() => undefined))
  await expect(queue.run(add(1))).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 })
  await Promise.all(accepted)
  expect(onDisk()).toEqual([])
  await queue.run(add(2))
  expect(onDisk()).toEqual([2])
})

test('reading goes on between the groups of a long queue', async () => {
  const { queue, add, onDisk } = open()
  const runs = Promise.all(Array.from({ length: 1000 }, (_, n) => queue.run(add(n + 100))))
  await turn()
  const early = onDisk().length
  expect(early).toBeGreaterThan(0)
  expect(early).toBeLessThan(1000)
  await runs
})
