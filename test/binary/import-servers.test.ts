import { describe, expect, test } from 'bun:test'
import { basic, type Client } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { recordAt } from '../support/openapi.ts'
import { requireBinary } from './support/binary.ts'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { createUser, startScene } from './support/scene.ts'
import { startServer } from './support/server.ts'

const A = 'https://a.example/feed'
const ACTIONS = 10_000
const PASSWORD = 'seaglass'
const HOME = { SVC_IMPORT_ALLOW_PRIVATE: '127.0.0.1' }

const actions = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => ({
    podcast: A,
    episode: `https://cdn.example/${from + n}.mp3`,
    action: 'play',
    timestamp: 1_740_000_000 + from + n,
    position: 61,
    device: 'phone',
  }))

/** Olaf's account on another podstep, with a long history. */
async function olafsServer() {
  const scene = await startScene()
  await createUser(scene.folder, 'olaf')
  const olaf = scene.server.client(basic('olaf', PASSWORD))
  await olaf.post('/api/2/devices/olaf/phone.json', { caption: 'Phone', type: 'mobile' })
  await olaf.post('/api/2/subscriptions/olaf/phone.json', { add: [A, 'https://b.example/feed'], remove: [] })
  await olaf.post('/api/2/subscriptions/olaf/desk.json', { add: [A], remove: [] })
  await olaf.post('/api/2/sync-devices/olaf.json', { synchronize: [['phone', 'desk']] })
  const half = ACTIONS / 2
  for (const part of [actions(0, half), actions(half, ACTIONS)]) await olaf.post('/api/2/episodes/olaf.json', part)
  return {
    from: `http://127.0.0.1:${scene.server.port}`,
    olaf,
    [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose](),
  }
}

/** Answers like Nextcloud with GPodder Sync. */
function nextcloud() {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (request.headers.get('authorization') !== basic('olaf', PASSWORD)['authorization'])
        return Response.json({ message: '' }, { status: 401 })
      if (pathname === '/index.php/apps/gpoddersync/subscriptions')
        return Response.json({ add: [A], remove: [], timestamp: 1_740_900_000 })
      if (pathname !== '/index.php/apps/gpoddersync/episode_action')
        return new Response('<!DOCTYPE html>', { status: 404 })
      const since = Number(searchParams.get('since'))
      const some = actions(0, ACTIONS).filter(({ timestamp }) => timestamp > since)
      return Response.json({
        actions: some.map(({ device: _device, timestamp, ...rest }) => ({
          ...rest,
          action: 'PLAY',
          guid: null,
          started: -1,
          total: -1,
          timestamp: new Date(timestamp * 1000).toISOString().slice(0, 19),
        })),
        timestamp: 1_740_900_000,
      })
    },
  })
  return { from: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** Passes requests on to another server, and holds half of the history back until it is let go. */
function holdBack(to: string) {
  const go = Promise.withResolvers<void>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const headers = { authorization: request.headers.get('authorization') ?? '' }
      const body = request.method === 'GET' ? null : await request.bytes()
      const answer = await fetch(to + pathname + search, { method: request.method, headers, body })
      const bytes = await answer.bytes()
      const type = answer.headers.get('content-type') ?? ''
      if (!pathname.startsWith('/api/2/episodes/'))
        return new Response(bytes, { status: answer.status, headers: { 'content-type': type } })
      const held = async function* () {
        yield bytes.subarray(0, bytes.length / 2)
        await go.promise
        yield bytes.subarray(bytes.length / 2)
      }
      return new Response(held(), { status: answer.status, headers: { 'content-type': type } })
    },
  })
  return { from: `http://127.0.0.1:${server.port}`, letGo: go.resolve, [Symbol.asyncDispose]: () => server.stop(true) }
}

async function reportOf(client: Client, id: number) {
  return recordAt((await client.get(`/api/2/me/import/${id}`)).json)
}

/** Asks until the report is as wanted. */
function reportWhen(client: Client, id: number, isWanted: (report: Readonly<Record<string, unknown>>) => boolean) {
  return eventually(
    () => reportOf(client, id),
    (report) => isWanted(report) || report['state'] === 'failed',
  )
}

