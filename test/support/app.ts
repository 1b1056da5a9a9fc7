import { type App, type AppParts, createApp } from '../../src/app.ts'
import { loadConfig } from '../../src/config/load.ts'
import { readBundle, writeBundle } from '../../src/http/web-files.ts'
import { createLog } from '../../src/platform/log.ts'
import { createPasswordHasher } from '../../src/platform/password.ts'
import type { Sql } from '../../src/store/engine.ts'
import type { Connections } from '../../src/store/postgres/connections.ts'
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
  /** Lines of the log so far, as JSON. */
  readonly logs: string[]
  /** Throws on PostgreSQL. */
  readonly db: ReturnType<typeof openMemoryDatabase>
  /** The rows of a SELECT, on either engine. */
  rowsOf(sql: Sql): Promise<unknown[]>
  /** As `fetch`, without waiting for the indexer before the directory is read. */
  readonly fetchAtOnce: App['fetch']
  /** The peer address of requests from now on; undefined is a peer that has closed its connection. */
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

/** What is not given does nothing: no feed and no picture can be had, no mail is sent, and backups are in memory. */
export interface TestAppOptions extends Partial<Pick<AppParts, Replaced | 'backupStore'>> {
  /**
   * Settings as in the environment without `SVC_`, in lower case: `{ registration: 'open' }`. `access_log` is off
   * unless given, so that a test of the log sees what it is about.
   */
  readonly settings?: Record<string, string>
  readonly clock?: FakeClock
  readonly db?: ReturnType<typeof openMemoryDatabase>
  /** PostgreSQL instead of SQLite. */
  readonly postgres?: Connections
  /** Feeds, chapters, pictures and webhooks go to other servers, as in the program. */
  readonly isOutbound?: boolean
}

/** What the program takes of the memory, as far as it is told. */
export const MEMORY_BYTES = 73_400_320

/** Paths under which the directory, the search and what administrators see of feeds are read. */
const READS_INDEX =
  /^(?:https?:\/\/[^/]*)?\/(?:toplist|search|suggestions|subscriptions|feeds|artwork|api\/2\/(?:tags?|search|data|me|artwork|lists|updates|favorites)|api\/admin\/feeds)\b/

/** Where PODSTEP_TEST_ENGINE is `postgres`, applications have a database of their own on PostgreSQL. */
const databases =
  process.env['PODSTEP_TEST_ENGINE'] === 'postgres' && postgresUrl !== undefined ? testDatabases() : undefined

/** No test has more applications at the same time. */
const OPEN_MAX = 6
const open: Promise<TestDatabase>[] = []

/** Connections to an empty database, once it is: to empty an old one takes less time than to create another. */
function createConnections({ create, empty }: ReturnType<typeof testDatabases>): Connections {
  const database = open.length < OPEN_MAX ? create() : emptied(open.shift(), empty)
  open.push(database)
  return { lease: async () => (await database).connections.lease() }
}

async function emptied(
  old: Promise<TestDatabase> | undefined,
  empty: ReturnType<typeof testDatabases>['empty'],
): Promise<TestDatabase> {
  const database = await old
  if (!database) throw new Error('there is no database to be emptied')
  await empty(database.connections)
  return database
}

/** The whole program as production wires it, on a database in memory, with a fake clock, and without a port. */
export function startTestApp(options: TestAppOptions = {}): TestApp {
  const { settings = {}, clock = fakeClock(), db = openMemoryDatabase(), isOutbound = false, ...parts } = options
  // A test that brings a database is about SQLite.
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
  /** Tests read what they have just written: the directory knows it before they look. */
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
      if (postgres) throw new Error('a test that looks into SQLite has to bring its database')
      return db
    },
    async rowsOf(sql) {
      if (!postgres) return db.query(typeof sql === 'string' ? sql : sql.sqlite).all()
      const { connection, end } = await postgres.lease()
      const rows = await connection.unsafe(typeof sql === 'string' ? sql : sql.postgres)
      end(false)
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
 * Elysia asks for a garbage collection when an application answers its first request. In a process that starts hundreds
 * of them this takes more time than all else that a first request does.
 */
const collectGarbage = Bun.gc
Bun.gc = (isForced) => (isForced ? collectGarbage(isForced) : 0)

/** Real hashes cost 30 ms each; the queue around them, the decoy and the cache are the real ones. */
const cheapHash = {
  hash: async (password: string) => `cheap:${Bun.hash(password)}`,
  verify: async (password: string, phc: string) => phc === `cheap:${Bun.hash(password)}`,
}

const PAGE = new Uint8Array(Buffer.from('<!doctype html><base href="{base}/"><title>podstep</title>'))

/** A web client that is a page without anything on it, for tests of the server alone. */
const EMPTY_WEB_CLIENT = readBundle(writeBundle([{ path: 'index.html', raw: PAGE, brotli: PAGE, gzip: PAGE }]))
