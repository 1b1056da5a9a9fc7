import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { ReservedSQL } from 'bun'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { type Connections, keepConnections } from '../../../src/store/postgres/connections.ts'
import { createEngine } from '../../../src/store/postgres/engine.ts'
import { createPostgresStore } from '../../../src/store/postgres/store.ts'
import { describePostgres, testDatabases } from '../../support/postgres.ts'
import { addUser, change, T } from '../contract/fixtures.ts'

/** Connections that record statements and fail if `answer` returns an error. */
function scripted(answer: (sql: string, n: number) => unknown) {
  const texts: string[] = []
  function unsafe(sql: string) {
    texts.push(sql)
    const result = answer(sql, texts.length)
    const done = result instanceof Error ? Promise.reject(result) : Promise.resolve(Object.assign([], { count: 0 }))
    return Object.assign(done, { values: () => done })
  }
  const connection = Object.assign(([sql = '']: TemplateStringsArray) => unsafe(sql), {
    unsafe,
    release: () => void texts.push('released'),
  })
  // The engine uses nothing else of a connection.
  return { texts, connections: keepConnections({ reserve: async () => connection as unknown as ReservedSQL }) }
}

const failure = (errno: string) => Object.assign(new Error(errno), { errno })

describe('a change', () => {
  const work = (engine: ReturnType<typeof createEngine>) => {
    const statement = engine.db.prepare<undefined, []>('DELETE FROM mails')
    return () => void statement.run()
  }

  test('is one transaction, which starts with its lock', async () => {
    const { texts, connections } = scripted(() => undefined)
    const engine = createEngine(connections)
    await engine.queue.run('accounts', work(engine))
    expect(texts).toEqual(['BEGIN', expect.stringContaining('advisory'), 'DELETE FROM mails', 'COMMIT'])
  })

  for (const state of ['40001', '40P01', '23505'])
    test(`is retried a few times after ${state}`, async () => {
      let failures = 2
      const { texts, connections } = scripted((sql) => sql.startsWith('DELETE') && failures-- > 0 && failure(state))
      const engine = createEngine(connections)
      await engine.queue.run(null, work(engine))
      expect(texts.filter((text) => text.startsWith('DELETE'))).toHaveLength(3)
      failures = Number.POSITIVE_INFINITY
      await expect(engine.queue.run(null, work(engine))).rejects.toMatchObject({ errno: state })
    })

  const unavailable = ['57P01', '57P03', '53300', '53100', '08006', '55P03', '57014', '25006']
  for (const state of unavailable)
    test(`is refused with "unavailable" after ${state}`, async () => {
      const { connections } = scripted((sql) => sql.startsWith('DELETE') && failure(state))
      const engine = createEngine(connections)
      await expect(engine.queue.run(null, work(engine))).rejects.toMatchObject({ code: 'unavailable' })
    })

  test('is rolled back after an error', async () => {
    const { texts, connections } = scripted((sql) => sql === 'SELECT 1' && failure('42601'))
    const engine = createEngine(connections)
    const find = engine.db.prepare<undefined, []>('SELECT 1')
    await expect(engine.queue.run(null, () => void find.get())).rejects.toThrow('42601')
    expect(texts).toEqual(['BEGIN', 'SELECT 1', 'ROLLBACK'])
  })

  test('releases a lost connection', async () => {
    const { texts, connections } = scripted((sql) => sql.startsWith('DELETE') && failure('57P01'))
    const engine = createEngine(connections)
    await expect(engine.queue.run(null, work(engine))).rejects.toMatchObject({ code: 'unavailable' })
    expect(texts).toEqual(['BEGIN', 'DELETE FROM mails', 'COMMIT', 'released'])
  })

  test('is retried if the server has closed the idle connection', async () => {
    const server: { isClosed: boolean } = { isClosed: false }
    const { texts, connections } = scripted((sql) => server.isClosed && sql.startsWith('BEGIN') && failure('08006'))
    const engine = createEngine({
      async lease() {
        const lease = await connections.lease()
        server.isClosed &&= lease.isUsed
        return lease
      },
    })
    const find = engine.db.prepare<undefined, []>('SELECT 1')
    const change = () => engine.queue.run(null, () => void find.get())
    await change()
    server.isClosed = true
    await change()
    const once = ['BEGIN', 'SELECT 1', 'COMMIT']
    expect(texts).toEqual([...once, 'BEGIN', 'SELECT 1', 'released', ...once])
  })

  test('is never retried after its commit was sent', async () => {
    const server: { isClosed: boolean } = { isClosed: false }
    const { texts, connections } = scripted((sql) => server.isClosed && sql === 'COMMIT' && failure('08006'))
    const engine = createEngine(connections)
    await engine.queue.run(null, work(engine))
    server.isClosed = true
    await expect(engine.queue.run(null, work(engine))).rejects.toMatchObject({ code: 'unavailable' })
    expect(texts.filter((text) => text.startsWith('DELETE'))).toHaveLength(2)
  })

  test('fails with the first error, even of a statement whose result is not used', async () => {
    let failures = 1
    const { connections } = scripted((sql) => sql.startsWith('DELETE') && failures-- > 0 && failure('23503'))
    const engine = createEngine(connections)
    const [remove, find] = [
      engine.db.prepare<undefined, []>('DELETE FROM mails'),
      engine.db.prepare<undefined, []>('SELECT 1'),
    ]
    const change = engine.queue.run(null, () => {
      engine.db.each([1, 2], () => {
        find.get()
        remove.run()
      })
      return 'done'
    })
    await expect(change).rejects.toMatchObject({ errno: '23503' })
  })

  test('is refused after the end', async () => {
    const { connections } = scripted(() => undefined)
    const engine = createEngine(connections)
    engine.end()
    await expect(engine.queue.run(null, work(engine))).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describePostgres('on PostgreSQL', () => {
  const databases = testDatabases()
  let one: Connections
  let other: Connections

  beforeAll(async () => {
    const database = await databases.create()
    one = database.connections
    other = databases.connect(database.url)
  })
  beforeEach(() => databases.empty(one))

  test('32 users can add the same feeds concurrently through two processes', async () => {
    const stores = [createPostgresStore(one), createPostgresStore(other)] as const
    const feeds = Array.from({ length: 40 }, (_, n) => `https://shared.example/${n}`)
    const users: UserId[] = []
    for (let n = 0; n < 32; n++) users.push(await addUser(stores[0], `user${n}`))
    await Promise.all(
      users.map(async (user, n) => {
        const store = stores[n % 2 === 0 ? 0 : 1]
        for (const feed of shuffled(feeds, n).slice(0, 10)) await change(store, user, 'phone', { add: [feed] })
        await change(store, user, 'phone', { add: shuffled(feeds, n + 50) })
      }),
    )
    for (const user of users) expect((await stores[0].subscriptions.listDevice(user, 'phone'))?.length).toBe(40)
  })

  test('a cursor skips no concurrent changes of several processes', async () => {
    const stores = [createPostgresStore(one), createPostgresStore(other)] as const
    const user = await addUser(stores[0])
    await change(stores[0], user, 'phone', {})
    const received = new Set<string>()
    let since = 0
    const poll = async () => {
      for (let polls = 0; polls < 300; polls++) {
        const { add, clock } = await stores[0].subscriptions.changesSince(user, 'phone', since)
        for (const url of add) received.add(url)
        since = clock
      }
    }
    const polling = poll()
    await Promise.all(
      stores.flatMap((store, s) =>
        [0, 1].map(async (w) => {
          for (let n = 0; n < 25; n++)
            await change(store, user, 'phone', { add: [`https://${s}${w}.example/${n}`], at: T })
        }),
      ),
    )
    await polling
    const { add } = await stores[0].subscriptions.changesSince(user, 'phone', since)
    for (const url of add) received.add(url)
    expect(received.size).toBe(100)
  })
})

/** Shuffles by seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const key = (n: number) => ((n + 1) * 2_654_435_761 * (seed * 2 + 1)) % 4_294_967_291
  return items
    .map((item, n) => ({ item, key: key(n) }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item)
}
