import { describe, expect, test } from 'bun:test'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { startTestApp } from '../support/app.ts'
import { type Answer, type CallOptions, signUp } from '../support/client.ts'

const PATH = '/api/2/subscriptions/ida/phone.json'
const FEED = 'https://feeds.example/a'
const UPLOAD = JSON.stringify({ add: [FEED] })
const MIB = 1024 * 1024

/** Sends `body` as an upload of changes; tells the answer and what the device then has. */
async function upload(body: CallOptions['body'], headers: Record<string, string> = {}) {
  const ida = await signUp(startTestApp())
  const answer = await ida.post(PATH, body, { headers })
  const list = await ida.get('/subscriptions/ida/phone.txt')
  return { answer, stored: list.status === 200 ? list.text : '' }
}

function expectRefused({ answer, stored }: { answer: Answer; stored: string }, status: number, error: string): void {
  expect([answer.status, answer.json]).toMatchObject([status, { code: status, error }])
  expect(stored).toBe('')
}

describe('a JSON body is JSON whatever its label says (D5)', () => {
  const labels = [
    'application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain',
    'application/octet-stream',
    'text/html; charset=iso-8859-1',
    'nonsense',
  ]

  test.each(labels)('%s', async (label) => {
    const { answer, stored } = await upload(UPLOAD, { 'content-type': label })
    expect([answer.status, stored]).toEqual([200, `${FEED}\n`])
  })
})

describe('compressed bodies (D6)', () => {
  const codings: [string, (text: string) => Uint8Array][] = [
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['identity', (text) => new TextEncoder().encode(text)],
  ]

  test.each(codings)('%s is understood', async (coding, pack) => {
    const { answer, stored } = await upload(pack(UPLOAD), { 'content-encoding': coding })
    expect([answer.status, stored]).toEqual([200, `${FEED}\n`])
  })

  test.each(['br', 'zstd', 'compress', 'gzip, gzip', 'constructor'])('%s is refused', async (coding) => {
    expectRefused(await upload(UPLOAD, { 'content-encoding': coding }), 415, 'unsupported_encoding')
  })

  test.each(['gzip', 'deflate'])('what is called %s but is not is refused', async (coding) => {
    expectRefused(await upload(UPLOAD, { 'content-encoding': coding }), 400, 'invalid_json')
  })

  test.each<[string, Uint8Array]>([
    ['gzip', gzipSync(UPLOAD).subarray(0, -9)],
    ['deflate', deflateSync(UPLOAD).subarray(0, -5)],
    ['deflate', deflateRawSync(UPLOAD).subarray(0, -3)],
    ['gzip', gzipSync(UPLOAD).map((byte, at, all) => (at === all.length - 5 ? byte ^ 1 : byte))],
    ['gzip', new Uint8Array()],
  ])('%s that is broken off or damaged is refused', async (coding, bytes) => {
    expectRefused(await upload(bytes, { 'content-encoding': coding }), 400, 'invalid_json')
  })

  test.each<[string, (text: string) => Uint8Array]>([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ])('%s may become 10 MiB and not a byte more', async (coding, pack) => {
    const most = UPLOAD.padEnd(10 * MIB)
    expect((await upload(pack(most), { 'content-encoding': coding })).stored).toBe(`${FEED}\n`)
    expectRefused(await upload(pack(`${most} `), { 'content-encoding': coding }), 413, 'payload_too_large')
  })
})

describe('the limit of 10 MiB (D19)', () => {
  const padded = (bytes: number) => UPLOAD + ' '.repeat(bytes - UPLOAD.length)

  test('exactly 10 MiB is accepted', async () => {
    expect((await upload(padded(10 * MIB))).stored).toBe(`${FEED}\n`)
  })

  test('one byte more is refused', async () => {
    expectRefused(await upload(padded(10 * MIB + 1)), 413, 'payload_too_large')
  })

  test('a body of unannounced length is given up when it gets too long', async () => {
    const app = startTestApp()
    const ida = await signUp(app)
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        // A server that read on and on should fail the test, not fill the memory.
        if (sent >= 32 * MIB) return controller.close()
        sent += MIB
        controller.enqueue(new Uint8Array(MIB).fill(0x20))
      },
    })
    const headers = { authorization: `Basic ${btoa('ida:seaglass')}` }
    const response = await app.fetch(new Request(`http://localhost${PATH}`, { method: 'POST', headers, body }))
    expect([response.status, await response.json()]).toMatchObject([413, { error: 'payload_too_large' }])
    expect(sent).toBeLessThan(16 * MIB)
    expect((await ida.get('/subscriptions/ida/phone.txt')).status).toBe(404)
  })
})

describe('what is no JSON is refused with the error object', () => {
  const cases: [string, CallOptions['body']][] = [
    ['broken', '{"add":['],
    ['empty', ''],
    ['blank', '   '],
    ['a word', 'add'],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['nested deeper than any parser goes', `${'['.repeat(500_000)}`],
  ]

  test.each(cases)('%s', async (_, body) => {
    expectRefused(await upload(body), 400, 'invalid_json')
  })
})

describe('JSON of the wrong objectSchema is refused, naming the field and quoting nothing', () => {
  const cases: [string, unknown, string][] = [
    ['an array', [], 'body'],
    ['null', 'null', 'body'],
    ['a number', '7', 'body'],
    ['text instead of a list', { add: 'canary-text' }, 'add'],
    ['a number in a list', { add: [FEED, 7] }, 'add'],
    ['an object in a list', { remove: [{ url: 'canary-text' }] }, 'remove'],
    ['nested lists', { add: [[FEED]] }, 'add'],
  ]

  test.each(cases)('%s', async (_, body, field) => {
    const refused = await upload(body)
    expectRefused(refused, 400, 'validation_failed')
    expect(refused.answer.json).toMatchObject({ field })
    expect(Object.keys(refused.answer.json ?? {})).toEqual(['code', 'error', 'message', 'field'])
    expect(refused.answer.text).not.toContain('canary')
  })

  test('a rejected registration does not show the password again', async () => {
    const ida = await signUp(startTestApp({ settings: { registration: 'open' } }))
    const answer = await ida.post('/api/2/register', { username: 7, password: 'canary-password' })
    expect(answer.status).toBe(400)
    expect(answer.text).not.toContain('canary')
  })
})
