import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect } from 'node:net'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { complaints, startScene } from '../test/binary/support/scene.ts'
import { basic } from '../test/support/client.ts'
import { fillPath, operationsOf } from '../test/support/openapi.ts'
import { openWire } from '../test/support/wire.ts'

/**
 * Overloads the compiled server (dist/podstep) with connections, streams, slow clients, sign-ins and bodies, while an
 * app keeps syncing and must not notice. Takes two minutes.
 *
 *   bun scripts/overload-test.ts --only bodies
 */

const { values } = parseArgs({ options: { only: { type: 'string' } } })

const CHANGES = '/api/2/subscriptions/ida/phone.json'
const AUTHORIZATION = `Authorization: ${basic('ida', 'seaglass')['authorization']}\r\n`
const CONNECTIONS = 2000
const GIGABYTE = 1_000_000_000
/**
 * Four times the figure of a quiet machine, because the clients of this test share the processors with the app and the
 * server.
 */
const OTHERS_P99_MS = 1000
const PEAK_MIB = 300
/** A body may take a minute. */
const CLOSED_SECONDS = 75

let violations = 0

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function hold(rule: string, holds: boolean): void {
  if (holds) return
  violations++
  print(`  BROKEN: ${rule}`)
}

type Scene = Awaited<ReturnType<typeof startScene>>

/** Memory figure of the server, in MiB. */
function memoryOf({ server }: Pick<Scene, 'server'>, figure: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`${figure}:\\s*(\\d+) kB`).exec(status)?.[1]) / 1024)
}

interface Polls {
  readonly acknowledged: number
  readonly missing: number
  readonly p99: number
}

/** Runs `work` while an app uploads and fetches changes in a loop. */
async function whileAppSyncs(scene: Scene, work: () => Promise<void>): Promise<Polls> {
  const acknowledged: string[] = []
  const times: number[] = []
  const controller = new AbortController()
  const polling = (async () => {
    for (let n = 0; !controller.signal.aborted; n++) {
      const url = `https://feeds.example/${performance.timeOrigin}/${performance.now()}/${n}`
      const started = performance.now()
      const { status } = await scene.ida.post(CHANGES, { add: [url] })
      times.push(performance.now() - started)
      if (status === 200) acknowledged.push(url)
      await Bun.sleep(20)
    }
  })()
  await work()
  controller.abort()
  await polling
  const list = new Set((await scene.ida.get('/subscriptions/ida/phone.txt')).text.split('\n'))
  const missing = acknowledged.filter((url) => !list.has(url)).length
  const sorted = times.toSorted((one, other) => one - other)
  return { acknowledged: acknowledged.length, missing, p99: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0) }
}

async function phase(scene: Scene, name: string, work: () => Promise<string>): Promise<void> {
  if (values.only !== undefined && values.only !== name) return
  const before = memoryOf(scene, 'VmRSS')
  let figures = ''
  const { acknowledged, missing, p99 } = await whileAppSyncs(scene, async () => {
    figures = await work()
  })
  const [after, peak] = [memoryOf(scene, 'VmRSS'), memoryOf(scene, 'VmHWM')]
  print(`${name}: ${figures}`)
  print(
    `  others: ${acknowledged} changes acknowledged, lost: ${missing}, p99 ${p99} ms; memory ${before}, ${after}, at most ${peak} MiB`,
  )
  hold('what was acknowledged is there', missing === 0)
  hold(`others wait less than ${OTHERS_P99_MS} ms`, p99 < OTHERS_P99_MS)
  hold(`at most ${PEAK_MIB} MiB`, peak < PEAK_MIB)
}

async function idleConnections({ server, ida }: Scene): Promise<string> {
  using wires = new DisposableStack()
  for (let n = 0; n < CONNECTIONS; n++) wires.use(await openWire(server.port))
  hold('others are served', (await ida.get('/api/2/me')).status === 200)
  return `${CONNECTIONS} connections on which nothing comes`
}

