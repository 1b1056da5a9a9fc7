import { describe, expect, mock, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { type CheckpointRequest, createCheckpointer } from '../../../src/store/sqlite/core/checkpointer.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { queueBenches, turn } from './queue-bench.ts'

const PAGE = 4096

const benches = queueBenches()

const script = (source: string) => new Worker(URL.createObjectURL(new Blob([source])))
const realWorker = () =>
  new Worker(new URL('../../../src/store/sqlite/core/checkpoint-worker.ts', import.meta.url).href)
/** Does nothing and says so when it is told to. */
const heldWorker = () => script(`self.onmessage = ({ data }) => { if (data === 'go on') postMessage(undefined) }`)

function open(startWorker = realWorker) {
  const dir = benches.dirs.make()
  const orders: CheckpointRequest['action'][] = []
  const workers: Worker[] = []
  const bench = benches.open(dir, () => {
    const worker = startWorker()
    const post = worker.postMessage.bind(worker)
    worker.postMessage = (message: CheckpointRequest | 'go on') => {
      if (message !== 'go on') orders.push(message.action)
      post(message)
    }
    workers.push(worker)
    return worker
  })
  const { queue, db } = bench
  const insert = db.prepare<undefined, [number]>('INSERT INTO numbers (value, ballast) VALUES (1, zeroblob(?1))')
  return {
    ...bench,
    orders,
    workers,
    /** Kilobytes that are to be had again. */
    writeDeferred: (kilobytes: number) => queue.runDeferred(() => void insert.run(kilobytes * 1024)),
    write: (kilobytes: number) => queue.run(() => void insert.run(kilobytes * 1024)),
    rows: () => db.query<{ n: number }, []>('SELECT COUNT(*) AS n FROM numbers').get()?.n,
    /** Pages in the log that the database file does not have. */
    pending() {
      const state = db.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').get()
      return (state?.log ?? 0) - (state?.checkpointed ?? 0)
    },
    logSize: () => statSync(join(dir, 'bench.db-wal')).size / PAGE,
    fileSize: () => statSync(join(dir, 'bench.db')).size / PAGE,
  }
}

test('a server that stops waits for the thread while there is something to do, and no longer', async () => {
  const held: string[] = []
  const scene = open(() => {
    const worker = realWorker()
    for (const method of ['ref', 'unref'] as const) {
      const original = worker[method].bind(worker)
      worker[method] = () => {
        held.push(method)
        original()
      }
    }
    return worker
  })
  await scene.writeDeferred(800)
  await scene.queue.idle()
  // It begins without being waited for.
  expect(held.slice(0, 2)).toEqual(['unref', 'ref'])
  expect(held.at(-1)).toBe('unref')
})

describe('the log', () => {
  test('is left alone while it is short', async () => {
    const { write, workers } = open()
    for (let n = 0; n < 5; n++) await write(100)
    expect(workers).toHaveLength(0)
  })

  test('is moved by the thread when it is long, and starts over', async () => {
    const { queue, write, writeDeferred, orders, pending, logSize, fileSize, rows } = open()
    await write(4100)
    await queue.idle()
    expect(orders).toEqual(['move'])
    expect(pending()).toBe(0)
    expect(fileSize()).toBeGreaterThan(1000)
    for (let n = 0; n < 150; n++) await writeDeferred(100)
    await queue.idle()
    expect(orders.filter((what) => what === 'move').length).toBeGreaterThan(2)
    expect(logSize()).toBeLessThan(2500)
    expect(rows()).toBe(151)
  })

  test('is short in the end however changes come that are not held up', async () => {
    const { queue, write, logSize } = open()
    for (let n = 0; n < 200; n++) await write(100)
    await queue.idle()
    await write(1)
    await write(1)
    expect(logSize()).toBeLessThan(6000)
  })

  test('reaches the disk every hundred pages or so when nothing is acknowledged', async () => {
    const { writeDeferred, orders } = open()
    for (let n = 0; n < 10; n++) await writeDeferred(100)
    expect(orders.length).toBeWithin(1, 4)
    expect(new Set(orders)).toEqual(new Set(['flush']))
  })

  test('of a database in memory is none', () => {
    const start = mock(realWorker)
    const indexer = createCheckpointer(openMemoryDatabase(), start)
    indexer.committed(false)
    expect(start).not.toHaveBeenCalled()
    expect(indexer.hasPending()).toBe(false)
  })
})

describe('while the disk is behind', () => {
  test('what is deferred waits and the queue is not idle, but what is to be acknowledged goes on', async () => {
    const { queue, writeDeferred, write, workers, rows } = open(heldWorker)
    await writeDeferred(500)
    const over: string[] = []
    const waiting = [writeDeferred(1).then(() => over.push('written')), queue.idle().then(() => over.push('idle'))]
    await write(1)
    await write(1)
    expect(rows()).toBe(3)
    for (let n = 0; n < 5; n++) await turn()
    expect(over).toEqual([])
    workers[0]?.postMessage('go on')
    await Promise.all(waiting)
    expect(rows()).toBe(4)
  })
})

describe('everything goes on', () => {
  test('when the thread cannot do it', async () => {
    const { queue, writeDeferred, orders, rows } = open(() =>
      script(`self.onmessage = () => postMessage('disk I/O error')`),
    )
    for (let n = 0; n < 60; n++) await writeDeferred(100)
    await queue.idle()
    expect(rows()).toBe(60)
    expect(orders.length).toBeGreaterThan(2)
  })

  test.each([
    ['dies', `self.onmessage = () => { throw new Error('low tide') }`],
    ['leaves', 'self.onmessage = () => process.exit(0)'],
    ['cannot begin', `throw new Error('no memory')`],
  ])('as without a thread, when it %s', async (_case, source) => {
    const { queue, writeDeferred, workers, rows, pending, db } = open(() => script(source))
    for (let n = 0; n < 60; n++) await writeDeferred(100)
    await queue.idle()
    expect(rows()).toBe(60)
    expect(workers).toHaveLength(1)
    // As SQLite does it by itself.
    expect(db.prepare('PRAGMA wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: 1000 })
    expect(pending()).toBeLessThan(1000)
  })

  test('when another process is moving the log', async () => {
    const { other, queue, write, rows } = open()
    other.run('BEGIN')
    other.query('SELECT * FROM numbers').all()
    for (let n = 0; n < 60; n++) await write(100)
    await queue.idle()
    other.run('COMMIT')
    await write(1)
    expect(rows()).toBe(61)
  })
})
