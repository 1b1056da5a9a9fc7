import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { StartReader } from '../../../src/transfer/process/client.ts'
import { tempDirs } from '../../store/temp-dir.ts'
import { basic, type Client, clientOf, signIn, signUp } from '../../support/client.ts'
import { readHere } from '../../support/import-process.ts'
import { recordAt } from '../../support/openapi.ts'
import { expectError } from '../error.ts'
import { importFile, openServer, sendFile } from './scene.ts'

const A = 'https://feeds.example/a'
const PATH = '/api/2/me/import'
const PREVIEW = '/api/2/me/import-preview'
const dirs = tempDirs()

const ARCHIVE = JSON.stringify({
  format: 'podstep account',
  version: 1,
  devices: [{ id: 'phone', caption: 'Phone', subscriptions: [{ url: A, added: '2025-03-01T10:00:00' }] }],
  settings: [{ scope: 'account', settings: { theme: 'dark' } }],
})

const COUNTS = ['devices', 'subscriptions', 'settings'].map((what) => ({ what, imported: 1, present: 0, skipped: 0 }))

/** A form as browsers send it, with the file after another field. */
function form(content: string, name = 'podstep.json', field = 'file') {
  const part = (head: string, body: string) => `--xYz\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`
  const file = part(`name="${field}"; filename="${name}"\r\nContent-Type: application/json`, content)
  return {
    body: `${part('name="comment"', 'from my old server')}${file}--xYz--\r\n`,
    headers: { 'content-type': 'multipart/form-data; boundary=xYz' },
  }
}

