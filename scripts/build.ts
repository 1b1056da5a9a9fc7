import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { version } from '../package.json'
import { buildWeb } from './build-web.ts'

/**
 * Compiles the executable into `dist/`.
 *
 *   bun scripts/build.ts             for this machine: dist/podstep
 *   bun scripts/build.ts all         every Linux target, with SHA256SUMS
 *   bun scripts/build.ts NAME…       the named targets, for instance darwin-arm64
 *
 * Bun fetches the runtime of another target from the npm registry (package `@oven/bun-…`, in Bun's own version) and
 * keeps it in its cache folder, so a second build needs no network.
 */

const ROOT = join(import.meta.dir, '..')
const DIST = join(ROOT, 'dist')

/** Entry points of the program and of its threads. */
const SERVER = [
  'src/main.ts',
  ...['core/checkpoint-worker', 'core/check-worker', 'server/backup-worker'].map(
    (name) => `src/store/sqlite/${name}.ts`,
  ),
  'src/transfer/process/memory-guard.ts',
]

/** Entry points of everything in the executable; the web client is built first and embedded. */
export const ENTRY_POINTS = [
  ...SERVER,
  ...['main.tsx', 'pwa/service-worker.ts', 'theme-start.ts'].map((name) => `src/web/${name}`),
]

const LINUX = {
  // The runtime works on every x64 processor with SSE4.2; "baseline" makes that visible.
  'linux-x64': 'bun-linux-x64-baseline',
  'linux-x64-musl': 'bun-linux-x64-musl',
  'linux-arm64': 'bun-linux-arm64',
  'linux-arm64-musl': 'bun-linux-arm64-musl',
} as const

/** Targets that compile but have never been run; not part of `all`. */
const UNTRIED = {
  'darwin-arm64': 'bun-darwin-arm64',
  'darwin-x64': 'bun-darwin-x64',
  'windows-x64': 'bun-windows-x64',
} as const

const TARGETS: ReadonlyMap<string, Bun.Build.CompileTarget> = new Map(Object.entries({ ...LINUX, ...UNTRIED }))

/** Time by which the background services have started (src/cli/serving/server-process.ts). */
const STARTED_AFTER_MS = 1000
/** Far longer than a start takes on any machine. */
const START_DEADLINE_MS = 60_000

interface BuildOptions {
  readonly dir?: string
  readonly target?: Bun.Build.CompileTarget | undefined
  /** Path of the profile of a run; the code that it used is placed together in the executable. */
  readonly profile?: string
}

async function build(name: string, { dir = DIST, target, profile }: BuildOptions): Promise<string> {
  const started = performance.now()
  const result = await Bun.build({
    entrypoints: SERVER.map((path) => join(ROOT, path)),
    compile: {
      outfile: join(dir, name),
      ...(target && { target }),
      ...(profile !== undefined && { bytecodeOrder: profile }),
      // The program reads only its documented sources of settings, not files that happen to be in the folder.
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
    format: 'esm',
    // Modules imported with `import()`, and their parts of the runtime, load on demand.
    splitting: true,
    minify: true,
    // Halves the time to the first response, for 4 MB.
    bytecode: true,
    // Makes stack traces name source files and lines; adds less than 1 MB to the executable.
    sourcemap: 'linked',
  })
  const path = result.outputs.find(({ kind }) => kind === 'entry-point')?.path
  if (!path) throw new Error(`building ${name} gave no file`)
  // The executable contains the source maps; the copies as files are not needed.
  for (const map of result.outputs) if (map.kind === 'sourcemap') rmSync(map.path, { force: true })
  const size = (Bun.file(path).size / 1e6).toFixed(1)
  print(`${path}  ${size} MB  ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return path
}

/**
 * Records a profile of a server start and calls `use` with its path. With the profile, the executable needs 3 MiB less
 * memory, because less of it is read. One profile serves all targets. Throws if the executable does not start.
 */
async function withProfile(use: (profile: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(DIST, 'profile-'))
  try {
    const profile = join(dir, 'profile')
    await recordProfile(await build('podstep', { dir }), join(dir, 'data'), profile)
    await use(profile)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function recordProfile(executable: string, dataDir: string, profile: string): Promise<void> {
  const settings = { SVC_HOST: '127.0.0.1', SVC_PORT: '0', SVC_DATA_DIR: dataDir, SVC_LOG_FORMAT: 'json' }
  const server = Bun.spawn([executable, 'serve'], {
    env: { ...settings, SVC_BACKUP_KEEP: '0', BUN_BYTECODE_ORDER_OUT: profile },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const deadline = setTimeout(() => server.kill('SIGKILL'), START_DEADLINE_MS)
  try {
    let log = ''
    for await (const text of server.stderr.pipeThrough(new TextDecoderStream())) {
      log += text
      if (!log.includes('is ready')) continue
      await Bun.sleep(STARTED_AFTER_MS)
      break
    }
    server.kill('SIGTERM')
    if ((await server.exited) !== 0) throw new Error(`the executable does not start: ${log}`)
  } finally {
    clearTimeout(deadline)
  }
}

async function buildTargets(names: readonly string[], profile: string): Promise<void> {
  const sums: string[] = []
  // Not in parallel: each build holds a whole runtime in memory.
  for (const name of names) {
    const path = await build(`podstep-${name}`, { target: TARGETS.get(name), profile })
    sums.push(`${await sha256(path)}  ${basename(path)}\n`)
  }
  writeFileSync(join(DIST, 'SHA256SUMS'), sums.join(''))
}

export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk)
  return hash.digest('hex')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Names of the released executables in `dist/`. */
export const RELEASED = Object.keys(LINUX).map((name) => `podstep-${name}`)

/** Builds the targets in `words`, the arguments of the command line. */
export async function runBuild(words: readonly string[]): Promise<void> {
  const names = words.includes('all') ? Object.keys(LINUX) : words
  const unknown = names.filter((name) => !TARGETS.has(name))
  if (unknown.length > 0)
    throw new Error(`unknown target ${unknown.join(', ')}; known: all, ${[...TARGETS.keys()].join(', ')}`)
  mkdirSync(DIST, { recursive: true })
  print(`podstep ${version}, Bun ${Bun.version}`)
  await buildWeb()
  await withProfile(async (profile) => {
    if (names.length === 0) await build('podstep', { profile })
    else await buildTargets(names, profile)
  })
}

/** Prints the error and the bundler's messages to standard error, and sets the exit code. */
export function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  if (error instanceof AggregateError)
    for (const cause of error.errors)
      process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`)
  process.exitCode = 1
}

if (import.meta.main) runBuild(process.argv.slice(2)).catch(fail)
