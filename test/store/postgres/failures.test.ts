import { expect, test } from 'bun:test'
import type { SQL } from 'bun'
import { keepConnections } from '../../../src/store/postgres/connections.ts'
import { createPostgresStore } from '../../../src/store/postgres/store.ts'

/** A server that answers each statement with a row, or is down. */
function scripted() {
  const server: { isUp: boolean; queries: number } = { isUp: true, queries: 0 }
  async function unsafe(sql: string) {
    if (sql.includes('one')) server.queries++
    return Object.assign([{ one: 1 }], { count: 1, columns: [] })
  }
  const connection = Object.assign(([sql = '']: TemplateStringsArray) => unsafe(sql), {
    unsafe,
    release: () => undefined,
  })
  const pool = {
    async reserve() {
      if (!server.isUp) throw Object.assign(new Error('Failed to connect'), { code: 'ERR_POSTGRES_CONNECTION_REFUSED' })
      return connection
    },
  }
  // The part of a connection that the engine uses.
  return { server, connections: keepConnections(pool as unknown as Pick<SQL, 'reserve'>) }
}

test('an outage of PostgreSQL is logged once, and so is its end', async () => {
  const { server, connections } = scripted()
  const reports: string[] = []
  const store = createPostgresStore(connections, {
    onFailure: () => reports.push('down'),
    onRecovery: () => reports.push('up'),
  })
  server.isUp = false
  for (let n = 0; n < 3; n++) await expect(store.probe()).rejects.toMatchObject({ code: 'unavailable' })
  expect(reports).toEqual(['down'])
  server.isUp = true
  await store.probe()
  await store.probe()
  expect(reports).toEqual(['down', 'up'])
})

test('health checks query PostgreSQL once per five seconds, and share a query', async () => {
  const { server, connections } = scripted()
  let now = 0
  const store = createPostgresStore(connections, { monotonic: () => now })
  await Promise.all([store.probe(), store.probe()])
  now = 4999
  await store.probe()
  expect(server.queries).toBe(1)
  now = 5000
  await store.probe()
  expect(server.queries).toBe(2)
})

test('checks of database files always pass', async () => {
  const store = createPostgresStore(scripted().connections)
  expect([await store.check(), store.isSound(), store.isOverwritten()]).toEqual([0, true, false])
})
