import { expect, test } from 'bun:test'
import { describePostgres, testDatabases } from '../support/postgres.ts'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { CHANGES, IDA, LIST } from './support/scene.ts'
import { startServer } from './support/server.ts'

const EPISODES = '/api/2/episodes/ida.json'
const FEED = 'https://a.example/feed'
const FEEDS_NEVER = { SVC_FEED_REFRESH_CRON: '0 0 29 2 *', SVC_OUTBOUND: 'off' }

describePostgres('podstep on PostgreSQL', () => {
  const databases = testDatabases()

  /** A folder for a server on the database, and its settings. */
  function place(url: string) {
    const folder = emptyFolder()
    const env = { SVC_DATABASE: url, ...FEEDS_NEVER }
    return { folder, cwd: folder.path, env, [Symbol.dispose]: () => folder[Symbol.dispose]() }
  }

  test('keeps everything after a restart in another folder, and allows commands while it runs', async () => {
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

  test('commands refuse what needs SQLite, and doctor checks PostgreSQL', async () => {
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
})
