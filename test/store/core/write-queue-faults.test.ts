import { describe, expect, spyOn, test } from 'bun:test'
import { createWriteQueue } from '../../../src/store/sqlite/core/write-queue.ts'
import { queueBenches, turn } from './queue-bench.ts'

const { open } = queueBenches()

const unavailable = { name: 'DomainError', code: 'unavailable', retryAfter: 10 }

async function expectUnavailable(...runs: Promise<void>[]): Promise<void> {
  const refused = { status: 'rejected', reason: unavailable }
  expect(await Promise.allSettled(runs)).toMatchObject(runs.map(() => refused))
}

describe('while another process is writing', () => {
  test('units wait, reads go on, and then everything is written', async () => {
    const { queue, db, other, add, onDisk, failures } = open()
    await queue.run(add(1))
    other.run('BEGIN IMMEDIATE')
    other.run('INSERT INTO numbers (value) VALUES (2)')
    let settled = false
    const waiting = queue.run(add(3)).finally(() => {
      settled = true
    })
    // Each turn the queue has tried in vain, or the event loop would not have come back here.
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

  test('the queue gives up in the end, says so once, and starts afresh', async () => {
    const { queue, db, other, add, onDisk, failures } = open()
    // The tries take ten seconds; without their pauses a moment.
    db.run('PRAGMA busy_timeout = 0')
    const atOnce = (callback: () => void) => setImmediate(callback)
    using pauses = spyOn(globalThis, 'setTimeout').mockImplementation(atOnce as never)
    other.run('BEGIN IMMEDIATE')
    await expectUnavailable(queue.run(add(1)), queue.run(add(2)))
    await queue.idle()
    expect(failures).toEqual([{ code: 'SQLITE_BUSY', units: 2 }])
    expect(pauses.mock.calls.length).toBeGreaterThan(100)

    const patient = queue.run(add(3))
    await turn()
    await turn()
    other.run('ROLLBACK')
    await patient
    expect(onDisk()).toEqual([3])
  })
})

describe('a database that can grow no more', () => {
  // SQLite itself rolls back the whole transaction then, so the rest of the group has to come again too.
  test('refuses what does not fit with its whole group, half-written nothing, and takes it once there is room', async () => {
    const { queue, db, add, onDisk, failures } = open()
    const { page_count } = db.query<{ page_count: number }, []>('PRAGMA page_count').get() ?? { page_count: 0 }
    db.run(`PRAGMA max_page_count = ${page_count}`)
    const large = () => {
      add(2)()
      db.run('INSERT INTO numbers (value, ballast) VALUES (3, zeroblob(100000))')
    }
    await expectUnavailable(queue.run(add(1)), queue.run(large), queue.run(add(4)))
    expect(onDisk()).toEqual([])
    expect(failures).toEqual([{ code: 'SQLITE_FULL', units: 3 }])
    await queue.run(add(1))

    db.run('PRAGMA max_page_count = 1000000')
    await queue.run(large)
    expect(onDisk()).toEqual([1, 2, 3])
  })
})

test('groups that cannot be written are told once, and once that it is over', async () => {
  const { db, snapshot, add } = open()
  const told: string[] = []
  const queue = createWriteQueue(db, snapshot, {
    onFailure: () => told.push('failed'),
    onRecovery: () => told.push('written'),
  })
  const { page_count } = db.query<{ page_count: number }, []>('PRAGMA page_count').get() ?? { page_count: 0 }
  const large = () => void db.run('INSERT INTO numbers (value, ballast) VALUES (3, zeroblob(100000))')
  for (let night = 0; night < 2; night++) {
    db.run(`PRAGMA max_page_count = ${page_count}`)
    for (let n = 0; n < 3; n++) await expectUnavailable(queue.run(large))
    db.run('PRAGMA max_page_count = 1000000')
    for (let n = 0; n < 3; n++) await queue.run(add(n))
  }
  expect(told).toEqual(['failed', 'written', 'failed', 'written'])
})

test('after a failure a commit that writes nothing does not say that the disk takes changes again', async () => {
  const { db, snapshot, add } = open()
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
  const queue = createWriteQueue(db, snapshot, { state })
  await queue.run(() => undefined)
  const { page_count } = db.query<{ page_count: number }, []>('PRAGMA page_count').get() ?? { page_count: 0 }
  db.run(`PRAGMA max_page_count = ${page_count}`)
  const large = () => void db.run('INSERT INTO numbers (value, ballast) VALUES (3, zeroblob(100000))')
  await expectUnavailable(queue.run(large))
  await queue.run(() => undefined)
  expect(noted).toEqual(['written', 'failed'])
  await queue.run(add(1))
  expect(noted).toEqual(['written', 'failed', 'written'])
})
