import { describe, expect, test } from 'bun:test'
import { DomainError } from '../../../src/domain/shared/errors.ts'
import { createProcessSource, type ReadingLimits, type StartReader } from '../../../src/transfer/process/client.ts'
import type { ImportResponse } from '../../../src/transfer/process/protocol.ts'
import { FakeTimer } from '../../support/clock.ts'

const MINUTE = 60_000
const LIMITS: ReadingLimits = { recordMs: 10 * MINUTE, processorMs: 30_000, totalMs: 120 * MINUTE }
const TO_READ = { kind: 'archive', path: '/x', name: 'x' } as const
const PROGRESS: ImportResponse = { record: { kind: 'progress', done: 1 }, isLast: false }
const ENDED: ImportResponse = { isLast: true }

const sourceOf = (start: StartReader, timer: FakeTimer, limits: ReadingLimits) =>
  createProcessSource(start, timer.start, {
    ...{ what: 'the file', name: 'x', input: TO_READ, limits },
    tooLate: () => new DomainError('validation_failed', 'the file takes too long to read'),
  })

/** A process that follows the script: it responds, ends or stays silent. */
function scene(script: readonly (ImportResponse | 'SIGKILL' | 'SIGSEGV: low tide' | 'nothing')[], limits = LIMITS) {
  const timer = new FakeTimer()
  const abort = new AbortController()
  const calls: unknown[] = []
  const answers = [...script]
  const process = { processorMs: 0 }
  const start: StartReader = ({ onResponse, onEnd }) => ({
    send(request) {
      calls.push(request)
      const answer = answers.shift() ?? 'nothing'
      queueMicrotask(() => {
        if (typeof answer !== 'string') onResponse(answer)
        else if (answer !== 'nothing') onEnd(answer)
      })
    },
    processorMs: () => process.processorMs,
    kill: () => void calls.push('kill'),
  })
  const source = sourceOf(start, timer, limits)
  const records = source.records('7', abort.signal)
  return { timer, abort, calls, process, records, read: () => Array.fromAsync(records) }
}

test('records are requested one at a time, and then the process is killed', async () => {
  const settings = { kind: 'settings', scope: 'account', json: '{"a":1.0}' } as const
  const { calls, records, timer } = scene([{ record: settings, cursor: '8', isLast: false }, PROGRESS, ENDED])
  const read: string[] = []
  for await (const record of records) read.push(`${calls.length} ${JSON.stringify(record)}`)
  expect(read).toEqual([
    '1 {"record":{"kind":"settings","scope":"account","values":{"a":1.0}},"cursor":"8"}',
    '2 {"record":{"kind":"progress","done":1}}',
  ])
  expect(calls).toEqual([{ read: TO_READ, resumeFrom: '7' }, 'next', 'next', 'kill'])
  expect(timer.waiting).toBe(0)
})

const TOO_LARGE = { code: 'validation_failed', message: 'the file needs too much memory to read' }

const DAMAGED = { code: 'invalid_json', message: 'damaged' } as const
test.each<[string, Parameters<typeof scene>[0][number], object]>([
  ['an error of the source', DAMAGED, DAMAGED],
  ['a fault', { fault: 'a bug' }, { message: 'reading the file failed: a bug' }],
  ['a failed allocation', { isOutOfMemory: true }, TOO_LARGE],
  ['a kill by the memory guard', 'SIGKILL', TOO_LARGE],
  ['a crash', 'SIGSEGV: low tide', { message: 'the reader of an import ended: SIGSEGV: low tide' }],
])('%s ends the import and the process', async (_name, answer, error) => {
  const { calls, read, timer } = scene([PROGRESS, answer])
  await expect(read()).rejects.toMatchObject(error)
  expect([calls.at(-1), timer.waiting]).toEqual(['kill', 0])
})

describe('the process', () => {
  const LATE = { message: 'the file takes too long to read' }

  test('is killed when a record takes ten minutes', async () => {
    const { calls, records, timer } = scene([PROGRESS, 'nothing'])
    const reading = records[Symbol.asyncIterator]()
    await reading.next()
    const record = reading.next()
    timer.pass(10 * MINUTE)
    await expect(record).rejects.toMatchObject(LATE)
    expect(calls.at(-1)).toBe('kill')
  })

  test('is killed when it has used up its processor time, even between records', async () => {
    const { process, records, timer } = scene([PROGRESS, PROGRESS, PROGRESS])
    const reading = records[Symbol.asyncIterator]()
    await reading.next()
    process.processorMs = 29_990
    timer.pass(5000)
    await reading.next()
    process.processorMs = 30_000
    timer.pass(5000)
    await expect(reading.next()).rejects.toMatchObject(LATE)
  })

  test('is killed after two hours, even if records keep coming', async () => {
    const { records, timer } = scene(Array.from({ length: 20 }, () => PROGRESS))
    const reading = records[Symbol.asyncIterator]()
    for (let n = 0; n < 12; n++) {
      await reading.next()
      timer.pass(9 * MINUTE)
    }
    await reading.next()
    timer.pass(12 * MINUTE)
    await expect(reading.next()).rejects.toMatchObject(LATE)
  })

  test('is not killed while the server stores a record', async () => {
    const { records, timer } = scene([PROGRESS, PROGRESS])
    const reading = records[Symbol.asyncIterator]()
    await reading.next()
    timer.pass(11 * MINUTE)
    expect((await reading.next()).done).toBe(false)
  })

  test('is not killed during a long pause that another server asked for', async () => {
    const { read, timer, abort } = scene(['nothing'], { ...LIMITS, recordMs: undefined })
    const reading = read()
    await timer.waited()
    timer.pass(119 * MINUTE)
    abort.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
  })

  test('is killed when the import is cancelled', async () => {
    const { calls, read, timer, abort } = scene(['nothing'])
    const reading = read()
    await timer.waited()
    abort.abort(new Error('enough'))
    await expect(reading).rejects.toThrow('enough')
    expect([calls.at(-1), timer.waiting]).toEqual(['kill', 0])
  })
})

test('an import fails as unavailable if no process can be started', async () => {
  const error = Object.assign(new Error('too many open files'), { code: 'EMFILE' })
  const start: StartReader = () => {
    throw error
  }
  const timer = new FakeTimer()
  const source = sourceOf(start, timer, LIMITS)
  const reading = Array.fromAsync(source.records(undefined, new AbortController().signal))
  await expect(reading).rejects.toMatchObject({ code: 'unavailable', cause: error })
  expect(timer.waiting).toBe(0)
})
