import { describe, expect, test } from 'bun:test'
import { createLink } from '../support/cut-link.ts'
import { eventually } from '../support/eventually.ts'
import { type Cluster, freePort, giveToPostgres, postgresPrograms, testClusters } from '../support/postgres-cluster.ts'
import { fill, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { requireBinary } from './support/binary.ts'
import { emptyFolder } from './support/folder.ts'
import { startLoad } from './support/load.ts'
import { CHANGES, complaints, IDA, LIST } from './support/scene.ts'
import { type Server, type ServerOptions, startServer } from './support/server.ts'

const ACTIONS = '/api/2/episodes/ida.json'
const UNREACHABLE = 'waiting for PostgreSQL'
const WAITING = 'another podstep server is active on this database; waiting to take over from it'
const LOST = 'the connection that makes this server the active one has ended; waiting to become it again'

/** The backend process that holds the active server's lock. */
const LEADER = `SELECT pid FROM pg_locks
  WHERE locktype = 'advisory' AND classid = 1886348403 AND objid = 4 AND granted`

if (postgresPrograms === undefined)
  process.stderr.write('skipped the tests of PostgreSQL faults: they need initdb from Debian’s package postgresql\n')

/** Starts a server in its own folder, on a port that is known before it is ready. */
async function startOn({ url }: Pick<Cluster, 'url'>, options: Pick<ServerOptions, 'readyWhen' | 'program'> = {}) {
  const folder = emptyFolder()
  const port = freePort()
  const env = {
    SVC_DATABASE: url,
    SVC_PORT: String(port),
    ...{ SVC_REGISTRATION: 'open', SVC_RATE_LIMIT: 'false', SVC_OUTBOUND: 'off' },
  }
  const server = await startServer({ cwd: folder.path, env, ...options })
  return {
    ...server,
    port,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

async function statusOf({ port }: Pick<Server, 'port'>, path: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}${path}`, { keepalive: false })).status
}

const isActive = async (server: Pick<Server, 'port'>) => (await statusOf(server, '/readyz')) === 200

async function oneIsActive(...servers: readonly Pick<Server, 'port'>[]): Promise<void> {
  const count = async () => (await Promise.all(servers.map(isActive))).filter(Boolean).length
  await eventually(count, (active) => active === 1)
}

const timesLogged = ({ log }: Pick<Server, 'log'>, message: string) => log.filter(({ msg }) => msg === message).length

describe.skipIf(postgresPrograms === undefined)('podstep and a PostgreSQL that fails', () => {
  const clusters = testClusters()

  test('a server waits for PostgreSQL when it starts, and answers 503 while PostgreSQL restarts or crashes', async () => {
    await using cluster = await clusters.create()
    await cluster.stop()
    await using server = await startOn(cluster, { readyWhen: UNREACHABLE })
    expect(await statusOf(server, '/healthz')).toBe(200)
    expect(await statusOf(server, '/readyz')).toBe(503)
    await cluster.start()
    await eventually(() => isActive(server), Boolean)
    expect(complaints(server).map(({ msg }) => msg)).toEqual([UNREACHABLE])

    await using load = await startLoad([server.port])
    for (const [n, mode] of (['fast', 'immediate'] as const).entries()) {
      await load.more(20)
      await cluster.restart(mode)
      await eventually(
        () => timesLogged(server, LOST),
        (times) => times === n + 1,
      )
    }
    await load.more(20)
    await load.finish()
    expect(load.counts.refused).toBeGreaterThan(0)
    expect(load.counts.lost).toBe(0)
    await server.stop()
  })

  test('of servers that start at once, one creates the tables; when it is killed, another takes over', async () => {
    await using cluster = await clusters.create()
    const readyWhen = new RegExp(`is ready$|^${WAITING}$`)
    const starting = [
      startOn(cluster, { readyWhen }),
      startOn(cluster, { readyWhen }),
      startOn(cluster, { readyWhen }),
    ] as const
    await using first = await starting[0]
    await using second = await starting[1]
    await using third = await starting[2]
    const servers = [first, second, third]
    await oneIsActive(...servers)
    const creators = servers.filter((server) => timesLogged(server, 'database is up to date') > 0)
    expect(await Promise.all(creators.map(isActive))).toEqual([true])
    expect(servers.flatMap(complaints)).toEqual([])
    const waiting = servers.find((server) => !creators.includes(server)) ?? first
    expect(await statusOf(waiting, '/healthz')).toBe(200)
    for (const path of ['/readyz', '/', '/api/2/devices/ida.json']) {
      const response = await fetch(`http://127.0.0.1:${waiting.port}${path}`, { keepalive: false })
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5'])
      expect(await response.json()).toMatchObject({ code: 503, error: 'unavailable' })
    }
    await using load = await startLoad([first.port, second.port, third.port])
    for (let left = [first, second, third]; left.length > 1; ) {
      await load.more(30)
      await oneIsActive(...left)
      const active = (await Promise.all(left.map(isActive))).indexOf(true)
      const [killed] = left.splice(active, 1)
      killed?.signal('SIGKILL')
      await killed?.ended()
    }
    await load.more(30)
    await load.finish()
  })

  test('an active server whose connection is cut steps down, and one server becomes active again', async () => {
    await using cluster = await clusters.create()
    await using first = await startOn(cluster)
    await using second = await startOn(cluster, { readyWhen: WAITING })
    await using load = await startLoad([first.port, second.port])
    for (const time of [1, 2]) {
      await load.more(20)
      await oneIsActive(first, second)
      await cluster.administer((sql) => sql.unsafe(`SELECT pg_terminate_backend(pid) FROM (${LEADER}) AS leader`))
      await eventually(
        () => timesLogged(first, LOST) + timesLogged(second, LOST),
        (times) => times === time,
      )
      await oneIsActive(first, second)
    }
    await load.more(20)
    await load.finish()
  })

  test('an active server whose machine goes silent is replaced, and waits when it is back', async () => {
    using link = createLink()
    if (!link) {
      process.stderr.write('skipped the test of a silent machine: it needs root, `ip` and network namespaces\n')
      return
    }
    await using cluster = await clusters.create()
    const url = await cluster.listenOn(link.address)
    await using silent = await startOn({ url }, { program: [...link.prefix, requireBinary()] })
    await using waiting = await startOn(cluster, { readyWhen: WAITING })
    link.cut()
    await eventually(() => isActive(waiting), Boolean)
    link.mend()
    await eventually(
      () => timesLogged(silent, WAITING),
      (times) => times > 0,
    )
    expect(await isActive(waiting)).toBe(true)
  })

  test('a server works with few connections, and answers 503 while it has none', async () => {
    await using cluster = await clusters.create()
    await using server = await startOn(cluster)
    await using load = await startLoad([server.port])
    await load.more(20)
    await limitConnections(cluster, 4)
    await load.more(20)

    await limitConnections(cluster, 1)
    const { refused } = load.counts
    await eventually(
      () => load.counts.refused - refused,
      (count) => count >= 20,
    )
    expect(await statusOf(server, '/healthz')).toBe(200)
    expect(await statusOf(server, '/readyz')).toBe(503)
    {
      await using other = await startOn(cluster, { readyWhen: UNREACHABLE })
      expect(other.ready['cause']).toContain('has no connection left')
    }

    await limitConnections(cluster, -1)
    await load.more(20)
    await eventually(() => isActive(server), Boolean)
    await load.finish()
    // It kept its lock.
    expect(timesLogged(server, LOST)).toBe(0)
    await server.stop()
  })

  test('changes are refused with 503, and not half-written, while the disk is full', async () => {
    using disk = mountSmallDisk(40)
    await using cluster = await clusters.create()
    if (disk) await moveTo(disk, cluster)
    await using server = await startOn(cluster)
    await server.client().post('/api/2/register', { username: 'ida', password: 'seaglass' })
    const ida = server.client(IDA)
    expect((await ida.post(CHANGES, { add: urls('first', 10) })).status).toBe(200)
    const before = await ida.get(`${CHANGES}?since=0`)

    const free = disk ? fill(disk) : await pretendFull(cluster)
    for (const [path, body] of [
      [CHANGES, { add: urls('second', 500) }],
      [ACTIONS, plays(500)],
    ] as const) {
      const refused = await ida.post(path, body)
      expect([refused.status, refused.json]).toMatchObject([503, { code: 503, error: 'unavailable' }])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await ida.get(`${CHANGES}?since=0`)).json).toEqual(before.json)
    expect((await ida.get(`${ACTIONS}?since=0`)).json).toMatchObject({ actions: [] })

    await free()
    expect((await ida.post(CHANGES, { add: urls('second', 500) })).status).toBe(200)
    expect((await ida.post(ACTIONS, plays(500))).status).toBe(200)
    const list = await ida.get(LIST)
    expect(list.json).toBeArrayOfSize(510)
    expect(timesLogged(server, LOST)).toBe(0)
    await server.stop()
  })
})

