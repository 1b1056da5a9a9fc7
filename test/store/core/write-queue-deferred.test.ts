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
    /** The sync levels that jobs of one group see. */
    levels: (...kinds: Kind[]) => Promise.all(kinds.map((kind) => run(kind, level))),
  }
}

describe('a group of jobs reaches the disk', () => {
  test.each<[string, Kind[], SyncLevel]>([
    ['at once if it is durable', ['durable'], 'FULL'],
    ['later if it is deferred', ['deferred'], 'NORMAL'],
    ['later if all jobs are deferred', ['deferred', 'deferred', 'deferred'], 'NORMAL'],
    ['at once if the first job is durable', ['durable', 'deferred', 'deferred'], 'FULL'],
    ['at once if the last job is durable', ['deferred', 'deferred', 'durable'], 'FULL'],
  ])('%s', async (_case, kinds, level) => {
    const { levels } = open()
    expect(await levels(...kinds)).toEqual(kinds.map(() => level))
    // Regardless of earlier groups.
    await levels('deferred')
    expect(await levels(...kinds)).toEqual(kinds.map(() => level))
    await levels('durable')
    expect(await levels(...kinds)).toEqual(kinds.map(() => level))
  })

  test('by its own jobs, if more wait than fit in one', async () => {
    const { levels } = open()
    const kinds: Kind[] = Array.from({ length: 300 }, (_, n) => (n === 200 ? 'durable' : 'deferred'))
    const seen = await levels(...kinds)
    expect([seen[127], seen[128], seen[255], seen[256]]).toEqual(['NORMAL', 'FULL', 'FULL', 'NORMAL'])
  })

  test('with the level set only when it changes', async () => {
    const { db, levels } = open()
    await levels('durable')
    using run = spyOn(db, 'run')
    for (const kind of ['durable', 'durable', 'deferred', 'deferred', 'deferred', 'durable', 'durable'] as const)
      await levels(kind)
    expect(run.mock.calls.map(([sql]) => sql)).toEqual(['PRAGMA synchronous = NORMAL', 'PRAGMA synchronous = FULL'])
  })
})

describe('a deferred job waits', () => {
  /** Opens a bench whose timers never fire. */
  function openWithoutTime() {
    const bench = open()
    const never = setTimeout(() => undefined, 1)
    clearTimeout(never)
    const timeout = spyOn(globalThis, 'setTimeout').mockReturnValue(never)
    return { ...bench, timeout, [Symbol.dispose]: () => timeout.mockRestore() }
  }

  test('for others, and is written with them', async () => {
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

  test('for five milliseconds, together with others', async () => {
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

  test('no longer than until the next durable job', async () => {
    using bench = openWithoutTime()
    const { queue, level, commits } = bench
    const early = queue.runDeferred(level)
    await turn()
    const late = queue.run(bench.add(1))
    expect(await early).toBe('FULL')
    await late
    expect(commits()).toBe(1)
  })

  test('not at all while the queue is to become idle', async () => {
    using bench = openWithoutTime()
    const { queue, add, onDisk } = bench
    void queue.runDeferred(add(1))
    const idle = queue.idle()
    void queue.runDeferred(add(2))
    await idle
    expect(onDisk()).toEqual([1, 2])
  })
})

describe('durable jobs remain durable after', () => {
  test('a deferred group whose transaction SQLite rolled back', async () => {
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
  ])('another process was writing while these were queued: %j', async ([first, second], level) => {
    const { run, other, level: current } = open()
    other.run('BEGIN IMMEDIATE')
    const early = run(first ?? 'deferred', current)
    await turn()
    await turn()
    const late = run(second ?? 'deferred', current)
    other.run('ROLLBACK')
    expect(await Promise.all([early, late])).toEqual([level, level])
  })

  test('reads of the same turn, which have their own transaction', async () => {
    const { db, snapshot, levels } = open()
    await levels('deferred')
    snapshot.use()
    expect(db.query('SELECT * FROM numbers').all()).toEqual([])
    expect(await levels('durable')).toEqual(['FULL'])
  })
})
