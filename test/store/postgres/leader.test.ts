import { afterEach, expect, test } from 'bun:test'
import { Secret } from '../../../src/platform/secret.ts'
import { type LeaderLock, openLeaderLock } from '../../../src/store/postgres/leader.ts'
import { FakeTimer } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { describePostgres, testDatabases } from '../../support/postgres.ts'

describePostgres('the lock of the active process', () => {
  const databases = testDatabases()
  const opened: LeaderLock[] = []

  async function open(url: string, timer = new FakeTimer()): Promise<LeaderLock> {
    const lock = await openLeaderLock({ url: new Secret(url), timer: timer.start })
    opened.push(lock)
    return lock
  }

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((lock) => lock.release()))
  })

  /** The connection that holds the lock. */
  const HOLDER = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = 1886348403 AND objid = 4
    AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

  test('cannot be opened without a server', async () => {
    const nowhere = new Secret('postgres://ida@127.0.0.1:1/podstep')
    await expect(openLeaderLock({ url: nowhere, timer: new FakeTimer().start })).rejects.toThrow('does not answer')
  })

  test('is held by one process at a time', async () => {
    const { url } = await databases.create()
    const [one, other] = [await open(url), await open(url)]
    expect(await one.tryTake()).toBe(true)
    expect(await other.tryTake()).toBe(false)
    expect(await one.tryTake()).toBe(true)
    await one.release()
    await eventually(() => other.tryTake(), Boolean)
  })

  test('is separate for each database', async () => {
    const [one, other] = await Promise.all([databases.create(), databases.create()])
    expect(await (await open(one.url)).tryTake()).toBe(true)
    expect(await (await open(other.url)).tryTake()).toBe(true)
  })

  test('is lost with its connection, and free for another process', async () => {
    const { url, sql } = await databases.create()
    const [one, other] = [await open(url), await open(url)]
    expect(await one.tryTake()).toBe(true)
    const [{ pid }] = await sql.unsafe(HOLDER)
    await sql`SELECT pg_terminate_backend(${pid})`
    expect(await one.lost).toMatchObject({ errno: '57P01' })
    await eventually(() => other.tryTake(), Boolean)
    await expect(one.tryTake()).rejects.toThrow('terminating connection')
  })

  test('is lost if the server falls silent without closing the connection', async () => {
    const { url } = await databases.create()
    const timer = new FakeTimer()
    using proxy = await startProxy(url)
    const lock = await open(proxy.url, timer)
    expect(await lock.tryTake()).toBe(true)
    proxy.fallSilent()
    timer.pass(2000)
    timer.pass(10_000)
    expect(String(await lock.lost)).toContain('takes longer than 10 seconds for an answer')
  })
})

/** Starts a proxy for the server that can fall silent. */
async function startProxy(url: string) {
  const { hostname, port } = new URL(url)
  let isSilent = false
  const sockets: { end(): void }[] = []
  const listener = Bun.listen<{ upstream: Promise<Bun.Socket> }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(client) {
        const upstream = Bun.connect({
          hostname,
          port: Number(port || 5432),
          socket: {
            data(_, bytes) {
              if (!isSilent) client.write(bytes)
            },
          },
        })
        client.data = { upstream }
        sockets.push(client)
        void upstream.then((socket) => sockets.push(socket))
      },
      async data({ data }, bytes) {
        const copy = Uint8Array.from(bytes)
        const upstream = await data.upstream
        if (!isSilent) upstream.write(copy)
      },
    },
  })
  const target = new URL(url)
  target.hostname = '127.0.0.1'
  target.port = String(listener.port)
  return {
    url: target.href,
    fallSilent() {
      isSilent = true
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.end()
      listener.stop(true)
    },
  }
}
