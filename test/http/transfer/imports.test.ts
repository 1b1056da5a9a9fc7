import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StartReader } from '../../../src/transfer/process/client.ts'
import { tempDirs } from '../../store/temp-dir.ts'
import { basic, type Client, signUp } from '../../support/client.ts'
import { readHere } from '../../support/import-process.ts'
import { recordAt } from '../../support/openapi.ts'
import { expectError } from '../error.ts'
import { clocks, IMPORT, importFile, openServer, reportOf, sendFile } from './scene.ts'

const A = 'https://feeds.example/a'
const PREVIEW = '/api/2/me/import-preview'
const dirs = tempDirs()

const ARCHIVE = JSON.stringify({
  format: 'podstep account',
  version: 1,
  devices: [{ id: 'phone', caption: 'Phone', subscriptions: [{ url: A, added: '2025-03-01T10:00:00' }] }],
  settings: [{ scope: 'account', settings: { theme: 'dark' } }],
})

const COUNTS = ['devices', 'subscriptions', 'settings'].map((what) => ({ what, imported: 1, present: 0, skipped: 0 }))

async function open(options?: Parameters<typeof openServer>[1]) {
  const dataDir = dirs.make()
  const folder = join(dataDir, 'imports')
  const world = await openServer(dataDir, options)
  return { ...world, folder, files: () => (existsSync(folder) ? readdirSync(folder) : []) }
}

/** A form as browsers send it, with another field before the file. */
function form(content: string, name = 'podstep.json', field = 'file') {
  const part = (head: string, body: string) => `--xYz\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`
  const file = part(`name="${field}"; filename="${name}"\r\nContent-Type: application/json`, content)
  return {
    body: `${part('name="comment"', 'from my old server')}${file}--xYz--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=xYz' },
  }
}

describe('importing a file', () => {
  test('reports what was imported; a repetition changes nothing', async () => {
    const world = await open()
    const done = await importFile(world, ARCHIVE, 'my "archive".json')
    expect(done).toEqual({
      ...{ id: 1, source: 'archive', name: 'my "archive".json', state: 'done', error: '', counts: COUNTS, skipped: [] },
      ...{ started: '2025-03-02T10:00:00', ended: '2025-03-02T10:00:00', done: ARCHIVE.length, total: ARCHIVE.length },
    })
    expect((await world.ida.get(IMPORT)).json).toEqual([done])
    expect((await world.ida.get('/subscriptions/ida/phone.json')).json).toEqual([A])
    expect(world.files()).toEqual([])
    const before = await clocks(world)
    const again = COUNTS.map(({ what }) => ({ what, imported: 0, present: 1, skipped: 0 }))
    expect(await importFile(world, ARCHIVE)).toMatchObject({ state: 'done', counts: again })
    expect(await clocks(world)).toEqual(before)
  })

  test('accepts a form', async () => {
    const world = await open()
    const { body, headers } = form(ARCHIVE, 'C:\\%22mine%22.json')
    const sent = await world.ida.post(IMPORT, body, { headers })
    expect(sent.json).toEqual({ id: 1 })
    expect(await reportOf(world, sent)).toMatchObject({ state: 'done', name: 'C:\\"mine".json', counts: COUNTS })
  })

  test('cancels the body of a form that it refuses', async () => {
    const { app } = await open()
    const { body, headers } = form(ARCHIVE)
    let isCancelled = false
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from(body)),
      cancel() {
        isCancelled = true
      },
    })
    app.services.imports.stop()
    const init = { method: 'POST', headers: { ...headers, ...basic('ida', 'seaglass') }, body: stream }
    const { status } = await app.fetch(new Request(`http://pods.example${IMPORT}`, init))
    expect([status, isCancelled]).toEqual([503, true])
  })

  test('refuses an unknown kind of file at once', async () => {
    const { ida, files } = await open()
    const answer = await sendFile(ida, 'buy milk')
    expectError(answer, 400, 'validation_failed')
    expect(recordAt(answer.json)['message']).toMatch(/file cannot be imported/)
    expect((await ida.get(IMPORT)).json).toEqual([])
    expect(files()).toEqual([])
  })

  test.each([
    ['no boundary', 'multipart/form-data', form('{}').body, 'invalid_json'],
    ['another boundary', 'multipart/form-data; boundary=other', form('{}').body, 'invalid_json'],
    ['no file', 'multipart/form-data; boundary=xYz', form('{}', 'x', 'other').body, 'validation_failed'],
    ['no end', 'multipart/form-data; boundary="xYz"', form(ARCHIVE).body.slice(0, -20), 'invalid_json'],
    ['an endless head', 'multipart/form-data; boundary=xYz', `--xYz\r\n${'x'.repeat(40_000)}`, 'invalid_json'],
  ])('refuses a form with %s', async (_name, type, body, code) => {
    const { ida, files } = await open()
    const answer = await ida.post(IMPORT, body, { headers: { 'content-type': type } })
    expectError(answer, 400, code, code === 'validation_failed' ? 'file' : undefined)
    expect(files()).toEqual([])
  })

  test('refuses a compressed body', async () => {
    const { ida } = await open()
    const { body, headers } = form(ARCHIVE)
    const sent = await ida.post(IMPORT, body, { headers: { ...headers, 'content-encoding': 'gzip' } })
    expectError(sent, 415, 'unsupported_encoding')
  })

  test('requires a server, username and password if there is no file', async () => {
    const { ida } = await open()
    for (const missing of ['from', 'username', 'password']) {
      const body = { from: 'https://pods.example', username: 'ida', password: 'x', [missing]: '' }
      expectError(await ida.post(IMPORT, body), 400, 'validation_failed', missing)
    }
  })

  test('answers 503 if the folder is not writable', async () => {
    const { ida, folder } = await open()
    writeFileSync(folder, 'not a folder')
    expectError(await sendFile(ida, ARCHIVE), 503, 'unavailable')
  })
})

