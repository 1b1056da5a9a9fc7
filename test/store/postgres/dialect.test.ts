import { describe, expect, test } from 'bun:test'
import type { Database, Sql, Statement, Value } from '../../../src/store/engine.ts'
import { toPostgres } from '../../../src/store/postgres/dialect.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { createStores } from '../../../src/store/stores.ts'
import { countedDatabase } from '../../support/database.ts'
import { describePostgres, testDatabases } from '../../support/postgres.ts'
import { BY_COMMAND_LINE, newUser, T, tokenHash } from '../contract/fixtures.ts'

const ITEMS = (n: number) =>
  `(SELECT value, n - 1 AS key FROM json_array_elements_text($${n}::text::json) WITH ORDINALITY AS items (value, n))`

describe('a statement for PostgreSQL', () => {
  test.each([
    ['parameters by number', 'SELECT ?2 - ?1 WHERE ?11 = 1', 'SELECT $2 - $1 WHERE $11 = 1'],
    ['parameters in order', 'delete from "a" where "b" = ? and "c" = ?', 'delete from "a" where "b" = $1 and "c" = $2'],
    ['no hints against indexes', 'WHERE a = +?1 AND b = ?2 + 1', 'WHERE a = $1 AND b = $2 + 1'],
    ['no hints for indexes', 'FROM a x INDEXED BY a_b WHERE x.b = 1', 'FROM a x WHERE x.b = 1'],
    [
      'no hints for the order of tables',
      'FROM a CROSS JOIN b x ON x.id = a.id CROSS JOIN c\n  ON c.id = x.id LEFT JOIN d ON d.id = 1',
      'FROM a JOIN b x ON x.id = a.id JOIN c\n  ON c.id = x.id LEFT JOIN d ON d.id = 1',
    ],
    [
      'subqueries that use an index',
      'WHERE NOT EXISTS (SELECT 1 FROM a WHERE (b = 1) AND EXISTS (SELECT 1 FROM c)) OR EXISTS (SELECT 2)',
      'WHERE NOT EXISTS (SELECT 1 FROM a WHERE (b = 1) AND EXISTS (SELECT 1 FROM c OFFSET 0) OFFSET 0) OR EXISTS (SELECT 2 OFFSET 0)',
    ],
    [
      'joins that use both columns of an index',
      'LEFT JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value ->> 1 CROSS JOIN episodes o ON o.podcast_id = p.id AND o.url = e.url',
      `LEFT JOIN LATERAL (SELECT * FROM episodes WHERE podcast_id = p.id AND url = j.value::json ->> 1 OFFSET 0) e ON true JOIN LATERAL (SELECT * FROM episodes WHERE podcast_id = p.id AND url = e.url OFFSET 0) o ON true`,
    ],
    ['a cross join', 'FROM a CROSS JOIN b CROSS JOIN (SELECT 1) c', 'FROM a CROSS JOIN b CROSS JOIN (SELECT 1) c'],
    ['a list', 'FROM json_each(+?2) j JOIN a ON a.b = j.value', `FROM ${ITEMS(2)} j JOIN a ON a.b = j.value`],
    [
      'a list in a cross join',
      'FROM a CROSS JOIN json_each(?1) j WHERE 1 = 1',
      `FROM a CROSS JOIN ${ITEMS(1)} j WHERE 1 = 1`,
    ],
    ['a list without a name', 'IN (SELECT value FROM json_each(?1))', `IN (SELECT value FROM ${ITEMS(1)} items)`],
    ['a list before a condition', 'FROM json_each(?1) WHERE true', `FROM ${ITEMS(1)} items WHERE true`],
    ['an item of JSON', 'SELECT j.value ->> 0, name ->> 1', 'SELECT j.value::json ->> 0, name::json ->> 1'],
    ['a member of JSON', `WHERE s.value -> '$.public' IS NOT NULL`, `WHERE json_member(s.value, 'public') IS NOT NULL`],
    ['JSON of rows', 'SELECT json_group_array(a.b) AS ids', `SELECT COALESCE(json_agg(a.b), '[]')::text AS ids`],
    ['JSON of columns', 'SELECT json_array(a, b)', 'SELECT json_build_array(a, b)::text'],
    ['equality with NULL', 'WHERE a IS ?1 AND b IS c', 'WHERE a IS NOT DISTINCT FROM $1 AND b IS NOT DISTINCT FROM c'],
    [
      'inequality with NULL',
      `WHERE a IS NOT 0 AND b IS NOT 'gone' AND (a, b) IS NOT\n (c, d)`,
      `WHERE a IS DISTINCT FROM 0 AND b IS DISTINCT FROM 'gone' AND (a, b) IS DISTINCT FROM (c, d)`,
    ],
    [
      'the common syntax for NULL and truth',
      'WHERE a IS NULL AND b IS NOT NULL AND c IS TRUE AND d IS NOT TRUE',
      'WHERE a IS NULL AND b IS NOT NULL AND c IS TRUE AND d IS NOT TRUE',
    ],
    ['the larger of two', 'SELECT max(0, MAX(a) - min(b, MIN(c)))', 'SELECT GREATEST(0, MAX(a) - LEAST(b, MIN(c)))'],
    ['a value for NULL', "IFNULL(a, '')", "COALESCE(a, '')"],
    ['the position of a text', "substr(a, 1, instr(a, ' ') - 1)", "substr(a, 1, strpos(a, ' ') - 1)"],
    ['an integer', 'CAST(?1 AS INTEGER)', 'CAST($1 AS bigint)'],
    ['a pattern', "a LIKE ?1 ESCAPE '\\'", "a ILIKE $1 ESCAPE '\\'"],
    ['no limit', 'LIMIT -1 OFFSET ?1', 'LIMIT ALL OFFSET $1'],
    [
      'names in camel case',
      'SELECT a.b_c AS bC FROM (SELECT 1 AS aB) x',
      'SELECT a.b_c AS "bC" FROM (SELECT 1 AS "aB") x',
    ],
    [
      'a new row of the query builder',
      'insert into "a" ("id", "b", "c") values (null, ?, null) on conflict ("a"."b", "a"."c") do update set "b" = ?',
      'insert into "a" ("id", "b", "c") values (default, $1, null) on conflict ("b", "c") do update set "b" = $2',
    ],
    ['a comment', "SELECT 1, -- user's\n 2", 'SELECT 1, \n 2'],
  ])('has %s', (_, sqlite, postgres) => {
    expect(toPostgres(sqlite)).toBe(postgres)
  })

  test.each([
    `SELECT 'What IS ?1 LIKE, isGone? IFNULL(+?2) ''max(''' AS "IS ?1 isGone"`,
    `SELECT '12', "34", '0' AS "0"`,
    `SELECT '$.a'`,
  ])('keeps quoted text: %s', (sql) => {
    expect(toPostgres(sql)).toBe(sql)
  })
})

