import { describe, expect, test } from 'bun:test'
import { queueBenches, turn } from './queue-bench.ts'

const { open } = queueBenches()

const outcomes = async (promises: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(promises)).map(({ status }) => status)

test('jobs of one turn share a commit, up to a limit, in order', async () => {
  const { queue, add, onDisk, commits } = open()
  await Promise.all([1, 2, 3].map((value) => queue.run(add(value))))
  expect(commits()).toBe(1)
  const values = Array.from({ length: 300 }, (_, n) => n + 100)
  await Promise.all(values.map((value) => queue.run(add(value))))
  expect(onDisk()).toEqual([1, 2, 3, ...values])
  expect(commits()).toBe(4)
})

describe('settling', () => {
  test('gives each job its own result, in order', async () => {
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

  test('waits until the change is visible to other processes', async () => {
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

  test('precedes idle', async () => {
    const { queue, add, onDisk } = open()
    await queue.idle()
    for (let value = 100; value < 400; value++) void queue.run(add(value))
    await queue.idle()
    expect(onDisk()).toHaveLength(300)
  })
})

test('after its end the queue refuses waiting and new jobs, and does not use the database', async () => {
  const bench = open()
  await bench.queue.run(bench.add(1))
  const waiting = [bench.queue.run(bench.add(2)), bench.queue.runDeferred(bench.add(3))]
  // Lets the deferred job start waiting.
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

describe('a failing job', () => {
  test('is rolled back without the others', async () => {
    const { queue, add, onDisk, commits, failures } = open()
    const half = () => {
      add(2)()
      throw new Error('half done')
    }
    const runs = [queue.run(add(1)), queue.run(half), queue.run(add(3))]
    expect(await outcomes(runs)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(onDisk()).toEqual([1, 3])
    expect(commits()).toBe(1)
    // The database itself has no problem.
    expect(failures).toEqual([])
  })

  test('fails its whole group if SQLite rolled back the transaction', async () => {
    const { queue, db, add, onDisk, failures } = open()
    db.run(
      `CREATE TRIGGER drop_all BEFORE INSERT ON numbers WHEN new.value = 99 BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`,
    )
    const runs = [1, 99, 3].map((value) => queue.run(add(value)))
    expect(await outcomes(runs)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(onDisk()).toEqual([])
    expect(failures).toEqual([{ code: 'SQLITE_CONSTRAINT_TRIGGER', jobs: 3 }])
    await queue.run(add(4))
    expect(onDisk()).toEqual([4])
  })
})

test('a full queue refuses more jobs, keeps those it has, and recovers', async () => {
  const { queue, add, onDisk } = open()
  const accepted = Array.from({ length: 20_000 }, () => queue.run(() => undefined))
  await expect(queue.run(add(1))).rejects.toMatchObject({ code: 'unavailable', retryAfter: 5 })
  await Promise.all(accepted)
  expect(onDisk()).toEqual([])
  await queue.run(add(2))
  expect(onDisk()).toEqual([2])
})

test('reads go on between the groups of a long queue', async () => {
  const { queue, add, onDisk } = open()
  const runs = Promise.all(Array.from({ length: 1000 }, (_, n) => queue.run(add(n + 100))))
  await turn()
  const early = onDisk().length
  expect(early).toBeGreaterThan(0)
  expect(early).toBeLessThan(1000)
  await runs
})
