import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { systemClock } from '../../platform/clock.ts'
import { Secret } from '../../platform/secret.ts'
import { type Copied, type CopyProgress, copyToPostgres, copyToSqlite } from '../../store/copy/copy.ts'
import { UnusableDatabase } from '../../store/migrations.ts'
import { VERSION } from '../help.ts'
import { CommandError, type Io, usageError } from '../io.ts'
import { becomeOwner, lockDataFolder } from '../open-app.ts'

export interface CopyCommandOptions {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const INTERRUPTED = 130

export async function copy(words: readonly string[], { from, to }: CopyCommandOptions, io: Io): Promise<number> {
  if (words[0] !== undefined)
    throw usageError(`copy: unexpected argument "${withoutUrl(words[0])}"; see podstep copy --help`)
  if (from === undefined || from === '') throw usageError('copy: from where? Give --from SOURCE')
  if (to === undefined || to === '') throw usageError('copy: where to? Give --to TARGET')
  const [source, target] = [endpointOf(from, io), endpointOf(to, io)]
  if (source.kind === target.kind) throw sameKind(source, target)
  const abort = new AbortController()
  io.onSignal(() => abort.abort())
  const options = {
    version: VERSION,
    now: systemClock().seconds(),
    signal: abort.signal,
    onProgress: createProgressPrinter(io),
  }
  try {
    if (source.kind === 'sqlite' && target.kind === 'postgres') {
      becomeOwner(dirname(source.path), io)
      printResult(await copyToPostgres(source.path, target.url, options), io)
    } else if (source.kind === 'postgres' && target.kind === 'sqlite') {
      becomeOwner(dirname(target.path), io)
      printResult(await intoFile(target.path, () => copyToSqlite(source.url, target.path, options)), io)
    }
    return 0
  } catch (error) {
    if (abort.signal.aborted) {
      io.err('interrupted; nothing was copied\n')
      return INTERRUPTED
    }
    if (error instanceof UnusableDatabase) throw new CommandError(`error: ${error.message}. Nothing was copied`)
    throw error
  }
}

type Endpoint = { readonly kind: 'sqlite'; readonly path: string } | { readonly kind: 'postgres'; readonly url: Secret }

const POSTGRES = /^postgres(?:ql)?:\/\//i
const DATABASE_FILE = 'podstep.db'

function endpointOf(text: string, io: Io): Endpoint {
  if (!POSTGRES.test(text)) return { kind: 'sqlite', path: fileOf(resolve(io.cwd, text)) }
  if (!URL.canParse(text) || new URL(text).pathname.length <= 1)
    throw new CommandError('error: expected a URL such as postgres://podstep@db.home.example/podstep')
  return { kind: 'postgres', url: new Secret(text) }
}

/** A path that does not exist yet is taken for a folder unless it has a file extension. */
function fileOf(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? extname(path) === ''
  return isFolder ? join(path, DATABASE_FILE) : path
}

function sameKind(source: Endpoint, target: Endpoint): CommandError {
  const isSame =
    source.kind === 'postgres' && target.kind === 'postgres'
      ? source.url.reveal() === target.url.reveal()
      : source.kind === 'sqlite' && target.kind === 'sqlite' && source.path === target.path
  if (isSame) return new CommandError('error: --from and --to are the same database')
  return new CommandError(
    source.kind === 'sqlite'
      ? 'error: both are SQLite; copy a database with podstep backup'
      : 'error: both are PostgreSQL; copy a database with pg_dump and pg_restore',
  )
}

/** Locks a new database against servers and other commands, and removes the remains of a killed copy. */
async function intoFile<T>(path: string, work: () => Promise<T>): Promise<T> {
  for (const end of ['', '-wal', '-journal'])
    if (existsSync(`${path}${end}`))
      throw new UnusableDatabase(`there is already a file ${path}${end}; name another folder, or move the file away`)
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const release = path === join(folder, DATABASE_FILE) ? lockDataFolder(folder) : undefined
  try {
    rmSync(`${path}.partial`, { force: true })
    return await work()
  } finally {
    release?.()
  }
}

const WIDTH = 40

/** Shows progress in one line of a terminal; in a log, writes a line for each table. */
export function createProgressPrinter(io: Io): (progress: CopyProgress) => void {
  return ({ stage, table, rows }) =>
    io.err(io.isLogTerminal ? `\r${`${stage} ${table}`.padEnd(WIDTH)}` : `${stage} ${table}: ${rows} rows\n`)
}

/** Clears the progress line. */
export function endProgress(io: Io): void {
  if (io.isLogTerminal) io.err(`\r${''.padEnd(WIDTH)}\r`)
}

function printResult({ tables, rows, cleaned }: Copied, io: Io): void {
  endProgress(io)
  if (cleaned > 0)
    io.err(
      `warning: ${cleaned} texts have U+FFFD instead of characters that PostgreSQL cannot store (NUL, halves of surrogate pairs)\n`,
    )
  io.out(`copied and compared ${rows} rows of ${tables} tables; a server builds the search again when it is started\n`)
}

function withoutUrl(word: string): string {
  return POSTGRES.test(word) ? 'postgres://…' : word
}
