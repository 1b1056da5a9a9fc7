import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import fc from 'fast-check'
import { queryWords } from '../../../src/domain/directory/words.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import { systemTimer } from '../../../src/platform/clock.ts'
import { Secret } from '../../../src/platform/secret.ts'
import { type CopyOptions, copyToPostgres, copyToSqlite } from '../../../src/store/copy/copy.ts'
import { openLeaderLock } from '../../../src/store/postgres/leader.ts'
import { createPostgresStore } from '../../../src/store/postgres/store.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/stores.ts'
import { describePostgres, postgresUrl, testDatabases } from '../../support/postgres.ts'
import { action, addUser, BY_COMMAND_LINE, index, listActions, report, T } from '../contract/fixtures.ts'
import { tempDirs } from '../temp-dir.ts'
import { schemaOf } from '../upgrade/dump.ts'
import { restoreFixture } from '../upgrade/fixtures.ts'
import { contentsOfPostgres, contentsOfSqlite, fillTables } from './filled-tables.ts'

const OPTIONS: CopyOptions = { version: 'test', now: T }
const TEXTS = ['Möwe 🐋‍ "\\u0000" \\ \' \t\r\n\u007f\u0001 {"a":null}', '', '\ufffe\uffff\u{10ffff}é']

const LOST = /^the connection to database "podstep_test_\w+" of PostgreSQL at .* was lost/

