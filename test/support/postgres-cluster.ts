import { afterAll } from 'bun:test'
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'

const RELEASES = '/usr/lib/postgresql'

/** Folder of the programs of the newest PostgreSQL from Debian's packages; `undefined` if not installed. */
export const postgresPrograms = existsSync(RELEASES)
  ? readdirSync(RELEASES)
      .sort((one, other) => Number(other) - Number(one))
      .map((release) => join(RELEASES, release, 'bin'))
      .find((folder) => existsSync(join(folder, 'initdb')))
  : undefined

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** Creates PostgreSQL clusters for the tests of a file, each with an empty database owned by an ordinary role. */
export function testClusters(): { create(): Promise<Cluster> } {
  let template: Promise<string> | undefined
  afterAll(async () => {
    if (template !== undefined) rmSync(await template, { recursive: true, force: true })
    template = undefined
  })
  return {
    async create() {
      template ??= createTemplate()
      return await startCluster(await template)
    },
  }
}

/** Creates a cluster to copy, which takes a fraction of the time. */
async function createTemplate(): Promise<string> {
  const path = createFolder()
  const options = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  await run(path, [program('initdb'), '-D', 'data', ...options])
  // Without fsync, data is lost only if the machine fails, not if processes are killed.
  configure(path, { listen_addresses: "'127.0.0.1'", fsync: 'off', max_connections: 40 })
  const cluster = await startIn(path)
  await cluster.administer(async (sql) => {
    await sql`CREATE ROLE podstep LOGIN`
    await sql`CREATE DATABASE podstep OWNER podstep TEMPLATE template0`
  }, 'postgres')
  await cluster.stop()
  return path
}

async function startCluster(template: string) {
  const path = createFolder()
  await run(path, ['cp', '-a', join(template, 'data'), '.'])
  return await startIn(path)
}

async function startIn(path: string) {
  const port = freePort()
  const urlOf = (role: string, database: string) => `postgres://${role}@127.0.0.1:${port}/${database}`
  const control = (...args: string[]) => run(path, [program('pg_ctl'), '-D', 'data', '-l', 'log', '-w', ...args])

  async function remove(): Promise<void> {
    await control('-m', 'immediate', 'stop')
    rmSync(path, { recursive: true, force: true })
  }

  configure(path, { port, unix_socket_directories: `'${path}'` })
  await control('start')
  return {
    url: urlOf('podstep', 'podstep'),

    /** Connects as superuser, for whom connections are reserved. */
    async administer<T>(work: (sql: SQL) => Promise<T>, database = 'podstep'): Promise<T> {
      const sql = new SQL(urlOf('postgres', database), { max: 1 })
      try {
        return await work(sql)
      } finally {
        await sql.end()
      }
    },

    /** Also accepts connections to an address of this machine; returns the URL. */
    async listenOn(address: string): Promise<string> {
      configure(path, { listen_addresses: `'127.0.0.1,${address}'` })
      appendFileSync(join(path, 'data', 'pg_hba.conf'), 'host all all samenet trust\n')
      await control('-m', 'fast', 'restart')
      return urlOf('podstep', 'podstep').replace('127.0.0.1', address)
    },

    start: () => control('start'),
    stop: () => control('-m', 'fast', 'stop'),
    /** `immediate` is a crash, after which PostgreSQL recovers from its write-ahead log. */
    restart: (mode: 'fast' | 'immediate') => control('-m', mode, 'restart'),
    [Symbol.asyncDispose]: remove,
  }
}

function createFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'podstep-postgres-'))
  giveToPostgres(path)
  return path
}

/** Appends settings; the last value of a setting applies. */
function configure(path: string, settings: Readonly<Record<string, string | number>>): void {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  appendFileSync(join(path, 'data', 'postgresql.conf'), lines.join(''))
}

/** Changes the owner of a folder: PostgreSQL refuses to run as root, and to use folders of other users. */
export function giveToPostgres(path: string): void {
  if (!isRoot()) return
  const { stdout } = Bun.spawnSync(['id', '-u', 'postgres'])
  chownSync(path, Number(stdout.toString()), -1)
}

const isRoot = () => process.getuid?.() === 0

const program = (name: string) => join(postgresPrograms ?? '', name)

/** Runs a command. Rejects with PostgreSQL's log if it fails. */
async function run(cwd: string, command: readonly string[]): Promise<void> {
  // The server inherits the streams of pg_ctl, and would keep a pipe open as long as it runs.
  const child = Bun.spawn(isRoot() ? ['runuser', '-u', 'postgres', '--', ...command] : [...command], {
    cwd,
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  if ((await child.exited) === 0) return
  const log = join(cwd, 'log')
  throw new Error(`${command.join(' ')}: ${existsSync(log) ? readFileSync(log, 'utf8') : 'no log'}`)
}

/** A free port of the loopback interface. */
export function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}
