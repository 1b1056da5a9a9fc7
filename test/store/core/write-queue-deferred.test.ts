import { describe, expect, spyOn, test } from 'bun:test'
import { queueBenches, type SyncLevel, turn } from './queue-bench.ts'

const benches = queueBenches()

type Kind = 'deferred' | 'durable'

function open() {
  const bench = benches.open()
  const { queue, level } = bench
  const run = <T>(kind: Kind, work: () => T extends PromiseLike<unknown> ? never : T) =>
    kind === 'deferred' ? queue.runDeferred(work) : queue.run(work)
  return {
    ...bench,
    run,
    /** How jobs that come together reach the disk, each as it sees it. */
    levels: (...kinds: Kind[]) => Promise.all(kinds.map((kind) => run(kind, level))),
  }
}

describe('a group of jobs reaches the disk', () => {
  test.each<[string, Kind[], SyncLevel]>([
    ['before it is acknowledged if it is durable', ['durable'], 'FULL'],
    ['some time if it is deferred', ['deferred'], 'NORMAL'],
    ['some time if all of it is deferred', ['deferred', 'deferred', 'deferred'], 'NORMAL'],
    ['before it is acknowledged if the first is durable', ['durable', 'deferred', 'deferred'], 'FULL'],
    ['before it is acknowledged if the last is durable', ['deferred', 'deferred', 'durable'], 'FULL'],
  ])('%s', async (_case, kinds, level) => {
    const { levels } = open()
    expect(await levels(...kinds)).toEqual(kinds.map(() => level))
    // Whatever has been before.
    await levels('deferred')
    expect(await levels(...kinds)).toEqual(kinds.map(() => level))
    await levels('durable')
    expect(await levels(...kinds)).toEqual(kinds.map(() => level))
  })

  test('as it is made up, when more wait than fit in one', async () => {
    const { levels } = open()
    const kinds: Kind[] = Array.from({ length: 300 }, (_, n) => (n === 200 ? 'durable' : 'deferred'))
    const seen = await levels(...kinds)
    expect([seen[127], seen[128], seen[255], seen[256]]).toEqual(['NORMAL', 'FULL', 'FULL', 'NORMAL'])
  })

  test('in a way that is set when it becomes another, and not for each group', async () => {
    const { db, levels } = open()
    await levels('durable')
    using run = spyOn(db, 'run')
    for (const kind of ['durable', 'durable', 'deferred', 'deferred', 'deferred', 'durable', 'durable'] as const)
      await levels(kind)
    expect(run.mock.calls.map(([sql]) => sql)).toEqual(['PRAGMA synchronous = NORMAL', 'PRAGMA synchronous = FULL'])
  })
})

describe('a deferred job waits for company', () => {
  /** The time for which it waits does not pass by itself. */
  function openWithoutTime() {
    const bench = open()
    const never = setTimeout(() => undefined, 1)
    clearTimeout(never)
    const timeout = spyOn(globalThis, 'setTimeout').mockReturnValue(never)
    return { ...bench, timeout, [Symbol.dispose]: () => timeout.mockRestore() }
  }

  test('and is written with those that come soon after', async () => {
    const { queue, add, onDisk, commits } = open()
    const written: Promise<void>[] = []
    for (const value of [1, 2, 3]) {
      written.push(queue.runDeferred(add(value)))
      await turn()
    }
    await Promise.all(written)
    expect(onDisk()).toEqual([1, 2, 3])
    expect(commits()).toBe(1)
  })

  test('for five milliseconds, once for all', async () => {
    using bench = openWithoutTime()
    const { queue, add, onDisk, timeout } = bench
    void queue.runDeferred(add(1))
    void queue.runDeferred(add(2))
    for (let n = 0; n < 5; n++) await turn()
    expect(onDisk()).toEqual([])
    expect(timeout.mock.calls.map(([, ms]) => ms)).toEqual([5])
    timeout.mock.calls[0]?.[0]()
    await turn()
    expect(onDisk()).toEqual([1, 2])
    void queue.runDeferred(add(3))
    expect(timeout).toHaveBeenCalledTimes(2)
  })

  test('and is taken along by an acknowledged one', async () => {
    using bench = openWithoutTime()
    const { queue, level, commits } = bench
    const early = queue.runDeferred(level)
    await turn()
    const late = queue.run(bench.add(1))
    expect(await early).toBe('FULL')
    await late
    expect(commits()).toBe(1)
  })

  test('but not while somebody waits for the queue to be idle', async () => {
    using bench = openWithoutTime()
    const { queue, add, onDisk } = bench
    void queue.runDeferred(add(1))
    const idle = queue.idle()
    void queue.runDeferred(add(2))
    await idle
    expect(onDisk()).toEqual([1, 2])
  })
})

describe('what is durable stays so after', () => {
  test('a deferred group of which SQLite drops the transaction', async () => {
    const { db, run, add, levels, onDisk } = open()
    db.run(
      `CREATE TRIGGER drop_all BEFORE INSERT ON numbers WHEN new.value = 99 BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`,
    )
    const settled = await Promise.allSettled([run('deferred', add(1)), run('deferred', add(99))])
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await levels('durable')).toEqual(['FULL'])
    expect(await levels('deferred')).toEqual(['NORMAL'])
    expect(onDisk()).toEqual([])
  })

  test('a durable group that could not be written', async () => {
    const { db, run, add, levels } = open()
    await levels('deferred')
    db.run('PRAGMA query_only = ON')
    const [refused] = await Promise.allSettled([run('durable', add(1))])
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
    db.run('PRAGMA query_only = OFF')
    expect(await levels('durable')).toEqual(['FULL'])
    expect(await levels('deferred')).toEqual(['NORMAL'])
  })

  test.each<[Kind[], SyncLevel]>([
    [['deferred', 'durable'], 'FULL'],
    [['durable', 'deferred'], 'FULL'],
    [['deferred', 'deferred'], 'NORMAL'],
  ])('another process was writing while jobs came: %j', async ([first, second], level) => {
    const { run, other, level: current } = open()
    other.run('BEGIN IMMEDIATE')
    const early = run(first ?? 'deferred', current)
    await turn()
    await turn()
    const late = run(second ?? 'deferred', current)
    other.run('ROLLBACK')
    expect(await Promise.all([early, late])).toEqual([level, level])
  })

  test('reads of the same turn, which have a transaction of their own', async () => {
    const { db, snapshot, levels } = open()
    await levels('deferred')
    snapshot.use()
    expect(db.query('SELECT * FROM numbers').all()).toEqual([])
    expect(await levels('durable')).toEqual(['FULL'])
  })
})
