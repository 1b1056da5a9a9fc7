import { describe, expect, test } from 'bun:test'
import { openDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { A, addUser, B, BY_COMMAND_LINE, change, T, upload } from '../contract/fixtures.ts'
import { tempDirs } from '../temp-dir.ts'
import { turn } from './queue-bench.ts'

const dirs = tempDirs()

/** The stores of a server and of the command line, on the same file. */
function openTwo() {
  const dataDir = dirs.make()
  const open = () => openDatabase({ dataDir, version: 'test', now: T }).db
  const db = open()
  return { db, server: createSqliteStore(db), commandLine: createSqliteStore(open()) }
}

describe('reads outside the write queue', () => {
  test('see changes of another process from the next turn on', async () => {
    const { server, commandLine } = openTwo()
    const ida = await addUser(server)
    expect(await server.users.findByName('ida')).toMatchObject({ state: 'active' })
    await commandLine.users.create(
      { username: 'admin', email: undefined, passwordHash: '', at: T },
      true,
      BY_COMMAND_LINE,
    )
    await commandLine.users.setActive('ida', false, BY_COMMAND_LINE)
    await turn()
    expect(await server.users.findByName('ida')).toMatchObject({ state: 'inactive' })
    await expect(change(server, ida, 'phone', { add: [B] })).resolves.toBeNumber()
  })

  test('within one turn share a transaction', async () => {
    const { db, server } = openTwo()
    const ida = await addUser(server)
    await turn()
    const [names, devices] = await Promise.all([server.users.list(), server.devices.list(ida)])
    expect(db.inTransaction).toBe(true)
    expect([names.length, devices.length]).toEqual([1, 0])
  })

  test('end with the turn, so that they do not block checkpoints', async () => {
    const { db, server, commandLine } = openTwo()
    const ida = await addUser(server)
    await server.devices.list(ida)
    await turn()
    expect(db.inTransaction).toBe(false)
    await upload(commandLine, ida, 'phone', { add: [A] })
    expect(db.query('PRAGMA wal_checkpoint(TRUNCATE)').get()).toMatchObject({ busy: 0, log: 0 })
  })

  test('do not keep an idle store from being closed', async () => {
    const { db, server } = openTwo()
    await server.users.list()
    await server.idle()
    expect(db.inTransaction).toBe(false)
    db.close()
    await turn()
  })
})
