import { createServer, type Socket } from 'node:net'
import { PRIVATE_KEY } from './certificate.ts'

type Route = (request: Request) => Response | Promise<Response>

export interface AskedRequest {
  /** With its query. */
  readonly path: string
  readonly headers: Headers
}

export interface WebServer extends AsyncDisposable {
  readonly port: number
  /** All that was asked for, in order. */
  readonly asked: readonly AskedRequest[]
}

const HOST = '127.0.0.1'

/** A real web server on the loopback interface, at a free port, over TLS if it has a certificate; 404 for what is not in the table. */
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
  /** How many connections there were, whatever came of them. */
  readonly connections: number
  /** What was sent to it: the head of each request. */
  readonly asked: readonly string[]
  /** Settles when the first connection has ended. */
  readonly closed: Promise<void>
}

/** For answers that no web server gives: says whatever it likes to a request, or waits in silence for the other side to leave. */
export async function startRawServer(answer: (socket: Socket, head: string) => void): Promise<RawServer> {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  const closed = Promise.withResolvers<void>()
  let connections = 0
  const server = createServer((socket) => {
    connections++
    sockets.add(socket)
    // A client that leaves in the middle of an answer is what these servers are for.
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

/** Goes on for as long as somebody takes it, no faster than it is taken. */
export function writeEndlessly(socket: Socket): void {
  const chunk = Buffer.alloc(65_536, 'podcasts ')
  while (!socket.destroyed) {
    if (socket.write(chunk)) continue
    socket.once('drain', () => writeEndlessly(socket))
    return
  }
}