describe('importing a file', () => {
  test('answers at once, reports afterwards what came over, and changes nothing the second time', async () => {
    const dataDir = dirs.make()
    const world = await openServer(dataDir)
    const done = await importFile(world, ARCHIVE, 'my "archive".json')
    expect(done).toEqual({
      ...{ id: 1, source: 'archive', name: 'my "archive".json', state: 'done', error: '', counts: COUNTS, skipped: [] },
      ...{ started: '2025-03-02T10:00:00', ended: '2025-03-02T10:00:00', done: ARCHIVE.length, total: ARCHIVE.length },
    })
    expect((await world.ida.get(PATH)).json).toEqual([done])
    expect((await world.ida.get('/subscriptions/ida/phone.json')).json).toEqual([A])
    // Its file is needed no more.
    expect(readdirSync(join(dataDir, 'imports'))).toEqual([])
    const before = world.app.db.query('SELECT clock FROM users').all()
    const again = COUNTS.map(({ what }) => ({ what, imported: 0, present: 1, skipped: 0 }))
    expect(await importFile(world, ARCHIVE)).toMatchObject({ state: 'done', counts: again })
    expect(world.app.db.query('SELECT clock FROM users').all()).toEqual(before)
  })

  test('takes the part of a form', async () => {
    const { app, ida } = await openServer(dirs.make())
    const { body, headers } = form(ARCHIVE, 'C:\\%22mine%22.json')
    const { status, json } = await ida.post(PATH, body, { headers })
    expect([status, json]).toEqual([202, { id: 1 }])
    await app.services.imports.ended(1)
    expect((await ida.get(`${PATH}/1`)).json).toMatchObject({ state: 'done', name: 'C:\\"mine".json', counts: COUNTS })
  })

  test('keeps nothing of a form that it refuses', async () => {
    const { app } = await openServer(dirs.make())
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
    const { status } = await app.fetch(new Request(`http://pods.example${PATH}`, init))
    expect([status, isCancelled]).toEqual([503, true])
  })

  test('refuses a file of no known kind at once', async () => {
    const dataDir = dirs.make()
    const { ida } = await openServer(dataDir)
    const answer = await sendFile(ida, 'buy milk')
    expectError(answer, 400, 'validation_failed')
    expect(recordAt(answer.json)['message']).toMatch(/no file that can be imported/)
    expect((await ida.get(PATH)).json).toEqual([])
    expect(readdirSync(join(dataDir, 'imports'))).toEqual([])
  })

  test('fails and changes nothing if the archive is truncated', async () => {
    const world = await openServer(dirs.make())
    expect(await importFile(world, ARCHIVE.slice(0, -20))).toMatchObject({
      ...{ state: 'failed', counts: [], error: expect.stringMatching(/breaks off after \d+ bytes/) },
    })
    expect((await world.ida.get('/api/2/devices/ida.json')).json).toEqual([])
  })

  const FORMS: readonly (readonly [string, string, string, string])[] = [
    ['no boundary', 'multipart/form-data', form('{}').body, 'invalid_json'],
    ['another boundary', 'multipart/form-data; boundary=other', form('{}').body, 'invalid_json'],
    ['no file', 'multipart/form-data; boundary=xYz', form('{}', 'x', 'other').body, 'validation_failed'],
    ['no end', 'multipart/form-data; boundary="xYz"', form(ARCHIVE).body.slice(0, -20), 'invalid_json'],
    ['a head that never ends', 'multipart/form-data; boundary=xYz', `--xYz\r\n${'x'.repeat(40_000)}`, 'invalid_json'],
  ]
  test.each(FORMS)('refuses a form with %s', async (_name, type, body, code) => {
    const dataDir = dirs.make()
    const { ida } = await openServer(dataDir)
    const answer = await ida.post(PATH, body, { headers: { 'content-type': type } })
    expectError(answer, 400, code, code === 'validation_failed' ? 'file' : undefined)
    expect(existsSync(join(dataDir, 'imports')) ? readdirSync(join(dataDir, 'imports')) : []).toEqual([])
  })

  test('refuses a compressed body', async () => {
    const { ida } = await openServer(dirs.make())
    const { body, headers } = form(ARCHIVE)
    const sent = await ida.post(PATH, body, { headers: { ...headers, 'content-encoding': 'gzip' } })
    expectError(sent, 415, 'unsupported_encoding')
  })

  test.each(['from', 'username', 'password'])('needs %s if there is no file', async (missing) => {
    const { ida } = await openServer(dirs.make())
    const body = { from: 'https://pods.example', username: 'ida', password: 'x', [missing]: '' }
    expectError(await ida.post(PATH, body), 400, 'validation_failed', missing)
  })

  test('answers 503 when the folder cannot be written', async () => {
    const dataDir = dirs.make()
    const { ida } = await openServer(dataDir)
    writeFileSync(join(dataDir, 'imports'), 'not a folder')
    expectError(await sendFile(ida, ARCHIVE), 503, 'unavailable')
  })
})

describe('several imports', () => {
  test('a second one of the same account is refused while the first runs', async () => {
    const { app, ida } = await openServer(dirs.make())
    const arrived = Promise.withResolvers<void>()
    const pieces = async function* () {
      yield Buffer.from(ARCHIVE.slice(0, 10))
      await arrived.promise
      yield Buffer.from(ARCHIVE.slice(10))
    }
    const [user] = app.db.query<{ id: never }, []>('SELECT id FROM users').all()
    const first = app.services.imports.importFile(user?.id as never, { name: 'slow.json', pieces: pieces() })
    expectError(await sendFile(ida, ARCHIVE), 409, 'import_running')
    arrived.resolve()
    await app.services.imports.ended(await first)
    expect((await sendFile(ida, ARCHIVE)).status).toBe(202)
  })

  test('a third one of the server has to wait', async () => {
    let started = 0
    const silent: ReturnType<StartReader> = { send: () => undefined, processorMs: () => 0, kill: () => undefined }
    const startReader: StartReader = (events) => (++started <= 2 ? silent : readHere(events))
    const { app, ida } = await openServer(dirs.make(), { startReader })
    const others = await Promise.all(['ole', 'uma'].map((name) => signUp(app, name)))
    const running = await Promise.all(others.map((other) => sendFile(other, ARCHIVE)))
    expect(running.map(({ status }) => status)).toEqual([202, 202])
    const answer = await sendFile(ida, ARCHIVE)
    expectError(answer, 503, 'unavailable')
    expect(answer.headers.get('retry-after')).toBe('60')
    await Promise.all(others.map((other, n) => other.delete(`${PATH}/${recordAt(running[n]?.json)['id']}`)))
    expect((await sendFile(ida, ARCHIVE)).status).toBe(202)
  })
})

