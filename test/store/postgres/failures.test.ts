import { expect, test } from 'bun:test'
import type { SQL } from 'bun'
import { keepConnections } from '../../../src/store/postgres/connections.ts'
import { createPostgresStore } from '../../../src/store/postgres/store.ts'

/** A server that answers everything with a row, or cannot be reached. */
function scripted() {
  const server: { isUp: boolean; asked: number } = { isUp: true, asked: 0 }
  async function unsafe(sql: string) {
    if (sql.includes('one')) server.asked++
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
  const told: string[] = []
  const store = createPostgresStore(connections, {
    onFailure: () => told.push('away'),
    onRecovery: () => told.push('back'),
  })
  server.isUp = false
  for (let n = 0; n < 3; n++) await expect(store.probe()).rejects.toMatchObject({ code: 'unavailable' })
  expect(told).toEqual(['away'])
  server.isUp = true
  await store.probe()
  await store.probe()
  expect(told).toEqual(['away', 'back'])
})

test('health checks ask PostgreSQL once in five seconds, and all of them that come meanwhile at once', async () => {
  const { server, connections } = scripted()
  let now = 0
  const store = createPostgresStore(connections, { monotonic: () => now })
  await Promise.all([store.probe(), store.probe()])
  now = 4999
  await store.probe()
  expect(server.asked).toBe(1)
  now = 5000
  await store.probe()
  expect(server.asked).toBe(2)
})

test('files of a database are nothing that PostgreSQL has: none is damaged or overwritten', async () => {
  const store = createPostgresStore(scripted().connections)
  expect([await store.check(), store.isSound(), store.isOverwritten()]).toEqual([0, true, false])
})
