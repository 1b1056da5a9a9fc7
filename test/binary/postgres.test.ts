import { expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { describePostgres, testDatabases } from '../support/postgres.ts'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { CHANGES, IDA, LIST } from './support/scene.ts'
import { startServer } from './support/server.ts'

const EPISODES = '/api/2/episodes/ida.json'
const FEED = 'https://a.example/feed'
const FEEDS_NEVER = { SVC_FEED_REFRESH_CRON: '0 0 29 2 *', SVC_OUTBOUND: 'off' }
const WAITING = 'another podstep server is active on this database; waiting to take over from it'
const LOST = 'the connection that makes this server the active one has ended; waiting to become it again'

describePostgres('podstep on PostgreSQL', () => {
  const databases = testDatabases()

  /** A folder and the settings of a server in it, of which several may be on the same database. */
  function place(url: string) {
    const folder = emptyFolder()
    const env = { SVC_DATABASE: url, ...FEEDS_NEVER }
    return { folder, cwd: folder.path, env, [Symbol.dispose]: () => folder[Symbol.dispose]() }
  }

  test('keeps everything over a restart, also in another folder, and takes commands meanwhile', async () => {
    const { url } = await databases.create({ isEmpty: true })
    using here = place(url)
    {
      await using server = await startServer(here)
      await server.client().post('/api/2/register', { username: 'ida', password: 'seaglass' })
      const ida = server.client(IDA)
      await ida.post(CHANGES, { add: [FEED] })
      const action = { podcast: FEED, episode: 'https://a.example/1.mp3', action: 'play', position: 60, total: 600 }
      await ida.post(EPISODES, [{ ...action, started: 0, timestamp: '2025-03-02T10:00:00' }])
      expect(await podstep(['user', 'create', 'ben'], { ...here, stdin: 'seaglass' })).toMatchObject({ code: 0 })
      await server.stop()
    }
    using there = place(url)
    await using server = await startServer(there)
    const ida = server.client(IDA)
    expect((await ida.get(LIST.replace('.json', '.txt'))).text).toContain(FEED)
    expect((await ida.get(`${EPISODES}?since=0`)).json).toMatchObject({ actions: [{ podcast: FEED, position: 60 }] })
    expect((await ida.get('/api/admin/users')).text).toContain('ben')
    expect((await ida.get('/api/admin/server')).json).toMatchObject({ database: { engine: 'postgresql' } })
    expect(JSON.stringify(server.log)).not.toContain(url)
  })

  test('a second server waits, and takes over when the first one is killed; nothing acknowledged is lost', async () => {
    const { url } = await databases.create()
    using here = place(url)
    using there = place(url)
    await podstep(['user', 'create', 'ida'], { ...here, stdin: 'seaglass' })
    await using first = await startServer(here)
    await using second = await startWaiting(there)
    expect((await second.get('/healthz')).status).toBe(200)
    for (const path of ['/readyz', '/', '/api/2/devices/ida.json']) {
      const response = await second.get(path)
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('5')
      expect(await response.json()).toMatchObject({ code: 503, error: 'unavailable' })
    }

    const acknowledged: string[] = []
    const ida = first.client(IDA)
    let n = 0
    async function write(): Promise<void> {
      for (;;) {
        const feed = `https://a.example/${n++}`
        const { status } = await ida.post(CHANGES, { add: [feed] })
        if (status !== 200) throw new Error(`refused with ${status}`)
        acknowledged.push(feed)
        if (acknowledged.length === 20) first.signal('SIGKILL')
      }
    }
    await expect(write()).rejects.toMatchObject({ code: expect.stringMatching(/^(?:ECONN|Connection)/) })
    expect(acknowledged.length).toBeGreaterThanOrEqual(20)
    await first.ended()
    await eventually(
      () => second.get('/readyz'),
      ({ ok }) => ok,
    )
    const list = await second.get('/subscriptions/ida/phone.txt', IDA)
    expect((await list.text()).split('\n')).toEqual(expect.arrayContaining(acknowledged))
  })

  test('an orderly stop hands over, and a server that loses its lock waits again', async () => {
    const { url, sql } = await databases.create()
    using here = place(url)
    using there = place(url)
    await using first = await startServer(here)
    await using second = await startWaiting(there)
    await first.stop()
    await eventually(
      () => second.get('/readyz'),
      ({ ok }) => ok,
    )

    await using third = await startWaiting(here)
    await sql`SELECT pg_terminate_backend(pid) FROM pg_locks
               WHERE locktype = 'advisory' AND classid = 1886348403 AND objid = 4 AND granted
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    await second.logged(LOST)
    await eventually(
      async () => [await second.get('/readyz'), await third.get('/readyz')].filter(({ ok }) => ok).length,
      (active) => active === 1,
    )
  })

  test('two servers do not share a folder', async () => {
    const { url } = await databases.create()
    using here = place(url)
    await using _first = await startServer(here)
    const { code, err } = await podstep(['serve'], { ...here, env: { ...here.env, SVC_PORT: '0' } })
    expect(code).toBe(1)
    expect(err).toContain('another podstep server is already running on')
  })

  test('commands say what does not apply, and doctor what it sees', async () => {
    const { url } = await databases.create()
    using here = place(url)
    const { code, err } = await podstep(['restore', 'copy.db', '--yes'], here)
    expect(code).toBe(1)
    expect(err).toStartWith('error: the database is PostgreSQL (setting database): ')
    const { out } = await podstep(['doctor', '--json'], here)
    const checks: { check: string; code: string }[] = JSON.parse(out).checks
    expect(checks.find(({ check }) => check === 'database')?.code).toStartWith('postgres_')
    expect(checks.map(({ check }) => check)).not.toContain('disk_space')
    const wrong = { ...here, env: { ...here.env, SVC_DATABASE: 'postgres://ida:hunter2@127.0.0.1:1/podstep' } }
    const refused = await podstep(['user', 'list'], wrong)
    expect(refused.code).toBe(1)
    expect(refused.err).toStartWith('error: PostgreSQL at 127.0.0.1:1 does not answer')
    expect(refused.err).not.toContain('hunter2')
  })

  /** A server that waits for an active one. Its port is known before it is ready. */
  async function startWaiting(where: ReturnType<typeof place>) {
    const port = await freePort()
    const server = await startServer({ ...where, env: { ...where.env, SVC_PORT: String(port) }, readyWhen: WAITING })
    return {
      ...server,
      get: (path: string, headers: Record<string, string> = {}) =>
        fetch(`http://127.0.0.1:${port}${path}`, { headers, keepalive: false }),
    }
  }
})

async function freePort(): Promise<number> {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}
