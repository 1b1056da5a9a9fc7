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

test('a file that does not arrive in time is given up, and the rest is not read', async () => {
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

test('a client that goes away is no fault of the server', async () => {
  const body = new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error('connection reset')) })
  const timer = new FakeTimer()
  await expect(textOf(receiveFile(body, timer.start))).rejects.toMatchObject({ code: 'invalid_json' })
  expect(timer.waiting).toBe(0)
})

test('a request without a body is an empty file', async () => {
  expect(await textOf(receiveFile(null, new FakeTimer().start))).toBe('')
})

/** A form that goes on after what is here; tells when nobody wants the rest. */
function endlessForm(field: string) {
  const cancelled = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) =>
      controller.enqueue(
        Buffer.from(
          `--xYz\r\nContent-Disposition: form-data; name="${field}"; filename="f"\r\n\r\ntext\r\n--xYz--\r\n`,
        ),
      ),
    cancel: () => cancelled.resolve(),
  })
  return { body, cancelled: cancelled.promise }
}

const FORM = 'multipart/form-data; boundary=xYz'

test('a form whose file nobody reads waits for nothing, and keeps nothing', async () => {
  const timer = new FakeTimer()
  const { body, cancelled } = endlessForm('file')
  const { close } = await readFormFile(receiveFile(body, timer.start), FORM, 'file')
  expect(timer.waiting).toBe(1)
  await close()
  await cancelled
  expect(timer.waiting).toBe(0)
})

test('nor does one without a file', async () => {
  const { body, cancelled } = endlessForm('other')
  const room = createBodyRoom({ maxBytes: 100, timer: new FakeTimer().start })
  const request = new Request('http://pods.example/', { method: 'POST', headers: { 'content-type': FORM }, body })
  await expect(readImportBody(request, room, {})).rejects.toMatchObject({ code: 'validation_failed' })
  await cancelled
})

test('the file of a form is the same however its bytes arrive', async () => {
  const content = fc.array(fc.constantFrom('\r\n', '--', '-', '\r', '\n', 'xYz', '\r\n--xY', 'text'), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(content, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (words, sizes) => {
      const file = words.join('').replaceAll('\r\n--xYz', '')
      const body = Buffer.from(
        `--xYz\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${file}\r\n--xYz--\r\n`,
      )
      const pieces = (async function* () {
        for (let at = 0, n = 0; at < body.length; n++) {
          const size = sizes[n % sizes.length] ?? 1
          yield body.subarray(at, at + size)
          at += size
        }
      })()
      const received = await readFormFile(pieces, 'multipart/form-data; boundary=xYz', 'file')
      expect([received.name, await textOf(received.pieces)]).toEqual(['f', file])
    }),
  )
})
