import type { App } from '../../app.ts'
import type { Config } from '../../config/options.ts'
import type { Certificate } from '../../doctor/certificates.ts'
import { SOCKET_PEER } from '../../http/origin.ts'
import { CommandError, isSystemError } from '../io.ts'
import { clearSocket, socketPath, socketRemover, withMode } from './unix-socket.ts'

export type Listener = ReturnType<typeof createListener>
export type Server = Bun.Server<undefined>
type Answer = App['fetch']
type Tls = Pick<Certificate, 'cert' | 'key'>

/** Seconds without data before a connection is closed: enough for a slow phone, too little for idle attackers. */
const IDLE_SECONDS = 60
/** Maximum of Bun, which cannot lift the limit of one connection on a Unix socket. Only proxies connect there. */
const SOCKET_IDLE_SECONDS = 255
/** Larger than any file to import. The actual limits are checked while reading, with an error object. */
const BUN_BODY_MAX = 1100 * 1024 * 1024

const SERVE = { maxRequestBodySize: BUN_BODY_MAX, development: false }

export function createListener(config: Pick<Config, 'host' | 'port' | 'listen' | 'socketMode'>, answer: Answer) {
  const { host, listen } = config
  let current: Server | undefined
  let removeSocket: (() => void) | undefined
  const servers = new Set<Server>()

  function use(server: Server): Server {
    servers.add(server)
    current = server
    return server
  }

  return {
    server: () => current,
    peerOf: (request: Request) => (listen === undefined ? current?.requestIP(request)?.address : SOCKET_PEER),
    idleLimit: {
      lift(request: Request): void {
        current?.timeout(request, 0)
      },
      restore(request: Request): void {
        current?.timeout(request, IDLE_SECONDS)
      },
    },

    /** Throws `CommandError`. */
    async start(tls?: Tls): Promise<Server> {
      if (listen === undefined) return use(listenOnPort(config, answer, tls))
      const path = socketPath(listen)
      await clearSocket(path)
      const server = use(listenOnSocket(path, config.socketMode, answer))
      removeSocket = socketRemover(path)
      return server
    },

    useCertificate({ cert, key }: Tls): void {
      const old = current
      // A stopped server no longer knows its port.
      const { port = config.port } = old ?? config
      void old?.stop().then(() => servers.delete(old))
      use(listenOnPort({ host, port }, answer, { cert, key }))
    },

    async stop(cutsOff = false): Promise<void> {
      await Promise.all([...servers].map((server) => server.stop(cutsOff)))
      removeSocket?.()
    },
  }
}

/** Returns a free port, for a server that has to know its port before it listens. */
export async function freePort(host: string): Promise<number> {
  const server = listenOnPort({ host, port: 0 }, () => new Response())
  const { port = 0 } = server
  await server.stop(true)
  return port
}

function listenOnSocket(path: string, mode: string, fetch: Answer): Server {
  // Missing in Bun's types, but supported for sockets too.
  const idle: object = { idleTimeout: SOCKET_IDLE_SECONDS }
  try {
    return withMode(path, mode, () => Bun.serve({ ...SERVE, ...idle, unix: path, fetch }))
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new CommandError(`error: cannot listen on unix:${path} (setting listen): ${error.message}`)
  }
}

function listenOnPort({ host, port }: Pick<Config, 'host' | 'port'>, fetch: Answer, tls?: Tls): Server {
  try {
    return Bun.serve({
      ...SERVE,
      idleTimeout: IDLE_SECONDS,
      hostname: host,
      port,
      // Off even in production: a second server on the port must fail, not take every other request.
      reusePort: false,
      ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
      fetch,
    })
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new CommandError(`error: cannot listen on ${host} port ${port} (settings host, port): ${error.message}`)
  }
}
