import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createBodyRoom } from '../../../src/http/body-room.ts'
import { readFormFile, readImportBody, receiveFile } from '../../../src/http/upload/import-body.ts'
import { FakeTimer } from '../../support/clock.ts'

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(Uint8Array.from(piece))
  return Buffer.concat(all).toString()
}

test('cancels a file that takes longer than 30 minutes', async () => {
  const timer = new FakeTimer()
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('the beginning')),
    cancel() {
      isCancelled = true
    },
  })
  const reading = textOf(receiveFile(body, timer.start))
  await timer.waited()
  timer.pass(30 * 60_000)
  await expect(reading).rejects.toMatchObject({ code: 'invalid_json', message: expect.stringContaining('30 minutes') })
  expect([isCancelled, timer.waiting]).toEqual([true, 0])
})

test('a client that disconnects is not an internal error', async () => {
  const body = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('connection reset')) })
  const timer = new FakeTimer()
  await expect(textOf(receiveFile(body, timer.start))).rejects.toMatchObject({ code: 'invalid_json' })
  expect(timer.waiting).toBe(0)
})

test('a request without a body is an empty file', async () => {
  expect(await textOf(receiveFile(null, new FakeTimer().start))).toBe('')
})

const FORM = 'multipart/form-data; boundary=xYz'

const formOf = (content: string, field = 'file') =>
  Buffer.from(`--xYz\r\nContent-Disposition: form-data; name="${field}"; filename="f"\r\n\r\n${content}\r\n--xYz--\r\n`)

/** A form whose body does not end; `cancelled` resolves when the reader cancels it. */
function endlessForm(field: string) {
  const cancelled = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(formOf('text', field)),
    cancel: () => cancelled.resolve(),
  })
  return { body, cancelled: cancelled.promise }
}

test('closing an unread file of a form cancels the body and its timer', async () => {
  const timer = new FakeTimer()
  const { body, cancelled } = endlessForm('file')
  const { close } = await readFormFile(receiveFile(body, timer.start), FORM, 'file')
  expect(timer.waiting).toBe(1)
  await close()
  await cancelled
  expect(timer.waiting).toBe(0)
})

test('a form without a file is cancelled', async () => {
  const { body, cancelled } = endlessForm('other')
  const room = createBodyRoom({ maxBytes: 100, timer: new FakeTimer().start })
  const request = new Request('http://pods.example/', { method: 'POST', headers: { 'content-type': FORM }, body })
  await expect(readImportBody(request, room, {})).rejects.toMatchObject({ code: 'validation_failed' })
  await cancelled
})

test('a file is the same for any division of its form into chunks', async () => {
  const content = fc.array(fc.constantFrom('\r\n', '--', '-', '\r', '\n', 'xYz', '\r\n--xY', 'text'), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(content, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (words, sizes) => {
      const file = words.join('').replaceAll('\r\n--xYz', '')
      const body = formOf(file)
      const pieces = (async function* () {
        for (let at = 0, n = 0; at < body.length; n++) {
          const size = sizes[n % sizes.length] ?? 1
          yield body.subarray(at, at + size)
          at += size
        }
      })()
      const received = await readFormFile(pieces, FORM, 'file')
      expect([received.name, await textOf(received.pieces)]).toEqual(['f', file])
    }),
  )
})
