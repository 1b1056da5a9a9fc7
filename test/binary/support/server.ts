import { clientOf } from '../../support/client.ts'
import { PATIENCE_MS } from '../../support/eventually.ts'
import { requireBinary } from './binary.ts'

export type LogLine = Readonly<Record<string, unknown>>

export type Server = Awaited<ReturnType<typeof startServer>>

export interface ServerOptions {
  readonly cwd: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly program?: readonly string[]
  /** The log message to wait for; by default "… is ready". */
  readonly readyWhen?: string | RegExp
}

/** Starts a server on a free local port, without the environment of this process. Killed at the end of the block. */
export async function startServer(options: ServerOptions) {
  const { cwd, args = [], env = {}, program = [requireBinary()], readyWhen = / is ready$/ } = options
  const child = Bun.spawn([...program, ...args], {
    cwd,
    env: { SVC_HOST: '127.0.0.1', SVC_PORT: '0', SVC_LOG_FORMAT: 'json', ...env },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const log: LogLine[] = []
  const waiting = new Set<() => void>()
  let isOver = false
  const reading = (async () => {
    for await (const line of lines(child.stderr)) {
      log.push(parse(line))
      for (const recheck of waiting) recheck()
    }
    isOver = true
    for (const recheck of waiting) recheck()
  })()

  function find(matches: (message: string) => boolean): Promise<LogLine> {
    return new Promise((resolve, reject) => {
      function recheck(): void {
        const line = log.find(({ msg }) => typeof msg === 'string' && matches(msg))
        if (!line && !isOver) return
        waiting.delete(recheck)
        if (line) resolve(line)
        else reject(new Error(`the server ended instead:\n${JSON.stringify(log, undefined, 2)}`))
      }
      waiting.add(recheck)
      recheck()
    })
  }

  /** The exit code; rejects after `seconds`. */
  async function ended(seconds = PATIENCE_MS / 1000): Promise<number | null> {
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error(`still running after ${seconds} seconds`)), seconds * 1000)
    try {
      await Promise.race([Promise.all([child.exited, reading]), promise])
      return child.exitCode
    } finally {
      clearTimeout(timer)
    }
  }

  const ready = await find((message) =>
    typeof readyWhen === 'string' ? message === readyWhen : readyWhen.test(message),
  )
  const port = Number(ready['port'])
  const network = {
    // A new connection each time; kept-alive ones would delay a stop.
    fetch: (request: Request) =>
      fetch(new Request(request.url.replace('http://localhost', `http://127.0.0.1:${port}`), request), {
        keepalive: false,
        redirect: 'manual',
      }),
  }
  return {
    port,
    pid: child.pid,
    ready,
    log: log as readonly LogLine[],
    target: network,
    client: (headers?: Record<string, string>) => clientOf(network, headers),
    /** Waits for a log line with this message. */
    logged: (message: string) => find((text) => text === message),
    signal: (name: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL') => child.kill(name),
    ended,
    async stop() {
      child.kill('SIGTERM')
      const code = await ended()
      if (code !== 0) throw new Error(`the server ended with ${code}:\n${JSON.stringify(log, undefined, 2)}`)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended()
    },
  }
}

function parse(line: string): LogLine {
  try {
    return JSON.parse(line)
  } catch {
    return { raw: line }
  }
}

async function* lines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
  if (rest !== '') yield rest
}
