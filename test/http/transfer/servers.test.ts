import { describe, expect, test } from 'bun:test'
import { tempDirs } from '../../store/temp-dir.ts'
import { startTestApp } from '../../support/app.ts'
import { signUp } from '../../support/client.ts'
import { recordAt } from '../../support/openapi.ts'
import { startWebServer } from '../../support/web-server.ts'
import { expectError } from '../error.ts'
import { type ImportWorld, openServer } from './scene.ts'

const PATH = '/api/2/me/import'
const PASSWORD = 'a password of elsewhere'
const HOME = { settings: { import_allow_private: '127.0.0.1' } }
const dirs = tempDirs()

/** Another podstep that answers at a port, with an account of olaf. */
async function otherServer() {
  const app = startTestApp({ settings: { rate_limit: 'false' } })
  const olaf = await signUp(app, 'olaf', PASSWORD)
  await olaf.post('/api/2/subscriptions/olaf/phone.json', { add: ['https://feeds.example/a'], remove: [] })
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) })
  return { from: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

const requestFor = (from: string, more: object = {}) => ({ from, username: 'olaf', password: PASSWORD, ...more })

/** Imports from there and waits for the end; returns the report. */
async function importServer({ app, ida }: ImportWorld, request: object): Promise<Readonly<Record<string, unknown>>> {
  const { status, text, json } = await ida.post(PATH, request)
  if (status !== 202) throw new Error(`the import was refused: ${text}`)
  const id = Number(recordAt(json)['id'])
  await app.services.imports.ended(id)
  return recordAt((await ida.get(`${PATH}/${id}`)).json)
}

describe('importing from another server', () => {
  test('brings the account over, and once more changes nothing', async () => {
    await using other = await otherServer()
    const world = await openServer(dirs.make(), HOME)
    const counts = [
      { what: 'devices', imported: 1, present: 0, skipped: 0 },
      { what: 'subscriptions', imported: 1, present: 0, skipped: 0 },
    ]
    expect(await importServer(world, requestFor(`${other.from}/`))).toMatchObject({
      ...{ source: 'server', name: `${other.from} (olaf)`, state: 'done', error: '', counts, skipped: [] },
    })
    expect((await world.ida.get('/subscriptions/ida/phone.json')).json).toEqual(['https://feeds.example/a'])
    const before = world.app.db.query('SELECT clock FROM users').all()
    expect(await importServer(world, requestFor(other.from, { kind: 'gpodder' }))).toMatchObject({
      source: 'server',
      state: 'done',
      counts: counts.map(({ what }) => ({ what, imported: 0, present: 1, skipped: 0 })),
    })
    expect(world.app.db.query('SELECT clock FROM users').all()).toEqual(before)
  })

  test('keeps the password out of database, log and answers', async () => {
    await using other = await otherServer()
    const world = await openServer(dirs.make(), HOME)
    await importServer(world, requestFor(other.from))
    await importServer(world, requestFor(other.from, { username: 'nobody' }))
    const stored = Buffer.from(world.app.db.serialize()).toString('latin1')
    const told = [stored, world.app.logs.join('\n'), (await world.ida.get(PATH)).text]
    for (const text of told) {
      expect(text).not.toContain(PASSWORD)
      expect(text).not.toContain(Buffer.from(`olaf:${PASSWORD}`).toString('base64'))
    }
    expect(stored).toContain(`${other.from} (olaf)`)
  })

  test('is refused in the private network unless a setting allows it', async () => {
    await using other = await otherServer()
    const world = await openServer(dirs.make())
    expect(await importServer(world, requestFor(other.from))).toMatchObject({
      state: 'failed',
      error: '127.0.0.1 is in a private network; import_allow_private could allow it',
      counts: [],
    })
  })

  test('goes nowhere that the server leads to', async () => {
    await using secret = startWebServer({})
    const location = `http://127.0.0.1:${secret.port}/api/2/devices/olaf.json`
    const lead = () => new Response(null, { status: 307, headers: { location } })
    await using other = startWebServer({ '/api/2/devices/olaf.json': lead })
    const world = await openServer(dirs.make(), HOME)
    expect(await importServer(world, requestFor(`http://127.0.0.1:${other.port}`))).toMatchObject({
      state: 'failed',
      error: expect.stringContaining(`use http://127.0.0.1:${secret.port} if that is the same server`),
    })
    expect(secret.asked).toEqual([])
  })

  test.each([
    ['from', { from: 'gopher://pods.example' }],
    ['from', { from: 'x'.repeat(10_000) }],
    ['kind', { kind: 'fritzbox' }],
  ])('is refused at once for a wrong %s', async (field, wrong) => {
    const { ida } = await openServer(dirs.make())
    expectError(await ida.post(PATH, requestFor('https://pods.example', wrong)), 400, 'validation_failed', field)
    expect((await ida.get(PATH)).json).toEqual([])
  })
})