/** Limits the number of connections, and closes all except those that hold the servers' locks. */
async function limitConnections(cluster: Cluster, count: number): Promise<void> {
  await cluster.administer(async (sql) => {
    await sql.unsafe(`ALTER ROLE podstep CONNECTION LIMIT ${count}`)
    await sql.unsafe(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE usename = 'podstep' AND pid NOT IN (${LEADER})`)
  })
}

/** Moves the tables to a small disk. The write-ahead log stays, since PostgreSQL stops when it has no room for that. */
async function moveTo(disk: SmallDisk, cluster: Cluster): Promise<void> {
  giveToPostgres(disk.path)
  await cluster.administer(async (sql) => {
    await sql.unsafe(`CREATE TABLESPACE small LOCATION '${disk.path}'`)
    await sql.unsafe('ALTER DATABASE podstep SET TABLESPACE small')
  }, 'postgres')
}

/** Simulates a full disk if no file system can be mounted. Returns a function that ends it. */
async function pretendFull(cluster: Cluster): Promise<() => Promise<void>> {
  await cluster.administer(async (sql) => {
    await sql.unsafe(`CREATE FUNCTION be_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'; END $$`)
    for (const table of TABLES)
      await sql.unsafe(`CREATE TRIGGER full_disk AFTER INSERT ON ${table} EXECUTE FUNCTION be_full()`)
  })
  return () =>
    cluster.administer(async (sql) => {
      await sql.unsafe('DROP FUNCTION be_full() CASCADE')
    })
}

const TABLES = ['subscriptions', 'episode_actions']

/** URLs long enough to fill a disk. */
const urls = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `https://${prefix}.example/${'long'.repeat(100)}/${n}`)

const plays = (count: number) =>
  urls('episodes', count).map((episode) => ({
    ...{ podcast: 'https://a.example/feed', episode, device: 'phone' },
    ...{ action: 'play', timestamp: '2025-03-02T10:00:00', started: 0, position: 60, total: 600 },
  }))