describePostgres('every statement of the stores', () => {
  const databases = testDatabases()

  test('can be prepared', async () => {
    const { sql } = await databases.create()
    const texts = [...new Set([...preparedTexts(), ...(await builtTexts())])].map(toPostgres)
    const faults: string[] = []
    await sql.begin(async (tx) => {
      for (const text of texts) {
        try {
          await tx.savepoint((part) => part.unsafe(`PREPARE tried AS ${text}`))
        } catch (error) {
          faults.push(`${error}: ${text}`)
          continue
        }
        await tx.unsafe('DEALLOCATE tried')
      }
    })
    expect(faults).toEqual([])
    expect(texts.length).toBeGreaterThan(500)
  }, 60_000)
})

/** Statements that are prepared with the stores. */
function preparedTexts(): string[] {
  const texts: string[] = []
  const nothing: Statement<never, readonly Value[]> = {
    get: () => null,
    all: () => [],
    iterate: () => [],
    run: () => ({ changes: 0 }),
    values: () => [],
  }
  const db: Database = {
    prepare<Row, Params extends readonly Value[]>(sql: Sql): Statement<Row, Params> {
      texts.push(typeof sql === 'string' ? sql : sql.postgres)
      return nothing
    },
    together: (steps) => steps.map((step) => step()) as never,
    each: (items, work) => Array.from(items, work),
    hold: () => undefined,
    once: (compute) => compute(),
  }
  const read = async <T>(work: () => T) => work()
  createStores(db, { read }, { run: (_, work) => read(work), runDeferred: (_, work) => read(work) })
  return texts
}

/** Statements of the query builder, which creates them when they are executed. */
async function builtTexts(): Promise<string[]> {
  const { db, during } = countedDatabase()
  const store = createSqliteStore(db)
  const executed = await during(async () => {
    const { id } = await store.users.register(newUser('ida', 'ida@pods.example'), 'open', undefined)
    await store.users.list()
    await store.users.stats()
    await store.mails.request({ purpose: 'activation', emailKey: 'ida@pods.example', language: 'en' }, T)
    await store.mails.waiting(10)
    for (const mail of await store.mails.listDue(T, 10)) await store.mails.postpone(mail, T + 60, 'no route')
    await store.audit.add(BY_COMMAND_LINE, 'user_created', 'ida')
    await store.audit.page(0, 10, { actions: ['user_created'], username: 'ida' })
    await store.tokens.issue({ userId: id, purpose: 'password_reset', hash: tokenHash(1), expiresAt: T + 9 }, true)
    await store.tokens.isLive('password_reset', tokenHash(1), T)
    await store.identities.link(id, { issuer: 'https://id.example', subject: '1' }, T)
    await store.identities.list(id)
    const session = await store.sessions.create(id, tokenHash(2), { at: T, expiresAt: T + 9 }, 100)
    const app = { name: 'app', scope: 'sync', hash: tokenHash(3), at: T } as const
    await store.appPasswords.remove(id, await store.appPasswords.create(session, id, app))
    await store.appPasswords.list(id, T)
    const flow = { pollHash: tokenHash(4), pageHash: tokenHash(5), userAgent: 'app', expiresAt: T + 9 }
    await store.loginFlows.begin(flow, 100, T)
    await store.loginFlows.grant(tokenHash(5), session, id, T)
    await store.loginFlows.collect(tokenHash(4), tokenHash(6), T)
    const proof = { verifiedHash: 'hash of ida' }
    const factor = { secret: tokenHash(7), lastStep: 1, at: T }
    await store.secondFactors.enable(id, factor, [tokenHash(8), tokenHash(9)], proof, session)
    await store.secondFactors.find(id)
    await store.secondFactors.useStep(id, tokenHash(7), 2)
    await store.secondFactors.useRecoveryCode(id, tokenHash(8))
  })
  return executed.filter((sql) => /^[a-z]/.test(sql))
}