async function idleStreams({ server }: Scene): Promise<string> {
  using wires = new DisposableStack()
  const statuses = new Map<string, number>()
  for (let n = 0; n < CONNECTIONS; n++) {
    const wire = wires.use(await openWire(server.port))
    wire.send(`GET /api/2/me/events HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZATION}\r\n`)
    const status = (await wire.contains('\r\n')).slice(9, 12)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  return `${CONNECTIONS} streams of one user: ${counted(statuses)}`
}

const USERS = 100
const STREAMS_PER_USER = 20

/** Opens the permitted number of streams for many users. Once their clients disconnect, they may open as many again. */
async function streamsOfMany({ server, ida }: Scene): Promise<string> {
  const names = Array.from({ length: USERS }, (_, n) => `user${n}`)
  for (const username of names) {
    const { status } = await ida.post('/api/admin/users', { username, password: 'seaglass' })
    hold('users are created', status === 200)
  }
  const results: string[] = []
  for (const round of ['first', 'again']) {
    using wires = new DisposableStack()
    const statuses = new Map<string, number>()
    const before = memoryOf({ server }, 'VmRSS')
    for (const name of names)
      for (let n = 0; n < STREAMS_PER_USER; n++) {
        const wire = wires.use(await openWire(server.port))
        const { authorization } = basic(name, 'seaglass')
        wire.send(`GET /api/2/me/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`)
        const status = (await wire.contains('\r\n')).slice(9, 12)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    hold(`every stream is opened ${round}`, statuses.size === 1 && statuses.has('200'))
    results.push(`${round} ${counted(statuses)}, ${memoryOf({ server }, 'VmRSS') - before} MiB more`)
  }
  return `${STREAMS_PER_USER} streams of each of ${USERS} users: ${results.join('; ')}`
}

const READERS = 200
/** Typical length of media URLs. The server reads a thousand actions ahead of slow clients, so memory grows with it. */
const URL_LENGTH = 100
/** Seconds after which to count the connections still open. */
const LOOKS = [1, 75, 125]

/** Clients of one user that request much and read nothing, or a kilobyte a second. Most of them are refused. */
async function slowReaders({ server, ida }: Scene): Promise<string> {
  const filler = 'x'.repeat(URL_LENGTH)
  for (let first = 0; first < 100_000; first += 25_000) {
    const actions = Array.from({ length: 25_000 }, (_, n) => ({
      podcast: 'https://a.example/feed',
      episode: `https://a.example/${first + n}?${filler}`,
      action: 'download',
      timestamp: '2025-03-02T10:00:00',
    }))
    hold('actions are stored', (await ida.post('/api/2/episodes/ida.json', actions)).status === 200)
  }
  const download = async () => (await ida.get('/api/2/episodes/ida.json')).status
  const started = performance.now()
  const before = socketsOf(server.pid)
  const clients = Array.from({ length: READERS }, (_, n) => {
    const socket = connect(server.port, '127.0.0.1').pause()
    socket.on('error', () => undefined)
    const path = n % 4 === 0 ? '/api/2/me/export' : '/api/2/episodes/ida.json'
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZATION}\r\n`)
    return socket
  })
  const dripping = setInterval(() => {
    for (const [n, socket] of clients.entries()) if (n % 2 === 0) socket.read(1024)
  }, 1000)
  const open: string[] = []
  for (const seconds of LOOKS) {
    await Bun.sleep(seconds * 1000 - (performance.now() - started))
    if (open.length === 0) hold('further downloads are refused', (await download()) === 429)
    open.push(`${socketsOf(server.pid) - before} after ${seconds} s (${memoryOf({ server }, 'VmRSS')} MiB)`)
  }
  clearInterval(dripping)
  for (const socket of clients) socket.destroy()
  await Bun.sleep(1000)
  hold('whose clients are gone may download again', (await download()) === 200)
  return `${READERS} downloads of 25 MB, of which half take nothing and half a kilobyte a second: open ${open.join(', ')}`
}

/** Number of open sockets of a process. */
function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter((file) => {
    try {
      return readlinkSync(`${folder}/${file}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length
}

/** Requests that continue at a byte a second, or not at all: name, start, and byte to repeat. */
const SLOW: readonly (readonly [string, string, string])[] = [
  ['the head of a request', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ', 'a'],
  ['a head that stops', 'GET /healthz HTTP/1.1\r\nHos', ''],
  ['a body', `POST ${CHANGES} HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZATION}Content-Length: 1000\r\n\r\n{`, ' '],
  [
    'a long body',
    `POST ${CHANGES} HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZATION}Content-Length: 900000\r\n\r\n{`,
    ' ',
  ],
  [
    'a body in chunks',
    `POST ${CHANGES} HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZATION}Transfer-Encoding: chunked\r\n\r\n`,
    '1\r\n \r\n',
  ],
  ['a body of anybody', 'POST /api/2/register HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{', ' '],
  [
    'a file to import',
    `POST /api/2/me/import HTTP/1.1\r\nHost: localhost\r\n${AUTHORIZATION}Content-Length: 900000\r\n\r\n{`,
    ' ',
  ],
]

async function slowClients({ server }: Scene): Promise<string> {
  const durations = await Promise.all(
    SLOW.map(async ([name, head, more]) => {
      using wire = await openWire(server.port)
      wire.send(head)
      const started = performance.now()
      const dripping = setInterval(() => wire.send(more), 1000)
      await Promise.race([wire.closed(), Bun.sleep((CLOSED_SECONDS + 20) * 1000)])
      clearInterval(dripping)
      const seconds = Math.round((performance.now() - started) / 1000)
      hold(`${name} is closed within ${CLOSED_SECONDS} s`, seconds <= CLOSED_SECONDS)
      return `${name} after ${seconds} s`
    }),
  )
  return `closed: ${durations.join(', ')}`
}

async function signIns({ server }: Scene): Promise<string> {
  const results: string[] = []
  for (const [name, credentials] of [
    ['right', () => basic('ida', 'seaglass')],
    ['wrong', (n: number) => basic('ida', `wrong ${n}`)],
    ['of nobody', (n: number) => basic(`nobody${n}`, 'wrong')],
  ] as const) {
    const statuses = new Map<string, number>()
    await Promise.all(
      Array.from({ length: 1000 }, async (_, n) => {
        const { status, headers } = await server.client(credentials(n)).get('/api/2/me')
        statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1)
        const isLater = status === 429 || status === 503
        hold('who is sent away is told when to come again', !isLater || headers.has('retry-after'))
        hold('a sign-in is answered as the protocol says', isLater || status === (name === 'right' ? 200 : 401))
      }),
    )
    results.push(`${name} ${counted(statuses)}`)
  }
  return `1000 at once: ${results.join('; ')}`
}

/** Path parameters for requests that remove the resource in their path. */
const OTHERS = { deviceid: 'tablet' }

type Framing = 'with its length' | 'in chunks'

/** Sends up to a gigabyte, until the server responds; returns the status and the megabytes sent. */
async function sendGigabyte(port: number, head: string, framing: Framing) {
  const piece = 'x'.repeat(65_536)
  const sent = framing === 'in chunks' ? `10000\r\n${piece}\r\n` : piece
  using wire = await openWire(port)
  wire.send(`${head}${framing === 'in chunks' ? 'Transfer-Encoding: chunked' : `Content-Length: ${GIGABYTE}`}\r\n\r\n`)
  let bytes = 0
  while (bytes < GIGABYTE && wire.received() === '') {
    await wire.sent(sent)
    bytes += piece.length
  }
  return { status: wire.received().slice(9, 12), megabytes: Math.round(bytes / 1e6) }
}

async function bodies({ server, anyone }: Scene): Promise<string> {
  const { json: document } = await anyone.get('/openapi.json')
  const statuses = new Map<string, number>()
  let largest = 0
  let requests = 0
  for (const { method, path } of operationsOf(document).filter((each) => each.method !== 'get'))
    for (const own of ['', AUTHORIZATION])
      for (const framing of ['with its length', 'in chunks'] as const) {
        const head = `${method.toUpperCase()} ${fillPath(path, OTHERS)} HTTP/1.1\r\nHost: localhost\r\n${own}`
        const { status, megabytes } = await sendGigabyte(server.port, head, framing)
        requests++
        largest = Math.max(largest, megabytes)
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        hold(`${method} ${path} ${framing} is answered early`, status !== '' && status !== '500')
      }
  return `${requests} bodies of 1 GB, to every address that takes one: ${counted(statuses)}; taken at most ${largest} MB`
}

/** Half a gigabyte of spaces, compressed before any measurement, since that takes seconds. */
const BOMB = values.only === undefined || values.only === 'bombs' ? gzipSync(Buffer.alloc(GIGABYTE / 2, ' ')) : ''

async function bombs({ ida, anyone }: Scene): Promise<string> {
  const headers = { 'content-encoding': 'gzip' }
  const statuses = new Map<string, number>()
  for (let n = 0; n < 5; n++)
    for (const [client, path] of [
      [ida, CHANGES],
      [ida, '/api/2/episodes/ida.json'],
      [ida, '/api/2/me/import'],
      [anyone, '/api/2/register'],
    ] as const) {
      const { status } = await client.post(path, BOMB, { headers })
      statuses.set(String(status), (statuses.get(String(status)) ?? 0) + 1)
      hold(`a bomb for ${path} is refused`, status >= 400 && status < 500)
    }
  return `20 bodies of ${(BOMB.length / 1e6).toFixed(1)} MB that are 500 MB when unpacked: ${counted(statuses)}`
}

function counted(statuses: ReadonlyMap<string, number>): string {
  return [...statuses].map(([status, count]) => `${count} × ${status || 'nothing'}`).join(', ')
}

const env = { SVC_ACCESS_LOG: 'false', SVC_OUTBOUND: 'off', SVC_REGISTRATION: 'open' }
await using scene = await startScene({ env })
await phase(scene, 'idle', () => idleConnections(scene))
await phase(scene, 'streams', () => idleStreams(scene))
await phase(scene, 'users', () => streamsOfMany(scene))
await phase(scene, 'readers', () => slowReaders(scene))
await phase(scene, 'slow', () => slowClients(scene))
await phase(scene, 'bodies', () => bodies(scene))
await phase(scene, 'bombs', () => bombs(scene))
// Last, because it triggers the rate limit for the address of this machine.
await phase(scene, 'sign-ins', () => signIns(scene))
hold('it is still ready', (await scene.anyone.get('/readyz')).status === 200)
await scene.server.stop()
const wrong = complaints(scene.server)
for (const { msg } of wrong) print(`the log: ${msg}`)
hold('the log has nothing that nobody meant to write', !scene.server.log.some((line) => 'raw' in line))
print(`broken rules: ${violations}`)
if (violations > 0) process.exitCode = 1
