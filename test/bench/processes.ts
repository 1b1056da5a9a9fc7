import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const BINARY = join(ROOT, 'dist/podstep')

/** Kernel clock ticks per second, the unit of processor time in /proc; 100 on every Linux that Bun runs on. */
const TICKS = 100

export interface ServerProcess {
  readonly port: number
  /** Milliseconds from spawn to the line that names the port. */
  readonly readyMs: number
  memory(): Memory
  /** From now on the peak is that of now. */
  forgetPeak(): void
  /** Processor seconds used so far, all threads, user and system, with those of processes it has started. */
  cpuSeconds(): number
  stop(): Promise<void>
}

export interface Memory {
  /** In units of 2^20 bytes, as all memory figures here; of all processes of the program. */
  readonly rss: number
  readonly peak: number
  /** The part of `rss` that is pages of files. */
  readonly ofFiles: number
}

/** How podstep is started: the executable `binary`, else the one that `bun run build` wrote, else from source. */
export function podstepCommand(binary = existsSync(BINARY) ? BINARY : undefined): readonly string[] {
  return binary === undefined ? [process.execPath, join(ROOT, 'src/main.ts')] : [binary]
}

/** podstep on `dataDir`, on a free port, with its default settings but for those given. */
export function startPodstep(
  command: readonly string[],
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  // Its feeds are invented: asking for them in vain is not what is measured, nor is the backup that a server begins with. Lines
  // about requests would have to be read by the process that makes them.
  const quiet = {
    SVC_LOG_FORMAT: 'json',
    SVC_FEED_REFRESH_CRON: '0 0 1 1 *',
    SVC_BACKUP_KEEP: '0',
    SVC_ACCESS_LOG: 'false',
  }
  const env = { SVC_HOST: '127.0.0.1', SVC_PORT: '0', SVC_DATA_DIR: dataDir, ...quiet, ...settings }
  return start([...command, 'serve'], env, dataDir, /is ready.*?/, /"port":(\d+)/)
}

/** The bare server of one kind with a database of its own in `dataDir`; see bare.ts. */
export function startBare(kind: string, dataDir: string, synchronous: 'NORMAL' | 'FULL'): Promise<ServerProcess> {
  const script = new URL('./bare.ts', import.meta.url).pathname
  return start([process.execPath, script, kind, dataDir, synchronous], {}, dataDir, /./, /"port":(\d+)/)
}

/** The web server with feeds; see feed-server.ts. */
export function startFeedServer(dir: string): Promise<ServerProcess> {
  const script = new URL('./feed-server.ts', import.meta.url).pathname
  // It stands for computers elsewhere: what it needs of this one is not what the server is to compete with.
  return start(['nice', '-n', '19', process.execPath, script], {}, dir, /./, /"port":(\d+)/)
}

async function start(
  command: string[],
  env: Record<string, string>,
  cwd: string,
  ready: RegExp,
  port: RegExp,
): Promise<ServerProcess> {
  mkdirSync(cwd, { recursive: true, mode: 0o700 })
  const spawned = performance.now()
  const child = Bun.spawn(command, { env, cwd, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  // However this run ends, no server outlives it.
  process.once('exit', () => child.kill('SIGKILL'))
  const reader = child.stderr.getReader()
  let log = ''
  let found: RegExpExecArray | null = null
  while (!found) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`${command.join(' ')} ended at once (an old build?): ${log}`)
    log += Buffer.from(value).toString()
    for (const line of log.split('\n')) if (ready.test(line)) found ??= port.exec(line)
  }
  const readyMs = performance.now() - spawned
  // Later lines are warnings and errors: worth seeing.
  void pass(reader)
  return {
    port: Number(found[1]),
    readyMs,
    memory: () => familyOf(child.pid).map(memoryOf).reduce(sumOf),
    forgetPeak: () => {
      for (const pid of familyOf(child.pid)) writeFileSync(`/proc/${pid}/clear_refs`, '5')
    },
    cpuSeconds: () =>
      familyOf(child.pid)
        .map(cpuSecondsOf)
        .reduce((one, other) => one + other),
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

async function pass(reader: { read(): Promise<{ value?: Uint8Array | undefined; done: boolean }> }): Promise<void> {
  for (;;) {
    const { value, done } = await reader.read()
    if (done || !value) return
    const text = Buffer.from(value).toString()
    if (!/"msg":"stop(ping|ped)"/.test(text)) process.stderr.write(text)
  }
}

/** The process, and those that it has started and that are there still. */
function familyOf(pid: number): [number, ...number[]] {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = tasks.flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' '))
  return [pid, ...children.filter((text) => text !== '').map(Number)]
}

/** What is in both as pages of the same file, nearly all of it the executable, is there once. */
const sumOf = (one: Memory, other: Memory): Memory => {
  const shared = Math.min(one.ofFiles, other.ofFiles)
  return {
    rss: one.rss + other.rss - shared,
    peak: one.peak + other.peak - shared,
    ofFiles: Math.max(one.ofFiles, other.ofFiles),
  }
}

function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1024
  return { rss: megabytes('VmRSS'), peak: megabytes('VmHWM'), ofFiles: megabytes('RssFile') }
}

function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The program's name, second in the line, may hold anything; after its bracket the fields are plain.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system, ofGone, systemOfGone] = fields.slice(11, 15).map(Number)
  return ((user ?? 0) + (system ?? 0) + (ofGone ?? 0) + (systemOfGone ?? 0)) / TICKS
}
