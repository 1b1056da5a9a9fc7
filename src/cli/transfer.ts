import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isRecord } from '../platform/unknown.ts'
import { CommandError, type Io, usageError } from './io.ts'
import { type UserApi, withUserApi } from './running-server.ts'
import type { SettingOptions } from './settings.ts'

export interface ImportOptions extends SettingOptions {
  readonly from?: string | undefined
  readonly user?: string | undefined
  readonly to?: string | undefined
  readonly kind?: string | undefined
}

export interface ExportOptions extends SettingOptions {
  readonly out?: string | undefined
  readonly opml?: boolean | undefined
  readonly csv?: boolean | undefined
}

const IMPORTS = '/api/2/me/import'
const ASK_AGAIN_MS = 500
const INTERRUPTED = 130

export async function importAccount(words: readonly string[], options: ImportOptions, io: Io): Promise<number> {
  const { from, to } = options
  if (words[0] !== undefined) throw usageError(`import: unexpected argument "${words[0]}"; see podstep import --help`)
  if (from === undefined || from === '') throw usageError('import: from where? Give --from URL or --from FILE')
  if (to === undefined || to === '') throw usageError('import: into which account? Give --to USER')
  const begin = /^https?:\/\//i.test(from) ? await serverImport(from, options, io) : fileImport(from, options, io)
  return withUserApi(options, io, to, (api) => followImport(api, begin, io))
}

type Begin = (api: UserApi) => Promise<Response>

