import { expect, test } from 'bun:test'
import { createFileSource } from '../../src/transfer/files/file-source.ts'
import type { FileResponse } from '../../src/transfer/files/file-worker.ts'
import { FakeTimer } from '../support/clock.ts'

const ENDED: FileResponse = { isLast: true }

/** A thread that answers by the script: a response, an error of the thread, its end, or nothing. */
function scene(script: readonly (FileResponse | 'error' | 'close' | 'nothing')[]) {
  const timer = new FakeTimer()
  const abort = new AbortController()
  const calls: unknown[] = []
  const answers = [...script]
  let onClose: () => void = () => undefined
  const worker = {
    onmessage: (_event: { data: FileResponse }) => undefined,
    onerror: (_event: { message: string }) => undefined,
    addEventListener: (_type: 'close', handle: () => void) => {
      onClose = handle
    },
    postMessage(request: unknown) {
      calls.push(request)
      const answer = answers.shift() ?? 'nothing'
      queueMicrotask(() => {
        if (answer === 'error') worker.onerror({ message: 'out of memory' })
        else if (answer === 'close') onClose()
        else if (answer !== 'nothing') worker.onmessage({ data: answer })
      })
    },
    terminate: () => void calls.push('terminate'),
  }
  const source = createFileSource(
    { startWorker: () => worker as unknown as Worker, timer: timer.start },
    { kind: 'archive', path: '/x', name: 'x' },
  )
  return { timer, abort, calls, reading: Array.fromAsync(source.records('7', abort.signal)) }
}

test('records are asked for one after the other, and the thread is ended', async () => {
  const { calls, reading } = scene([
    { record: { kind: 'settings', scope: 'account', json: '{"a":1.0}' }, cursor: '8', isLast: false },
    { record: { kind: 'progress', done: 1 }, isLast: false },
    ENDED,
  ])
  const records = await reading
  expect(JSON.stringify(records)).toBe(
    '[{"record":{"kind":"settings","scope":"account","values":{"a":1.0}},"cursor":"8"},{"record":{"kind":"progress","done":1}}]',
  )
  const request = { kind: 'archive', path: '/x', name: 'x', resumeFrom: '7' }
  expect(calls).toEqual([request, 'next', 'next', 'terminate'])
})

test.each<[string, Parameters<typeof scene>[0][number], object]>([
  ['what is wrong with the file', { code: 'invalid_json', message: 'damaged' }, { code: 'invalid_json' }],
  ['a fault', { failure: 'a bug' }, { message: 'reading the file failed: a bug' }],
  ['an error of the thread', 'error', { message: expect.stringContaining('out of memory') }],
  ['the end of the thread', 'close', { message: expect.stringContaining('has ended') }],
])('%s ends the reading, and the thread', async (_name, answer, error) => {
  const { calls, reading, timer } = scene([answer])
  await expect(reading).rejects.toMatchObject(error)
  expect([calls.at(-1), timer.waiting]).toEqual(['terminate', 0])
})

test('a thread that is silent for ten minutes is ended', async () => {
  const { calls, reading, timer } = scene(['nothing'])
  await timer.waited()
  timer.pass(10 * 60_000)
  await expect(reading).rejects.toMatchObject({ code: 'validation_failed' })
  expect(calls.at(-1)).toBe('terminate')
})

test('nobody waits for a thread whose records nobody wants', async () => {
  const { calls, reading, timer, abort } = scene(['nothing'])
  await timer.waited()
  abort.abort(new Error('enough'))
  await expect(reading).rejects.toThrow('enough')
  expect(calls.at(-1)).toBe('terminate')
})
