import { describe, expect, spyOn, test } from 'bun:test'
import { createWriteQueue } from '../../../src/store/sqlite/core/write-queue.ts'
import { queueBenches, turn } from './queue-bench.ts'

const { open } = queueBenches()

const unavailable = { name: 'DomainError', code: 'unavailable', retryAfter: 10 }

async function expectUnavailable(...runs: Promise<void>[]): Promise<void> {
  const refused = { status: 'rejected', reason: unavailable }
  expect(await Promise.allSettled(runs)).toMatchObject(runs.map(() => refused))
}

/** A disk that can be full, and a job that does not fit then. */
function diskOf({ db }: ReturnType<typeof open>) {
  const [n] = db.prepare<number[], []>('PRAGMA page_count').values()[0] ?? []
  return {
    setFull: (isFull: boolean) => db.run(`PRAGMA max_page_count = ${isFull ? n : 1_000_000}`),
    large: () => void db.run('INSERT INTO numbers (value, ballast) VALUES (3, zeroblob(100000))'),
  }
}

describe('while another process is writing', () => {
  test('jobs wait and reads go on', async () => {
    const { queue, db, other, add, onDisk, failures } = open()
    await queue.run(add(1))
    other.run('BEGIN IMMEDIATE')
    other.run('INSERT INTO numbers (value) VALUES (2)')
    let settled = false
    const waiting = queue.run(add(3)).finally(() => {
      settled = true
    })
    // The queue has tried in vain in each of these turns.
    for (let n = 0; n < 4; n++) {
      await turn()
      expect(db.query<{ value: number }, []>('SELECT value FROM numbers').all()).toEqual([{ value: 1 }])
    }
    expect(settled).toBe(false)
    other.run('COMMIT')
    await waiting
    expect(onDisk()).toEqual([1, 2, 3])
    expect(failures).toEqual([])
  })

  test('the queue finally gives up, reports it once, and accepts new jobs', async () => {
    const { queue, db, other, add, onDisk, failures } = open()
    // The attempts take ten seconds, but no time without their pauses.
    db.run('PRAGMA busy_timeout = 0')
    const atOnce = (callback: () => void) => setImmediate(callback)
    using pauses = spyOn(globalThis, 'setTimeout').mockImplementation(atOnce as never)
    other.run('BEGIN IMMEDIATE')
    await expectUnavailable(queue.run(add(1)), queue.run(add(2)))
    await queue.idle()
    expect(failures).toEqual([{ code: 'SQLITE_BUSY', jobs: 2 }])
    expect(pauses.mock.calls.length).toBeGreaterThan(100)

    const patient = queue.run(add(3))
    await turn()
    await turn()
    other.run('ROLLBACK')
    await patient
    expect(onDisk()).toEqual([3])
  })
})

// SQLite rolls back the whole transaction, so all jobs of the group fail.
test('a full disk refuses a whole group, until there is room', async () => {
  const bench = open()
  const { queue, add, onDisk, failures } = bench
  const { setFull, large } = diskOf(bench)
  setFull(true)
  const two = () => {
    add(2)()
    large()
  }
  await expectUnavailable(queue.run(add(1)), queue.run(two), queue.run(add(4)))
  expect(onDisk()).toEqual([])
  expect(failures).toEqual([{ code: 'SQLITE_FULL', jobs: 3 }])
  await queue.run(add(1))
  setFull(false)
  await queue.run(two)
  expect(onDisk()).toEqual([1, 2, 3])
})

test('a series of failed writes is reported once, and so is its end', async () => {
  const bench = open()
  const { setFull, large } = diskOf(bench)
  const reports: string[] = []
  const queue = createWriteQueue(bench.db, bench.snapshot, {
    onFailure: () => reports.push('failed'),
    onRecovery: () => reports.push('written'),
  })
  for (let night = 0; night < 2; night++) {
    setFull(true)
    for (let n = 0; n < 3; n++) await expectUnavailable(queue.run(large))
    setFull(false)
    for (let n = 0; n < 3; n++) await queue.run(bench.add(n))
  }
  expect(reports).toEqual(['failed', 'written', 'failed', 'written'])
})

test('an empty commit does not count as a recovery from a failure', async () => {
  const bench = open()
  const { setFull, large } = diskOf(bench)
  const noted: string[] = []
  const state = {
    isRefusing: false,
    refusal: () => undefined,
    hasFailedWrite: false,
    noteWrite: (error?: unknown) => {
      state.hasFailedWrite = error !== undefined
      noted.push(error === undefined ? 'written' : 'failed')
    },
  }
  const queue = createWriteQueue(bench.db, bench.snapshot, { state })
  await queue.run(() => undefined)
  setFull(true)
  await expectUnavailable(queue.run(large))
  await queue.run(() => undefined)
  expect(noted).toEqual(['written', 'failed'])
  await queue.run(bench.add(1))
  expect(noted).toEqual(['written', 'failed', 'written'])
})