describe('a report', () => {
  test('is of its own account, and can be forgotten', async () => {
    const world = await openServer(dirs.make())
    const ole = await signUp(world.app, 'ole')
    await importFile(world, ARCHIVE)
    const absent = [ole.get(`${PATH}/1`), ole.delete(`${PATH}/1`), world.ida.get(`${PATH}/2`)]
    for (const answer of absent) expectError(await answer, 404, 'not_found')
    expectError(await world.ida.get(`${PATH}/x`), 400, 'validation_failed', 'id')
    expect((await ole.get(PATH)).json).toEqual([])
    expect((await world.ida.delete(`${PATH}/1`)).json).toEqual({ status: 'ok' })
    expect((await world.ida.get(PATH)).json).toEqual([])
  })

  test('the last twenty are kept', async () => {
    const world = await openServer(dirs.make())
    for (let n = 0; n < 22; n++) await importFile(world, ARCHIVE)
    const { json } = await world.ida.get(PATH)
    const ids = Array.isArray(json) ? json.map((item) => recordAt(item)['id']) : []
    expect(ids).toEqual(Array.from({ length: 20 }, (_, n) => 22 - n))
  })

  test.each(['sync', 'read', 'feeds'] as const)('no app password of scope %s is good for it', async (scope) => {
    const { app } = await openServer(dirs.make())
    const browser = await signIn(app)
    const headers = { origin: 'http://localhost' }
    const { json } = await browser.post('/api/2/me/app-passwords', { name: 'Phone', scope }, { headers })
    const phone = clientOf(app, basic('ida', String(recordAt(json)['password'])))
    const answers = [sendFile(phone, ARCHIVE), phone.get(PATH), phone.get(`${PATH}/1`), phone.delete(`${PATH}/1`)]
    for (const answer of answers) expectError(await answer, 403, 'forbidden')
  })
})

describe('a preview of a file', () => {
  const OPML = `<opml><body><outline text="Harbour" xmlUrl="${A}"/><outline text="Tide" xmlUrl="ftp://x"/></body></opml>`
  const headers = { 'content-type': 'application/octet-stream' }
  const preview = (client: Client, content: string, query = '') =>
    client.post(`${PREVIEW}?name=list.opml${query}`, content, { headers })

  test('says what the import would do on a device, and changes nothing', async () => {
    const dataDir = dirs.make()
    const { ida, app } = await openServer(dataDir)
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
    expect((await ida.get(PATH)).json).toEqual([])
    expect((await ida.get('/subscriptions/ida.json')).json).toEqual([])
    expect(readdirSync(join(dataDir, 'imports'))).toEqual([])

    const sent = await ida.post(`${PATH}?name=list.opml&device=phone&caption=My+phone`, OPML, { headers })
    expect(sent.status).toBe(202)
    await app.services.imports.ended(Number(recordAt(sent.json)['id']))
    expect((await ida.get('/subscriptions/ida/phone.json')).json).toEqual([A])
    expect((await ida.get('/api/2/devices/ida.json')).json).toMatchObject([{ id: 'phone', caption: 'My phone' }])
    expect((await preview(ida, OPML, '&device=phone')).json).toMatchObject({ counts: { new: 0, known: 1 } })
    expect((await preview(ida, OPML)).json).toMatchObject({ counts: { new: 1, known: 0 } })
  })

  test('refuses a file of no known kind, and needs one', async () => {
    const dataDir = dirs.make()
    const { ida } = await openServer(dataDir)
    expectError(await preview(ida, '\x89PNG\r\n\0\0'), 400, 'validation_failed')
    expect(readdirSync(join(dataDir, 'imports'))).toEqual([])
    expect(await ida.post(PREVIEW, {})).toMatchObject({ status: 400, json: { field: 'file' } })
  })
})
