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
/** Does nothing, and responds when told to go on. */
const heldWorker = () => script(`self.onmessage = ({ data }) => { if (data === 'go on') postMessage(undefined) }`)

function open(startWorker = realWorker) {
  const dir = benches.dirs.make()
  const requests: CheckpointRequest['action'][] = []
  const workers: Worker[] = []
  const bench = benches.open(dir, () => {
    const worker = startWorker()
    const post = worker.postMessage.bind(worker)
    worker.postMessage = (message: CheckpointRequest | 'go on') => {
      if (message !== 'go on') requests.push(message.action)
      post(message)
    }
    workers.push(worker)
    return worker
  })
  const { queue, db } = bench
  const insert = db.prepare<undefined, [number]>('INSERT INTO numbers (value, ballast) VALUES (1, zeroblob(?1))')
  return {
    ...bench,
    requests,
    workers,
    /** Writes some kilobytes as a deferred write. */
    writeDeferred: (kilobytes: number) => queue.runDeferred(() => void insert.run(kilobytes * 1024)),
    write: (kilobytes: number) => queue.run(() => void insert.run(kilobytes * 1024)),
    rows: () => db.query<{ n: number }, []>('SELECT COUNT(*) AS n FROM numbers').get()?.n,
    /** Pages in the log that are missing in the database file. */
    pending() {
      const state = db.query<{ log: number; checkpointed: number }, []>('PRAGMA wal_checkpoint(NOOP)').get()
      return (state?.log ?? 0) - (state?.checkpointed ?? 0)
    },
    logSize: () => statSync(join(dir, 'bench.db-wal')).size / PAGE,
    fileSize: () => statSync(join(dir, 'bench.db')).size / PAGE,
  }
}

test('a stopping server waits for the checkpoint worker only while it is busy', async () => {
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
  // At first the process does not wait for it.
  expect(held.slice(0, 2)).toEqual(['unref', 'ref'])
  expect(held.at(-1)).toBe('unref')
})

describe('the log', () => {
  test('is not moved while it is short', async () => {
    const { write, workers } = open()
    for (let n = 0; n < 5; n++) await write(100)
    expect(workers).toHaveLength(0)
  })

  test('is moved by the worker when it is long, and starts over', async () => {
    const { queue, write, writeDeferred, requests, pending, logSize, fileSize, rows } = open()
    await write(4100)
    await queue.idle()
    expect(requests).toEqual(['move'])
    expect(pending()).toBe(0)
    expect(fileSize()).toBeGreaterThan(1000)
    for (let n = 0; n < 150; n++) await writeDeferred(100)
    await queue.idle()
    expect(requests.filter((action) => action === 'move').length).toBeGreaterThan(2)
    expect(logSize()).toBeLessThan(2500)
    expect(rows()).toBe(151)
  })

  test('is short after many durable writes', async () => {
    const { queue, write, logSize } = open()
    for (let n = 0; n < 200; n++) await write(100)
    await queue.idle()
    await write(1)
    await write(1)
    expect(logSize()).toBeLessThan(6000)
  })

  test('is flushed about every hundred pages of deferred writes', async () => {
    const { writeDeferred, requests } = open()
    for (let n = 0; n < 10; n++) await writeDeferred(100)
    expect(requests.length).toBeWithin(1, 4)
    expect(new Set(requests)).toEqual(new Set(['flush']))
  })

  test('does not exist for a database in memory', () => {
    const start = mock(realWorker)
    const checkpointer = createCheckpointer(openMemoryDatabase(), start)
    checkpointer.committed(false)
    expect(start).not.toHaveBeenCalled()
    expect(checkpointer.hasPending()).toBe(false)
  })
})

test('while a flush takes long, deferred writes wait and durable ones go on', async () => {
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

describe('writes go on', () => {
  test('if a checkpoint fails', async () => {
    const { queue, writeDeferred, requests, rows } = open(() =>
      script(`self.onmessage = () => postMessage('disk I/O error')`),
    )
    for (let n = 0; n < 60; n++) await writeDeferred(100)
    await queue.idle()
    expect(rows()).toBe(60)
    expect(requests.length).toBeGreaterThan(2)
  })

  test.each([
    ['throws', `self.onmessage = () => { throw new Error('low tide') }`],
    ['exits', 'self.onmessage = () => process.exit(0)'],
    ['cannot start', `throw new Error('no memory')`],
  ])('without a worker if it %s', async (_case, source) => {
    const { queue, writeDeferred, workers, rows, pending, db } = open(() => script(source))
    for (let n = 0; n < 60; n++) await writeDeferred(100)
    await queue.idle()
    expect(rows()).toBe(60)
    expect(workers).toHaveLength(1)
    // SQLite makes checkpoints itself again.
    expect(db.prepare('PRAGMA wal_autocheckpoint').get()).toEqual({ wal_autocheckpoint: 1000 })
    expect(pending()).toBeLessThan(1000)
  })

  test('while another process reads from the log', async () => {
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