test('an account has one import at a time', async () => {
  const { app, ida } = await open()
  const arrived = Promise.withResolvers<void>()
  const pieces = async function* () {
    yield Buffer.from(ARCHIVE.slice(0, 10))
    await arrived.promise
    yield Buffer.from(ARCHIVE.slice(10))
  }
  const [user] = await app.rowsOf<{ id: never }>('SELECT id FROM users')
  const first = app.services.imports.importFile(user?.id as never, { name: 'slow.json', pieces: pieces() })
  expectError(await sendFile(ida, ARCHIVE), 409, 'import_running')
  arrived.resolve()
  await app.services.imports.ended(await first)
  expect((await sendFile(ida, ARCHIVE)).status).toBe(202)
})

test('a server runs two imports at a time and refuses a third one', async () => {
  let started = 0
  const silent: ReturnType<StartReader> = { send: () => undefined, processorMs: () => 0, kill: () => undefined }
  const startReader: StartReader = (events) => (++started <= 2 ? silent : readHere(events))
  const { app, ida } = await open({ startReader })
  const others = await Promise.all(['ole', 'uma'].map((name) => signUp(app, name)))
  const running = await Promise.all(others.map((other) => sendFile(other, ARCHIVE)))
  expect(running.map(({ status }) => status)).toEqual([202, 202])
  const answer = await sendFile(ida, ARCHIVE)
  expectError(answer, 503, 'unavailable')
  expect(answer.headers.get('retry-after')).toBe('60')
  await Promise.all(others.map((other, n) => other.delete(`${IMPORT}/${recordAt(running[n]?.json)['id']}`)))
  expect((await sendFile(ida, ARCHIVE)).status).toBe(202)
})

describe('a report', () => {
  test('belongs to its account, and can be deleted', async () => {
    const world = await open()
    const ole = await signUp(world.app, 'ole')
    await importFile(world, ARCHIVE)
    const absent = [ole.get(`${IMPORT}/1`), ole.delete(`${IMPORT}/1`), world.ida.get(`${IMPORT}/2`)]
    for (const answer of absent) expectError(await answer, 404, 'not_found')
    expectError(await world.ida.get(`${IMPORT}/x`), 400, 'validation_failed', 'id')
    expect((await ole.get(IMPORT)).json).toEqual([])
    expect((await world.ida.delete(`${IMPORT}/1`)).json).toEqual({ status: 'ok' })
    expect((await world.ida.get(IMPORT)).json).toEqual([])
  })

  test('is kept for the last twenty imports', async () => {
    const world = await open()
    const ids: unknown[] = []
    for (let n = 0; n < 22; n++) ids.unshift((await importFile(world, ARCHIVE))['id'])
    const reports = (await world.ida.get(IMPORT)).json as { id: number }[]
    expect(reports.map(({ id }) => id)).toEqual(ids.slice(0, 20) as number[])
  })
})

describe('a preview of a file', () => {
  const OPML = `<opml><body><outline text="Harbour" xmlUrl="${A}"/><outline text="Tide" xmlUrl="ftp://x"/></body></opml>`
  const headers = { 'content-type': 'application/octet-stream' }
  const preview = (client: Client, content: string, query = '') =>
    client.post(`${PREVIEW}?name=list.opml${query}`, content, { headers })

  test('shows what the import would do on a device, and changes nothing', async () => {
    const { ida, app, files } = await open()
    const { status, json } = await preview(ida, OPML, '&device=phone')
    expect(status).toBe(200)
    expect(json).toEqual({
      source: 'opml',
      podcasts: [
        { state: 'new', url: A, title: 'Harbour' },
        { state: 'invalid', url: 'ftp://x', title: 'Tide' },
      ],
      counts: { new: 1, known: 0, duplicate: 0, invalid: 1 },
      folders: [],
      has_more: false,
      damaged: false,
    })
    expect((await ida.get(IMPORT)).json).toEqual([])
    expect((await ida.get('/subscriptions/ida.json')).json).toEqual([])
    expect(files()).toEqual([])

    const sent = await ida.post(`${IMPORT}?name=list.opml&device=phone&caption=My+phone`, OPML, { headers })
    await reportOf({ app, ida }, sent)
    expect((await ida.get('/subscriptions/ida/phone.json')).json).toEqual([A])
    expect((await ida.get('/api/2/devices/ida.json')).json).toMatchObject([{ id: 'phone', caption: 'My phone' }])
    expect((await preview(ida, OPML, '&device=phone')).json).toMatchObject({ counts: { new: 0, known: 1 } })
    expect((await preview(ida, OPML)).json).toMatchObject({ counts: { new: 1, known: 0 } })
  })

  test('refuses an unknown kind of file, and a missing file', async () => {
    const { ida, files } = await open()
    expectError(await preview(ida, '\x89PNG\r\n\0\0'), 400, 'validation_failed')
    expect(files()).toEqual([])
    expect(await ida.post(PREVIEW, {})).toMatchObject({ status: 400, json: { field: 'file' } })
  })
})