async function actionsOf(client: Client, name: string): Promise<readonly unknown[]> {
  const { actions: all } = recordAt((await client.get(`/api/2/episodes/${name}.json?since=0`)).json)
  return Array.isArray(all) ? all : []
}

describe('an import from another server', () => {
  test('that the server is killed in the middle of goes on with the same request', async () => {
    await using other = await olafsServer()
    await using scene = await startScene({ env: HOME })
    await using between = holdBack(other.from)
    const request = { from: between.from, username: 'olaf', password: PASSWORD }
    const begun = await scene.ida.post('/api/2/me/import', request)
    expect([begun.status, begun.json]).toEqual([202, { id: 1 }])
    await reportWhen(scene.ida, 1, ({ done }) => Number(done) > 1000)
    scene.server.signal('SIGKILL')
    await scene.server.ended()
    between.letGo()

    await using second = await scene.again()
    const left = await reportOf(second.ida, 1)
    expect(left).toMatchObject({ state: 'interrupted', error: expect.stringContaining('start the same import again') })
    const some = (await actionsOf(second.ida, 'ida')).length
    expect(some).toBeGreaterThan(0)
    expect(some).toBeLessThan(ACTIONS)
    expect((await second.ida.post('/api/2/me/import', request)).json).toEqual({ id: 1 })
    expect(await reportWhen(second.ida, 1, ({ state }) => state !== 'running')).toMatchObject({
      state: 'done',
      skipped: [],
    })
    const devices = (await second.ida.get('/api/2/devices/ida.json')).json
    expect(devices).toMatchObject([
      { id: 'phone', caption: 'Phone', type: 'mobile', subscriptions: 2 },
      { id: 'desk', subscriptions: 2 },
    ])
    expect(await actionsOf(second.ida, 'ida')).toEqual(await actionsOf(other.olaf, 'olaf'))
    expect((await second.ida.get('/api/2/sync-devices/ida.json')).json).toEqual({
      synchronized: [['phone', 'desk']],
      'not-synchronized': [],
    })
  })

  test.each([
    ['a podstep', olafsServer],
    ['a Nextcloud', nextcloud],
  ])('by a command that is killed goes on with the same command: %s', async (_name, start) => {
    await using other = await start()
    using folder = emptyFolder()
    await createUser(folder, 'ida')
    const words = ['import', '--from', other.from, '--user', 'olaf', '--to', 'ida']
    const child = Bun.spawn([requireBinary(), ...words], {
      cwd: folder.path,
      env: {},
      stdin: new Blob([`${PASSWORD}\n`]),
      stdout: 'ignore',
      stderr: 'pipe',
    })
    // Its progress, when some of the history is here.
    for await (const piece of child.stderr) if (/ \d{3,} imported/.test(Buffer.from(piece).toString())) break
    child.kill('SIGKILL')
    await child.exited
    const again = () => podstep(words, { cwd: folder.path, stdin: `${PASSWORD}\n` })
    const done = await again()
    expect([done.code, done.out]).toEqual([0, expect.stringMatching(/^episode actions: \d+ imported, .* 0 skipped$/m)])
    const once = await again()
    expect(once).toMatchObject({
      code: 0,
      out: expect.stringContaining(`episode actions: 0 imported, ${ACTIONS} already`),
    })
    await using server = await startServer({ cwd: folder.path })
    expect(await actionsOf(server.client(basic('ida', PASSWORD)), 'ida')).toHaveLength(ACTIONS)
  })

  test('is refused by a running server for a private network, and done by the command without one', async () => {
    await using other = nextcloud()
    await using scene = await startScene()
    const words = ['import', '--from', other.from, '--user', 'olaf', '--to', 'ida']
    const env = { SVC_PORT: String(scene.server.port) }
    const refused = await podstep(words, { cwd: scene.folder.path, env, stdin: PASSWORD })
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('import_allow_private could allow it') })
    await scene.server.stop()
    const wrong = await podstep(words, { cwd: scene.folder.path, stdin: 'wrong' })
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringMatching(/does not accept the user name or the password/),
    })
    expect(await podstep(words, { cwd: scene.folder.path, stdin: PASSWORD })).toMatchObject({ code: 0 })
  })
})