describePostgres('a copy between SQLite and PostgreSQL', () => {
  const dirs = tempDirs()
  const databases = testDatabases()

  const filled = new Map<string, Buffer>()

  /** A folder with a filled SQLite database, and an empty PostgreSQL database. */
  async function scene(texts = TEXTS, isEmpty = false) {
    const folder = dirs.make()
    const path = join(folder, 'podstep.db')
    const key = JSON.stringify(texts)
    const bytes = filled.get(key)
    if (bytes) writeFileSync(path, bytes)
    else {
      fillTables(folder, texts)
      filled.set(key, readFileSync(path))
    }
    const { url, sql, name } = await databases.create({ isEmpty })
    return { folder, path, sql, name, plainUrl: url, url: new Secret(url), back: join(folder, 'back.db') }
  }

  const refusal = (work: Promise<unknown>) =>
    work.then(
      () => 'not refused',
      (error) => (error instanceof Error ? error.message : String(error)),
    )

  test('copies more rows than are read at once, and refuses another program’s file', async () => {
    const { path, url } = await scene(TEXTS, true)
    const db = new Database(path)
    db.run(`INSERT INTO audit_log (at, via, action) WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 6000)
            SELECT n, 'command_line', 'user_created' FROM n`)
    db.close()
    await copyToPostgres(path, url, OPTIONS)
    const other = join(dirs.make(), 'other.db')
    new Database(other).close()
    expect(await refusal(copyToPostgres(other, url, OPTIONS))).toBe(`${other} is not a database of podstep`)
  })

  test('copies all rows of all tables in both directions', async () => {
    const { path, url, sql, back } = await scene(TEXTS, true)
    const before = contentsOfSqlite(path)
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])

    const there = await copyToPostgres(path, url, OPTIONS)
    const rows = Object.values(before).flat().length
    expect(there).toEqual({ tables: 49, rows, cleaned: 0 })
    expect(await contentsOfPostgres(sql)).toEqual(before)

    await copyToSqlite(url, back, OPTIONS)
    expect(contentsOfSqlite(back)).toEqual(before)
    const schemas = [path, back].map((file) => {
      const db = new Database(file, { readonly: true })
      const schema = schemaOf(db)
      db.close()
      return schema
    })
    expect(schemas[1]).toEqual(schemas[0] ?? [])

    const triggers = await sql`SELECT DISTINCT tgenabled FROM pg_trigger WHERE NOT tgisinternal`.values()
    expect(triggers).toEqual([['O']])
    for (const table of ['episode_actions', 'user_episodes', 'joined_episodes']) {
      const [{ next, last } = { next: 0, last: 0 }] = await sql.unsafe<{ next: number; last: number }[]>(
        `SELECT nextval('${table}_block')::int AS next, MAX(id)::int AS last FROM ${table}`,
      )
      expect(last).toBeGreaterThanOrEqual(40_000)
      expect(next).toBeGreaterThan(last)
    }
  })

  test('keeps all texts, except NUL characters', async () => {
    const texts = fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 40 }), { minLength: 2, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(texts, async (list) => {
        const { path, url, sql, back } = await scene(list)
        await copyToPostgres(path, url, OPTIONS)
        await copyToSqlite(url, back, OPTIONS)
        const without = (lines: readonly string[]) => lines.map((line) => line.replaceAll('\0', '\ufffd')).toSorted()
        const before = Object.entries(contentsOfSqlite(path)).map(([name, lines]) => [name, without(lines)])
        expect(contentsOfSqlite(back)).toEqual(Object.fromEntries(before))
        expect(await contentsOfPostgres(sql)).toEqual(contentsOfSqlite(back))
      }),
      { numRuns: 2 },
    )
  }, 60_000)

  test('counts the texts that it has to change, including keys', async () => {
    const { path, url, sql } = await scene([])
    const db = new Database(path)
    db.run(`UPDATE devices SET caption = 'a' || char(0) || 'b' WHERE uid = 'phone'`)
    db.run(`INSERT INTO upkeep VALUES ('a' || char(0) || 'z', 1), ('ab', 2)`)
    db.close()
    expect((await copyToPostgres(path, url, OPTIONS)).cleaned).toBe(3)
    expect(await sql`SELECT DISTINCT caption FROM devices WHERE uid = 'phone'`.values()).toContainEqual(['a\ufffdb'])
  })

  /** Reads through the store what an index or the indexer affects. */
  async function answers(store: Store) {
    await index(store)
    while (await store.indexStore.hasPendingEpisodes()) await store.indexStore.indexEpisodes(10)
    const users = await store.users.list()
    const ida = users.find(({ username }) => username === 'ida')?.id as UserId
    const search = async (text: string) =>
      (await store.directory.search({ text, words: queryWords(text) }, ida, 20)).map(({ url }) => url)
    return {
      users,
      podcasts: await store.subscriptions.listUser(ida),
      actions: await listActions(store, ida),
      newest: await listActions(store, ida, { aggregated: true }),
      toplist: await store.directory.toplist(20),
      tags: await store.directory.tags(20),
      found: [await search('harbour'), await search('fog'), await search('tide'), await search('harbuor')],
    }
  }

  test('has the same answers and search results as the source, and unused row numbers', async () => {
    const folder = dirs.make()
    const { path } = restoreFixture(folder)
    const source = new Database(path)
    // This number must not be reused.
    source.run(`INSERT INTO users (id, username, username_key, state, created_at) VALUES (70, 'x', 'x', 'active', 0)`)
    source.run('DELETE FROM users WHERE id = 70')
    source.close()
    const { connections, url } = await databases.create({ isEmpty: true })
    await copyToPostgres(path, new Secret(url), OPTIONS)
    const back = join(dirs.make(), 'podstep.db')
    await copyToSqlite(new Secret(url), back, OPTIONS)

    const store = createPostgresStore(connections)
    const [here, there, again] = [new Database(path), store, new Database(back)]
    const expected = await answers(createSqliteStore(here))
    expect(expected.found[0]?.length).toBeGreaterThan(0)
    expect(await answers(there)).toEqual(expected)
    expect(await answers(createSqliteStore(again))).toEqual(expected)

    for (const each of [store, createSqliteStore(again)]) {
      const last = Math.max(...(await each.users.list()).map(({ id }) => id))
      const uma = await addUser(each, 'uma')
      expect(uma).toBe(71 as UserId)
      expect(uma).toBeGreaterThan(last)
      await report(each, uma, [action(), action({ episode: 'https://cdn.example/2.mp3' })])
      expect(await listActions(each, uma)).toHaveLength(2)
      await each.users.remove('ole', BY_COMMAND_LINE)
    }
    here.close()
    again.close()
  })

  test('is refused if the target has rows, which are kept', async () => {
    const { path, url, sql } = await scene([])
    await copyToPostgres(path, url, OPTIONS)
    await sql`DELETE FROM users WHERE username <> 'ole'`
    const before = await contentsOfPostgres(sql)
    expect(await refusal(copyToPostgres(path, url, OPTIONS))).toMatch(/ is not empty \(table "\w+" has rows\)/)
    expect(await contentsOfPostgres(sql)).toEqual(before)
    // Not upgraded either.
    await sql`DELETE FROM schema_migrations WHERE name <> '0000_init'`
    expect(await refusal(copyToPostgres(path, url, OPTIONS))).toContain('is not empty (table "users" has rows)')
    expect(await sql`SELECT 1 FROM schema_migrations`).toHaveLength(1)
  })

  test('is refused while a server is active on the target', async () => {
    const { path, url, sql } = await scene([])
    const server = await openLeaderLock({ url, timer: systemTimer })
    expect(await server.tryTake()).toBe(true)
    expect(await refusal(copyToPostgres(path, url, OPTIONS))).toMatch(/^another program is using .*; stop it first$/)
    await server.release()
    expect(await sql`SELECT 1 FROM users`).toHaveLength(0)
  }, 30_000)

  test('is refused if the source has another version', async () => {
    const { path, url, sql, back } = await scene([])
    await copyToPostgres(path, url, OPTIONS)
    const later = `INSERT INTO schema_migrations (name, sha256, applied_at, version) VALUES ('9999_later', 'x', 0, '9.9')`
    const earlier = `DELETE FROM schema_migrations WHERE name <> '0000_init'`
    const db = new Database(path)
    for (const [statement, message] of [
      [later, /was written by podstep 9\.9/],
      [earlier, /is of an older version; start the server/],
    ] as const) {
      db.run(statement)
      await sql.unsafe(statement)
      const { url: empty } = await databases.create({ isEmpty: true })
      expect(await refusal(copyToPostgres(path, new Secret(empty), OPTIONS))).toMatch(message)
      expect(await refusal(copyToSqlite(url, back, OPTIONS))).toMatch(message)
    }
    db.close()
    const { url: empty } = await databases.create({ isEmpty: true })
    expect(await refusal(copyToSqlite(new Secret(empty), back, OPTIONS))).toMatch(/is not a database of podstep/)
    expect(existsSync(back)).toBe(false)
  })

  test('fails if a table differs in the copy, and names it', async () => {
    const { path, url, sql } = await scene()
    const { url: other } = await databases.create()
    const spoiled = new SQL(other, { max: 1 })
    await spoiled`CREATE RULE lost AS ON INSERT TO chapters DO INSTEAD NOTHING`
    expect(await refusal(copyToPostgres(path, new Secret(other), OPTIONS))).toMatch(
      /^table "chapters" has \d rows in the source and 0 in the copy$/,
    )
    await spoiled`DROP RULE lost ON chapters`
    await spoiled`CREATE RULE changed AS ON INSERT TO upkeep DO ALSO UPDATE upkeep SET version = version + 1 WHERE task = NEW.task`
    expect(await refusal(copyToPostgres(path, new Secret(other), OPTIONS))).toBe(
      'table "upkeep" has other rows in the copy than in the source',
    )
    expect((await spoiled`SELECT COUNT(*)::int AS n FROM users`)[0]).toEqual({ n: 0 })
    await spoiled.end()
    // A text that is too long for an index of PostgreSQL.
    const db = new Database(path)
    const long = Buffer.from(crypto.getRandomValues(new Uint8Array(9000))).toString('base64')
    db.query('UPDATE podcasts SET url = ?1 WHERE id = 1').run(long)
    db.close()
    expect(await refusal(copyToPostgres(path, url, OPTIONS))).toMatch(
      /^table "podcasts" cannot be written: .*index row/,
    )
    expect(await sql`SELECT 1 FROM users`).toHaveLength(0)
  })

  test('leaves an empty target if interrupted or disconnected at any table', async () => {
    const { path, url, sql, back, folder, name } = await scene()
    /** Calls `disrupt` at a table; aborts without it. */
    const disrupted = (work: (options: CopyOptions) => Promise<unknown>, at: number, disrupt?: () => void) => {
      const controller = new AbortController()
      let seen = 0
      const onProgress = () => {
        if (++seen === at) (disrupt ?? (() => controller.abort()))()
      }
      return refusal(work({ ...OPTIONS, signal: controller.signal, onProgress }))
    }
    const disconnect = () => {
      const statement = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND state LIKE 'idle in%'`
      // A synchronous child process, so that the copy does not go on in the meantime.
      const script = `const sql = new Bun.SQL(process.env.ADMIN); await sql.unsafe(process.env.STATEMENT); await sql.end()`
      const env = { ADMIN: postgresUrl, STATEMENT: statement }
      expect(Bun.spawnSync([process.execPath, '-e', script], { env }).exitCode).toBe(0)
    }
    const toPostgres = (options: CopyOptions) => copyToPostgres(path, url, options)
    const toSqlite = (options: CopyOptions) => copyToSqlite(url, back, options)
    for (const at of [1, 20, 60]) {
      expect(await disrupted(toPostgres, at)).toContain('aborted')
      expect(await sql`SELECT 1 FROM users`).toHaveLength(0)
    }
    expect(await disrupted(toPostgres, 30, disconnect)).toMatch(LOST)
    expect(await sql`SELECT 1 FROM users`).toHaveLength(0)
    expect((await copyToPostgres(path, url, OPTIONS)).rows).toBeGreaterThan(0)
    for (const at of [1, 20, 60]) {
      expect(await disrupted(toSqlite, at)).toContain('aborted')
      expect(readdirSync(folder).filter((file) => file.startsWith('back'))).toEqual([])
    }
    expect(await disrupted(toSqlite, 2, disconnect)).toMatch(LOST)
    expect(readdirSync(folder).filter((file) => file.startsWith('back'))).toEqual([])
  })

  test('explains missing permissions', async () => {
    const { path, sql, plainUrl, name } = await scene([], true)
    const role = `${name}_role`
    await sql.unsafe(`CREATE ROLE ${role} LOGIN`)
    try {
      const other = new URL(plainUrl)
      other.username = role
      expect(await refusal(copyToPostgres(path, new Secret(other.href), OPTIONS))).toMatch(
        new RegExp(`role "${role}" may not create tables`),
      )
      await copyToPostgres(path, new Secret(plainUrl), OPTIONS)
      const back = join(dirs.make(), 'back.db')
      expect(await refusal(copyToSqlite(new Secret(other.href), back, OPTIONS))).toMatch(/permission denied for table/)
      expect(existsSync(back)).toBe(false)
    } finally {
      await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })
})
