import { describe, expect, test } from 'bun:test'
import { systemTimer } from '../../../src/platform/clock.ts'
import { Secret } from '../../../src/platform/secret.ts'
import { UnusableDatabase } from '../../../src/store/migrations.ts'
import { openPostgres, UnreachableDatabase, withTimeout } from '../../../src/store/postgres/connect.ts'
import { FakeTimer } from '../../support/clock.ts'
import { describePostgres, testDatabases } from '../../support/postgres.ts'

const open = (url: string) => openPostgres({ url: new Secret(url), version: 'test', now: 0, timer: systemTimer })

async function failure(url: string): Promise<UnusableDatabase> {
  const error: unknown = await open(url).then(
    ({ close }) => close(),
    (reason: unknown) => reason,
  )
  if (error instanceof UnusableDatabase) return error
  throw new Error('the database was opened, or failed otherwise', { cause: error })
}

describe('a server that cannot be reached', () => {
  test.each([
    ['nothing listens', 'postgres://ida:hunter2@127.0.0.1:1/podstep', 'PostgreSQL at 127.0.0.1:1 does not answer'],
    ['no such host', 'postgres://ida:hunter2@db.invalid/podstep', 'PostgreSQL at db.invalid does not answer'],
  ])('is reported without its password: %s', async (_, url, message) => {
    const error = await failure(url)
    expect(error).toBeInstanceOf(UnreachableDatabase)
    expect(error.message).toStartWith(message)
    expect(error.message).toEndWith('; look whether it is running, and correct host and port in the setting database')
    expect(Bun.inspect(error)).not.toContain('hunter2')
  })
})

test('connecting fails after ten seconds without an answer', async () => {
  const timer = new FakeTimer()
  const never = withTimeout(new Promise(() => undefined), new Secret('postgres://ida:hunter2@db.lan/a'), timer.start)
  timer.pass(10_000)
  await expect(never).rejects.toThrow(
    'PostgreSQL at db.lan takes longer than 10 seconds for an answer; look whether it is overloaded, or its network is',
  )
  expect(timer.waiting).toBe(0)
})

test.each<[code: string, errno: string | undefined, sentence: RegExp, isTemporary: boolean]>([
  ['ERR_POSTGRES_SERVER_ERROR', '28P01', /does not let role "ida" in: why; correct user name and password/, false],
  ['ERR_POSTGRES_SERVER_ERROR', '42501', /does not let role "ida" use database "podstep": why; grant it/, false],
  ['ERR_POSTGRES_SERVER_ERROR', '53300', /has no connection left: why; raise max_connections/, true],
  ['ERR_POSTGRES_SERVER_ERROR', '57P03', /is not ready: why$/, true],
  ['ERR_POSTGRES_SERVER_ERROR', '22000', /^database "podstep" cannot be used: PostgreSQL at db.lan says: why/, false],
  ['ERR_POSTGRES_TLS_NOT_AVAILABLE', undefined, /offers no TLS; turn ssl on there, or correct sslmode/, false],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', undefined, /^database "podstep" cannot be used: .* says: why/, false],
  ['ERR_POSTGRES_CONNECTION_CLOSED', undefined, /does not answer: why; look whether it is running/, true],
])('error %s %s is explained, with what to do', async (code, errno, sentence, isTemporary) => {
  const error = Object.assign(new Error('why'), { code, ...(errno !== undefined && { errno }) })
  const url = new Secret('postgres://ida:hunter2@db.lan/podstep')
  const thrown: unknown = await withTimeout(Promise.reject(error), url, new FakeTimer().start).catch((reason) => reason)
  expect(thrown).toBeInstanceOf(UnusableDatabase)
  expect(thrown).toMatchObject({ message: expect.stringMatching(sentence) })
  expect(thrown instanceof UnreachableDatabase).toBe(isTemporary)
})

test('an error that is unrelated to PostgreSQL is not translated', async () => {
  const mistake = new Error('a mistake of the program')
  const url = new Secret('postgres://ida@db.lan/podstep')
  await expect(withTimeout(Promise.reject(mistake), url, new FakeTimer().start)).rejects.toBe(mistake)
})

describePostgres('on PostgreSQL', (base) => {
  const databases = testDatabases()

  const changed = (change: (url: URL) => void) => {
    const url = new URL(base)
    change(url)
    return url.href
  }

  test.each<[string, (url: URL) => void, RegExp]>([
    [
      'no such database',
      (url) => {
        url.pathname = '/no_such_database'
      },
      /^PostgreSQL at \S+ has no database "no_such_database"; create it with "createdb --encoding UTF8 --template template0 no_such_database" or correct the setting database$/,
    ],
    [
      'no such role',
      (url) => {
        url.username = 'nobody_here'
        url.password = 'hunter2'
      },
      /^PostgreSQL at \S+ does not let role "nobody_here" in: .+; correct user name and password in the setting database, or pg_hba.conf of the server$/,
    ],
    [
      'an unknown setting',
      (url) => url.searchParams.set('no_such_setting', '1'),
      /^database "\w+" cannot be used: PostgreSQL at \S+ says: unrecognized configuration parameter "no_such_setting" \(setting database\)$/,
    ],
  ])('a wrong URL is explained: %s', async (_, change, message) => {
    const error = await failure(changed(change))
    expect(error.message).toMatch(message)
    expect(error).not.toBeInstanceOf(UnreachableDatabase)
    expect(Bun.inspect(error)).not.toContain('hunter2')
  })

  test('an empty database gets its tables, once; connections have timeouts', async () => {
    const { url } = await databases.create({ isEmpty: true })
    const first = await open(url)
    expect(first.applied).toContain('0000_init')
    const { connection } = await first.connections.lease()
    const [row] = await connection`
      SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
             current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('application_name') AS name`
    expect(row).toEqual({ statement: '30s', lock: '10s', idle: '1min', name: 'podstep' })
    await first.close()
    const second = await open(url)
    expect(second.applied).toEqual([])
    await second.close()
  })

  test('an outdated database is not upgraded while a server is using it', async () => {
    const { url, sql } = await databases.create({ isEmpty: true })
    const opening = openPostgres({ url: new Secret(url), version: 'test', now: 0, timer: systemTimer, asItIs: true })
    await expect(opening).rejects.toThrow(
      'the database has an older version and a server is using it; restart the server first',
    )
    expect(await sql`SELECT 1 FROM pg_class WHERE relname = 'schema_migrations'`).toBeEmpty()
  })
})
