import { describe, expect, test } from 'bun:test'
import { tempDirs } from '../../store/temp-dir.ts'
import { startTestApp } from '../../support/app.ts'
import { signUp } from '../../support/client.ts'
import { stored } from '../stored.ts'
import { clocks, IMPORT, type ImportWorld, openServer, reportOf } from './scene.ts'

const PASSWORD = 'the password elsewhere'
const ALLOWED = { settings: { import_allow_private: '127.0.0.1' } }
const dirs = tempDirs()

/** Another podstep, which listens on a port and has Olaf's account. */
async function otherServer() {
  const app = startTestApp({ settings: { rate_limit: 'false' } })
  const olaf = await signUp(app, 'olaf', PASSWORD)
  await olaf.post('/api/2/subscriptions/olaf/phone.json', { add: ['https://feeds.example/a'], remove: [] })
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => app.fetch(request) })
  return { from: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

async function importServer(world: ImportWorld, from: string, more: object = {}) {
  return reportOf(world, await world.ida.post(IMPORT, { from, username: 'olaf', password: PASSWORD, ...more }))
}

describe('importing from another server', () => {
  test('copies the account; a repetition changes nothing', async () => {
    await using other = await otherServer()
    const world = await openServer(dirs.make(), ALLOWED)
    const counts = [
      { what: 'devices', imported: 1, present: 0, skipped: 0 },
      { what: 'subscriptions', imported: 1, present: 0, skipped: 0 },
    ]
    expect(await importServer(world, `${other.from}/`)).toMatchObject({
      ...{ source: 'server', name: `${other.from} (olaf)`, state: 'done', error: '', counts, skipped: [] },
    })
    expect((await world.ida.get('/subscriptions/ida/phone.json')).json).toEqual(['https://feeds.example/a'])
    const before = await clocks(world)
    expect(await importServer(world, other.from, { kind: 'gpodder' })).toMatchObject({
      source: 'server',
      state: 'done',
      counts: counts.map(({ what }) => ({ what, imported: 0, present: 1, skipped: 0 })),
    })
    expect(await clocks(world)).toEqual(before)
  })

  test('keeps the password out of database, log and responses', async () => {
    await using other = await otherServer()
    const world = await openServer(dirs.make(), ALLOWED)
    await importServer(world, other.from)
    await importServer(world, other.from, { username: 'nobody' })
    const database = await stored(world.app)
    for (const text of [database, world.app.logs.join('\n'), (await world.ida.get(IMPORT)).text]) {
      expect(text).not.toContain(PASSWORD)
      expect(text).not.toContain(Buffer.from(`olaf:${PASSWORD}`).toString('base64'))
    }
    expect(database).toContain(`${other.from} (olaf)`)
  })

  test('is refused in the private network unless a setting allows it', async () => {
    await using other = await otherServer()
    const world = await openServer(dirs.make())
    expect(await importServer(world, other.from)).toMatchObject({
      state: 'failed',
      error: '127.0.0.1 is in a private network; import_allow_private could allow it',
      counts: [],
    })
  })
})
