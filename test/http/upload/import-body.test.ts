import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { receiveFile } from '../../../src/http/upload/import-body.ts'
import { readFormFile } from '../../../src/http/upload/multipart.ts'
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
