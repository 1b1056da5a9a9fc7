import { readFileSync } from 'node:fs'
import { platform } from 'node:os'
import process from 'node:process'
import type { StartWorker } from './client.ts'
import type { FeedResponse, Heartbeat } from './protocol.ts'

/** The argument that makes the executable the feed worker. */
export const READ_FEEDS = 'read-feeds'

/**
 * The compiler and the collector run in the thread that needs them. With threads of their own the process has two
 * processors busy at a time, and on a machine with two processors requests wait for one, however low its priority is:
 * see docs/performance.md.
 */
const RUNTIME = {
  BUN_JSC_useConcurrentJIT: '0',
  BUN_JSC_useConcurrentGC: '0',
  BUN_JSC_numberOfGCMarkers: '1',
  // In bytes, as if the machine had no more: the collector comes sooner, and 2,000 feeds need at most 45 MB less.
  BUN_JSC_forceRAMSize: String(256 * 1024 * 1024),
}

/** On Linux the very same file, even if another version has been put in its place meanwhile. */
const THIS_FILE = platform() === 'linux' ? '/proc/self/exe' : process.execPath

/** Characters of what it writes when it crashes. */
const LAST_WORDS_MAX = 1000
/** What Linux counts a processor's time in. */
const MS_PER_TICK = 10

/**
 * Starts `program`, or this executable once more, as the feed worker process. It does not get the settings of the
 * environment, so no secrets, and ends when this process does.
 */
export const startWorker =
  (program: string): StartWorker =>
  ({ onResponse, onEnd }) => {
    const child = Bun.spawn(Bun.isStandaloneExecutable ? [THIS_FILE, READ_FEEDS] : [process.execPath, program], {
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      serialization: 'advanced',
      ipc: (response: FeedResponse | Heartbeat) => onResponse(response),
    })
    // It must not keep a server that stops.
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
          // It has just ended, or the request is lost: `onEnd` is called when it is gone.
          child.kill('SIGKILL')
        }
      },
      processorMs: () => processorMsOf(child.pid),
      kill: () => child.kill('SIGKILL'),
    }
  }

/** Makes a function that starts the process, waits for a sign of it, and ends it. Rejects with why it cannot start. */
export const tryWorker =
  (start: StartWorker) =>
  async (signal: AbortSignal): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const worker = start({ onResponse: () => resolve(), onEnd: (cause) => reject(new Error(cause)) })
    signal.addEventListener('abort', () => reject(new Error('it does not answer')))
    return promise.finally(() => worker.kill())
  }

/** Only Linux tells it of another process. The fields are counted behind its name, which may hold anything. */
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
    // Another system, or the process has just ended.
    return undefined
  }
}

/** Without our settings, and with what the runtime is to do differently there. */
function environment(): Record<string, string | undefined> {
  const given = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  return { ...Object.fromEntries(given), ...RUNTIME }
}

async function endOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) text = (text + decoder.decode(bytes, { stream: true })).slice(-LAST_WORDS_MAX)
  return text.trim()
}