/** Reads the password from the terminal or standard input, never from an argument, which any process can read. */
async function serverImport(from: string, { user, kind }: ImportOptions, io: Io): Promise<Begin> {
  if (user === undefined || user === '') throw usageError('import: as which user there? Give --user NAME')
  const password = io.isTerminal
    ? await io.ask(`Password of ${user} at ${from}: `, { hidden: true })
    : (await io.readAll()).split(/\r?\n/, 1)[0]
  if (!password) throw new CommandError('nothing was imported: there is no password')
  const body = JSON.stringify({ from, username: user, password, ...(kind !== undefined && { kind }) })
  return ({ request }) => request(IMPORTS, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

function fileImport(from: string, { user, kind }: ImportOptions, io: Io): Begin {
  if (user !== undefined) throw usageError('import: --user is for another server, and a file has none')
  if (kind !== undefined) throw usageError('import: --kind is for another server; files are told by their content')
  const path = resolve(io.cwd, from)
  if (!existsSync(path)) throw new CommandError(`error: there is no file ${path}`)
  return ({ request }) =>
    request(`${IMPORTS}?name=${encodeURIComponent(basename(path))}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      // Streamed from the file.
      body: Bun.file(path).stream(),
    })
}

interface Report {
  readonly state: string
  readonly error: string
  readonly done: number
  readonly total: number | undefined
  readonly counts: readonly { what: string; imported: number; present: number; skipped: number }[]
  readonly skipped: readonly { what: string; reason: string; count: number; examples: readonly string[] }[]
}

async function followImport(api: UserApi, begin: Begin, io: Io): Promise<number> {
  let isInterrupted = false
  io.onSignal(() => {
    isInterrupted = true
    api.app?.services.imports.interrupt()
  })
  const id = await importIdOf(api, await begin(api))
  let printed = ''
  for (;;) {
    const report = reportOf(await jsonOf(await api.request(`${IMPORTS}/${id}`)))
    const isAlive = !isInterrupted || api.app !== undefined
    if (report.state !== 'running') return printReport(report, io)
    if (!isAlive) {
      io.err('The import goes on in the server. The same command follows it again.\n')
      return INTERRUPTED
    }
    if (isInterrupted) {
      await api.app?.services.imports.ended(id)
      io.err('Interrupted. The same command goes on with it; with a file, so does the server when it starts.\n')
      return INTERRUPTED
    }
    const progress = progressOf(report)
    if (progress !== printed) io.err(`${progress}\n`)
    printed = progress
    await delay(ASK_AGAIN_MS)
  }
}

async function importIdOf(api: UserApi, response: Response): Promise<number> {
  if (response.status !== 409) return Number((await jsonOf(response))['id'])
  const running = listOf(await (await api.request(IMPORTS)).json()).find(({ state }) => state === 'running')
  return running ? Number(running['id']) : Number((await jsonOf(response))['id'])
}

/** Throws a `CommandError` with the message of the server. */
async function jsonOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const body: unknown = await response.json()
  const answer = isRecord(body) ? body : {}
  if (!response.ok) throw new CommandError(`error: ${answer['message'] ?? `the server answered ${response.status}`}`)
  return answer
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}

function reportOf(answer: Readonly<Record<string, unknown>>): Report {
  const { state, error, done, total, counts, skipped } = answer
  return {
    state: String(state),
    error: String(error),
    done: Number(done),
    total: total === null ? undefined : Number(total),
    counts: listOf(counts).map(({ what, imported, present, skipped: skippedCount }) => ({
      what: wordsOf(what),
      ...{ imported: Number(imported), present: Number(present), skipped: Number(skippedCount) },
    })),
    skipped: listOf(skipped).map(({ what, reason, count, examples }) => ({
      what: wordsOf(what),
      ...{ reason: plain(reason), count: Number(count) },
      examples: Array.isArray(examples) ? examples.map(plain) : [],
    })),
  }
}

function wordsOf(what: unknown): string {
  return plain(what).replaceAll('_', ' ')
}

/** Replaces control characters, so that text from other servers cannot control the terminal. */
function plain(text: unknown): string {
  return String(text).replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
}

function progressOf({ done, total, counts }: Report): string {
  const imported = counts.reduce((sum, count) => sum + count.imported, 0)
  const far = total === undefined || total === 0 ? '' : `${Math.floor((100 * done) / total)} %, `
  return `${far}${imported} imported`
}

function printReport({ state, error, counts, skipped }: Report, io: Io): number {
  for (const { what, imported, present, skipped: skippedCount } of counts)
    io.out(`${what}: ${imported} imported, ${present} already here, ${skippedCount} skipped\n`)
  for (const { what, reason, count, examples } of skipped) {
    io.out(`skipped ${count} ${what}: ${reason}\n`)
    for (const example of examples) io.out(`  ${example}\n`)
  }
  if (state === 'done') return 0
  io.err(`${state}: ${plain(error)}\n`)
  return 1
}

/** `podstep export USER`: writes the archive of an account, or its subscriptions or history. */
export async function exportAccount(words: readonly string[], options: ExportOptions, io: Io): Promise<number> {
  const [user, ...rest] = words
  if (user === undefined || user === '') throw usageError('export: which user?')
  if (rest[0] !== undefined) throw usageError(`export: unexpected argument "${rest[0]}"; see podstep export --help`)
  if (options.opml && options.csv) throw usageError('export: either --opml or --csv')
  const suffix = options.opml ? '.opml' : options.csv ? '.csv' : ''
  await withUserApi(options, io, user, async ({ request }) => {
    const response = await request(`/api/2/me/export${suffix}`)
    if (!response.ok || !response.body) await jsonOf(response)
    else if (options.out !== undefined) await save(response.body, resolve(io.cwd, options.out))
    else for await (const piece of response.body) await io.outBytes(piece)
  })
  return 0
}

/** Writes a file that only its owner can read, and moves it to `path` only when it is complete. */
async function save(body: ReadableStream<Uint8Array>, path: string): Promise<void> {
  const partial = `${path}.partial`
  // A leftover may be readable by others.
  await rm(partial, { force: true })
  const file = await open(partial, 'wx', 0o600)
  try {
    try {
      // Unlike `write`, `writeFile` does not end with a part of the piece when the disk is full.
      for await (const piece of body) await file.writeFile(piece)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}
