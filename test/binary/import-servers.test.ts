import { describe, expect, test } from 'bun:test'
import { basic, type Client } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { recordAt } from '../support/openapi.ts'
import { podstep } from './support/command.ts'
import { startScene } from './support/scene.ts'

const FEED = 'https://a.example/feed'
const ACTIONS = 4000
const PASSWORD = 'seaglass'

const HISTORY = Array.from({ length: ACTIONS }, (_, n) => ({
  ...{ podcast: FEED, episode: `https://cdn.example/${n}.mp3`, guid: null, action: 'PLAY' },
  ...{
    timestamp: new Date((1_740_000_000 + n) * 1000).toISOString().slice(0, 19),
    started: -1,
    position: 61,
    total: -1,
  },
}))

/** Stands in for Nextcloud with GPodder Sync. Sends the second half of the history once `rest` has resolved. */
function startNextcloud(rest: Promise<void> = Promise.resolve()) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (request.headers.get('authorization') !== basic('olaf', PASSWORD)['authorization'])
        return Response.json({ message: '' }, { status: 401 })
      if (pathname === '/index.php/apps/gpoddersync/subscriptions')
        return Response.json({ add: [FEED], remove: [], timestamp: 1_740_900_000 })
      if (pathname !== '/index.php/apps/gpoddersync/episode_action')
        return new Response('<!DOCTYPE html>', { status: 404 })
      const actions = HISTORY.slice(Math.max(0, Number(searchParams.get('since')) - 1_740_000_000 + 1))
      const text = JSON.stringify({ actions, timestamp: 1_740_900_000 })
      const body = async function* () {
        yield text.slice(0, text.length / 2)
        await rest
        yield text.slice(text.length / 2)
      }
      return new Response(body(), { headers: { 'content-type': 'application/json' } })
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) }
}

async function actionsOf(client: Client): Promise<number> {
  const { actions } = recordAt((await client.get('/api/2/episodes/ida.json?since=0')).json)
  return Array.isArray(actions) ? actions.length : 0
}

const report = async (client: Client) => recordAt((await client.get('/api/2/me/import/1')).json)

describe('an import from another server', () => {
  test('interrupted by a kill of the server resumes when it is requested again', async () => {
    const rest = Promise.withResolvers<void>()
    await using nextcloud = startNextcloud(rest.promise)
    await using scene = await startScene({ env: { SVC_IMPORT_ALLOW_PRIVATE: '127.0.0.1' } })
    const request = { from: nextcloud.url, username: 'olaf', password: PASSWORD }
    expect(await scene.ida.post('/api/2/me/import', request)).toMatchObject({ status: 202, json: { id: 1 } })
    await eventually(
      () => report(scene.ida),
      ({ done }) => Number(done) > 1000,
    )
    scene.server.signal('SIGKILL')
    await scene.server.ended()
    rest.resolve()

    await using again = await scene.again()
    const interrupted = { state: 'interrupted', error: expect.stringContaining('start the same import again') }
    expect(await report(again.ida)).toMatchObject(interrupted)
    expect(await actionsOf(again.ida)).toBeWithin(1, ACTIONS)
    expect((await again.ida.post('/api/2/me/import', request)).json).toEqual({ id: 1 })
    const done = await eventually(
      () => report(again.ida),
      ({ state }) => state !== 'running',
    )
    expect(done).toMatchObject({ state: 'done', skipped: [] })
    expect(await actionsOf(again.ida)).toBe(ACTIONS)
  })

  test('in a private network is refused by a running server, but allowed to a command without one', async () => {
    await using nextcloud = startNextcloud()
    await using scene = await startScene()
    const env = { SVC_PORT: String(scene.server.port) }
    const args = ['import', '--from', nextcloud.url, '--user', 'olaf', '--to', 'ida']
    const run = (stdin: string) => podstep(args, { cwd: scene.folder.path, env, stdin })
    const refused = { code: 1, err: expect.stringContaining('import_allow_private could allow it') }
    expect(await run(PASSWORD)).toMatchObject(refused)
    await scene.server.stop()
    const rejected = { code: 1, err: expect.stringMatching(/does not accept the user name or the password/) }
    expect(await run('wrong')).toMatchObject(rejected)
    const done = expect.stringContaining(`episode actions: ${ACTIONS} imported, 0 already here`)
    expect(await run(PASSWORD)).toMatchObject({ code: 0, out: done })
  })
})
