import { beforeEach } from 'bun:test'
import { type App, type AppParts, createApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/load.ts'
import { readBundle, writeBundle } from '../../src/http/web-files.ts'
import { createLog } from '../../src/platform/log.ts'
import { createPasswordHasher } from '../../src/platform/password.ts'
import type { Sql } from '../../src/store/engine.ts'
import type { Connections } from '../../src/store/postgres/connections.ts'
import { toNumbers } from '../../src/store/postgres/engine.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { scriptedBackups } from './backups.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { feedSource as emptySource } from './feed-source.ts'
import { readHere } from './import-process.ts'
import { scriptedPictures } from './pictures.ts'
import { postgresUrl, type TestDatabase, testDatabases } from './postgres.ts'
import { seededRandom } from './values.ts'
import { receiver } from './webhooks.ts'

export interface TestApp extends App {
  readonly clock: FakeClock
  /** Log lines so far, as JSON. */
  readonly logs: string[]
  /** Throws on PostgreSQL. */
  readonly db: ReturnType<typeof openMemoryDatabase>
  /** Runs a statement with parameters `$1`, `$2`, … on either engine, and returns its rows. */
  rowsOf<Row = unknown>(sql: Sql, ...values: readonly (string | number | null)[]): Promise<Row[]>
  /** `fetch` without waiting for the indexer before reads of the directory. */
  readonly fetchAtOnce: App['fetch']
  /** Sets the peer address of subsequent requests; `undefined` is a peer that has closed its connection. */
  setPeer(address: string | undefined): void
}

type Replaced =
  | 'addresses'
  | 'chapterSource'
  | 'feedSource'
  | 'fetchesNewFeeds'
  | 'hasher'
  | 'hintTimer'
  | 'idleLimit'
  | 'indexPause'
  | 'mailer'
  | 'metricsTimer'
  | 'peerOf'
  | 'pictures'
  | 'startReader'
  | 'transcriptSource'
  | 'web'
  | 'webhookSender'

/** Defaults do nothing: no feeds and pictures are available, no mail is sent, and backups are in memory. */
export interface TestAppOptions extends Partial<Pick<AppParts, Replaced | 'backupStore'>> {
  /**
   * Settings as in the environment without `SVC_`, in lower case: `{ registration: 'open' }`. `access_log` is off by
   * default, so that tests of the log see only their own lines.
   */
  readonly settings?: Record<string, string>
  readonly clock?: FakeClock
  readonly db?: ReturnType<typeof openMemoryDatabase>
  /** PostgreSQL instead of SQLite. */
  readonly postgres?: Connections
  /** Feeds, chapters, pictures and webhooks go to other servers, as in the program. */
  readonly isOutbound?: boolean
}

/** Memory use that the application is given. */
export const MEMORY_BYTES = 73_400_320

/** Paths that read the directory, the search, or the administrators' view of feeds. */
const READS_INDEX =
  /^(?:https?:\/\/[^/]*)?\/(?:toplist|search|suggestions|subscriptions|feeds|artwork|api\/2\/(?:tags?|search|data|me|artwork|lists|updates|favorites)|api\/admin\/feeds)\b/

/** With PODSTEP_TEST_ENGINE=postgres, each application has its own database on PostgreSQL. */
const databases =
  process.env['PODSTEP_TEST_ENGINE'] === 'postgres' && postgresUrl !== undefined ? testDatabases() : undefined

/** Databases that are reused: no test runs more applications at the same time. */
const OPEN_MAX = 6
const open: Promise<TestDatabase>[] = []

/** Applications that start before the first test belong to all tests of the file, and keep their databases. */
let isTesting = false
beforeEach(() => {
  isTesting = true
})

/** Connects to an empty database as soon as it is ready. Emptying an old one is faster than creating another. */
function createConnections({ create, empty }: ReturnType<typeof testDatabases>): Connections {
  const database = open.length < OPEN_MAX ? create() : emptied(open.shift(), empty)
  // Failures are reported when a connection is leased. Applications that never lease one may outlive the databases.
  database.catch(() => undefined)
  if (isTesting) open.push(database)
  return { lease: async () => (await database).connections.lease() }
}

async function emptied(
  old: Promise<TestDatabase> | undefined,
  empty: ReturnType<typeof testDatabases>['empty'],
): Promise<TestDatabase> {
  const database = await old
  if (!database) throw new Error('there is no database to empty')
  await empty(database.connections)
  return database
}

/** Starts the application as in production, but with an in-memory database, a fake clock and no port. */
export function startTestApp(options: TestAppOptions = {}): TestApp {
  const { settings = {}, clock = fakeClock(), db = openMemoryDatabase(), isOutbound = false, ...parts } = options
  // A test that passes a database tests SQLite.
  const postgres = options.postgres ?? (options.db ? undefined : databases && createConnections(databases))
  const env = Object.fromEntries(
    Object.entries({ access_log: 'false', ...settings }).map(([key, value]) => [`SVC_${key.toUpperCase()}`, value]),
  )
  const { config, ...loaded } = loadConfig({ env, cwd: '/nowhere', readFile: () => undefined })
  const logs: string[] = []
  let peer: string | undefined = '192.0.2.1'
  const app = createApp(config, {
    hasher: createPasswordHasher(cheapHash),
    ...(isOutbound ? { fetchesNewFeeds: true } : nothingOutside()),
    ...(!options.postgres && { backupStore: scriptedBackups() }),
    startReader: readHere,
    web: EMPTY_WEB_CLIENT,
    peerOf: () => peer,
    ...parts,
    engine: postgres ? { postgres } : { sqlite: db },
    clock,
    random: seededRandom(1),
    log: createLog({ level: 'debug', format: 'json', write: (line) => logs.push(line) }),
    version: 'test',
    settings: loaded,
    memoryBytes: () => MEMORY_BYTES,
  })
  /** Waits for the indexer first, because tests read what they have just written. */
  async function fetch(request: Request): Promise<Response> {
    if (READS_INDEX.test(request.url)) await app.indexed()
    return app.fetch(request)
  }
  return {
    ...app,
    fetch,
    fetchAtOnce: app.fetch,
    clock,
    logs,
    get db() {
      if (postgres) throw new Error('a test that reads SQLite directly must pass `db`')
      return db
    },
    async rowsOf(sql, ...values) {
      if (!postgres)
        return db.query<never, (typeof values)[number][]>(typeof sql === 'string' ? sql : sql.sqlite).all(...values)
      const { connection, end } = await postgres.lease()
      const rows = await connection.unsafe(typeof sql === 'string' ? sql : sql.postgres, [...values])
      end(false)
      toNumbers(rows, false)
      return rows
    },
    setPeer: (address) => {
      peer = address
    },
  }
}

function nothingOutside() {
  return {
    feedSource: emptySource(),
    chapterSource: { read: async () => undefined, close: () => undefined },
    transcriptSource: async () => ({ kind: 'failed', reason: 'unavailable' }) as const,
    fetchesNewFeeds: false,
    pictures: scriptedPictures(),
    webhookSender: receiver().sender,
  }
}

/*
 * Elysia requests a garbage collection when an application answers its first request. In a process that starts hundreds
 * of applications, this takes longer than the rest of the first request.
 */
const collectGarbage = Bun.gc
Bun.gc = (isForced) => (isForced ? collectGarbage(isForced) : 0)

/** Replaces only the hash function, since real hashes take 30 ms each; queue, decoy and cache are real. */
const cheapHash = {
  hash: async (password: string) => `cheap:${Bun.hash(password)}`,
  verify: async (password: string, phc: string) => phc === `cheap:${Bun.hash(password)}`,
}

const PAGE = new Uint8Array(Buffer.from('<!doctype html><base href="{base}/"><title>podstep</title>'))

/** A web client that is an empty page, for tests of the server. */
const EMPTY_WEB_CLIENT = readBundle(writeBundle([{ path: 'index.html', raw: PAGE, brotli: PAGE, gzip: PAGE }]))
