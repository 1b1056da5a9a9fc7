import { platform } from 'node:os'
import process from 'node:process'
import type { StartProcess } from './client.ts'
import type { FeedResponse, Heartbeat } from './protocol.ts'

/** The word by which the executable knows that it is to read feeds. */
export const READ_FEEDS = 'read-feeds'

/**
 * The compiler and the collector run in the thread that needs them. With threads of their own the process has two processors busy at a
 * time, and on a machine with two whoever syncs waits for one, however low its priority is: see docs/performance.md.
 */
const RUNTIME = {
  BUN_JSC_useConcurrentJIT: '0',
  BUN_JSC_useConcurrentGC: '0',
  BUN_JSC_numberOfGCMarkers: '1',
  // As if the machine had no more, in bytes: the collector comes sooner, and 2,000 feeds need 45 MB less at the most.
  BUN_JSC_forceRAMSize: String(256 * 1024 * 1024),
}

/** On Linux the very same file, even if another version has been put in its place meanwhile. */
const THIS_FILE = platform() === 'linux' ? '/proc/self/exe' : process.execPath

/** Of what it says when it crashes. */
const LAST_WORDS_MAX = 1000

/**
 * Starts `program`, or this executable once more, as a process beside. It does not know the settings of the environment, so no secrets, and
 * ends when this one does.
 */
export const startWorker =
  (program: string): StartProcess =>
  ({ onReply, onEnd }) => {
    const child = Bun.spawn(Bun.isStandaloneExecutable ? [THIS_FILE, READ_FEEDS] : [process.execPath, program], {
      env: environment(),
      stdio: ['ignore', 'ignore', 'pipe'],
      serialization: 'advanced',
      ipc: (reply: FeedResponse | Heartbeat) => onReply(reply),
    })
    // It must not keep a server that stops.
    child.unref()
    const lastWords = endOf(child.stderr)
    void child.exited.then(async () => {
      const words = await lastWords
      onEnd(`${child.signalCode ?? `exit code ${child.exitCode}`}${words && `: ${words}`}`)
    })
    return {
      send(order) {
        try {
          child.send(order)
        } catch {
          // It has just ended, or what was to be said is lost: it is told above when it is gone.
          child.kill('SIGKILL')
        }
      },
      end: () => child.kill('SIGKILL'),
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
