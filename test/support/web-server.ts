import { createServer, type Socket } from 'node:net'
import { PRIVATE_KEY } from './certificate.ts'

type Route = (request: Request) => Response | Promise<Response>

export interface AskedRequest {
  /** Path with query. */
  readonly path: string
  readonly headers: Headers
}

export interface WebServer extends AsyncDisposable {
  readonly port: number
  /** Requests so far, in order. */
  readonly asked: readonly AskedRequest[]
}

const HOST = '127.0.0.1'

/** Starts a web server on a free loopback port, with TLS if given a certificate. Other paths get 404. */
export function startWebServer(routes: Readonly<Record<string, Route>>, certificate?: string): WebServer {
  const asked: AskedRequest[] = []
  const server = Bun.serve({
    hostname: HOST,
    port: 0,
    ...(certificate !== undefined && { tls: { key: PRIVATE_KEY, cert: certificate } }),
    fetch(request) {
      const { pathname, search } = new URL(request.url)
      asked.push({ path: pathname + search, headers: request.headers })
      return routes[pathname]?.(request) ?? new Response('nothing here', { status: 404 })
    },
  })
  return { port: server.port ?? 0, asked, [Symbol.asyncDispose]: () => server.stop(true) }
}

export interface RawServer extends AsyncDisposable {
  readonly port: number
  /** Number of connections so far. */
  readonly connections: number
  /** Heads of the requests so far. */
  readonly asked: readonly string[]
  /** Resolves when the first connection has ended. */
  readonly closed: Promise<void>
}

/** Starts a server for responses that no web server sends: `answer` may write anything, or stay silent. */
export async function startRawServer(answer: (socket: Socket, head: string) => void): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  const closed = Promise.withResolvers<void>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    // These servers test clients that disconnect during a response.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      closed.resolve()
    })
    socket.once('data', (head) => {
      asked.push(head.toString())
      answer(socket, head.toString())
    })
  })
  await new Promise<void>((listening) => server.listen(0, HOST, listening))
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    get connections() {
      return connections
    },
    asked,
    closed: closed.promise,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

/** Writes until the client disconnects, no faster than the client reads. */
export function writeEndlessly(socket: Socket): void {
  const chunk = Buffer.alloc(65_536, 'podcasts ')
  while (!socket.destroyed) {
    if (socket.write(chunk)) continue
    socket.once('drain', () => writeEndlessly(socket))
    return
  }
}
