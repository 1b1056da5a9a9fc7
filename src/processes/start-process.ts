import { readFileSync } from 'node:fs'
import { platform } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

export const READ_FEEDS = 'read-feeds'
export const READ_IMPORTS = 'read-imports'

export interface ChildProcess<Request> {
  send(request: Request): void
  /** Milliseconds of processor time used so far; `undefined` if the system does not report it. */
  processorMs(): number | undefined
  kill(): void
}

export interface ChildEvents<Response> {
  onResponse(response: Response): void
  onEnd(cause: string): void
}

export type StartChild<Request, Response> = (events: ChildEvents<Response>) => ChildProcess<Request>

/** Compiler and collector run on the main thread, since with their own threads the child would use two processors. */
const RUNTIME = {
  BUN_JSC_useConcurrentJIT: '0',
  BUN_JSC_useConcurrentGC: '0',
  BUN_JSC_numberOfGCMarkers: '1',
  // Bytes of memory to assume: makes the collector run earlier, which saves up to 45 MB with 2,000 feeds.
  BUN_JSC_forceRAMSize: String(256 * 1024 * 1024),
}

const THIS_FILE = platform() === 'linux' ? '/proc/self/exe' : process.execPath
const SOURCE = fileURLToPath(new URL('../main.ts', import.meta.url))

const LAST_WORDS_MAX = 1000
const MS_PER_TICK = 10

/** Starts this program as the child process `name`, without settings or secrets in its environment. */
export const startChild =
  <Request, Response>(name: string): StartChild<Request, Response> =>
  ({ onResponse, onEnd }) => {
    const child = Bun.spawn(Bun.isStandaloneExecutable ? [THIS_FILE, name] : [process.execPath, SOURCE, name], {
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      serialization: 'advanced',
      ipc: (response: Response) => onResponse(response),
    })
    // A stopping server does not wait for the child.
    child.unref()
    const lastWords = endOf(child.stderr)
    void child.exited.then(async () => {
      const words = await lastWords
      onEnd(`${child.signalCode ?? `exit code ${child.exitCode}`}${words && `: ${words}`}`)
    })
    return {
      send(request) {
        try {
          child.send(request)
        } catch {
          // The child has just ended, or the request is lost. `onEnd` is called when the child has exited.
          child.kill('SIGKILL')
        }
      },
      processorMs: () => processorMsOf(child.pid),
      kill: () => child.kill('SIGKILL'),
    }
  }

/** Available only on Linux. Fields are counted from the end of the process name, which may contain anything. */
function processorMsOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [userTicks, systemTicks] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
    return ((userTicks ?? 0) + (systemTicks ?? 0)) * MS_PER_TICK
  } catch {
    return undefined
  }
}

function environment(): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  return { ...Object.fromEntries(inherited), ...RUNTIME }
}

async function endOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) text = (text + decoder.decode(bytes, { stream: true })).slice(-LAST_WORDS_MAX)
  return text.trim()
}
