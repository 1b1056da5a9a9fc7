import { systemTimer } from '../platform/clock.ts'
import { isOutOfFiles } from '../platform/open-files.ts'
import { codeOf } from '../platform/unknown.ts'
import { type AllowedPlace, addressesOf, hostOf, isPublicAddress, type Resolve } from './address-rules.ts'
import { ACCEPT_ENCODING } from './content-codings.ts'
import { createCookies } from './cookies.ts'
import { FetchFailure } from './fetch-failure.ts'
import { readLimited, streamLimited } from './response-body.ts'

export interface FetchLimits {
  readonly totalMs: number
  /** Time limit from connecting to the first byte of the response, in milliseconds. */
  readonly answerMs: number
  readonly maxBytes: number
}

export interface FetchRequest {
  readonly url: string
  /** Sent to the origin of `url`. After a redirect to another origin, only `SHARED_HEADERS` are sent. */
  readonly headers?: Readonly<Record<string, string>>
  readonly limits: FetchLimits
  /** Must be false for requests on behalf of anonymous users. */
  readonly mayReachPrivate: boolean
  /** Aborts the request: an open connection would delay a shutdown. */
  readonly signal?: AbortSignal
  /**
   * Body to send by POST; without one, the request is a GET. A POST follows no redirect, and reads only the headers of
   * the response: the returned body is empty.
   */
  readonly post?: string
}

export interface Fetched {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
  readonly url: string
  readonly permanentUrl: string
  /** Redirect targets, up to the first that is neither permanent nor the same address with https. */
  readonly leads: readonly string[]
  readonly isInside: boolean
}

export interface OpenedResponse {
  readonly status: number
  readonly headers: Headers
  readonly location: string | undefined
  /** Throws `FetchFailure`, with the reason `timeout` also when no piece arrives within `answerMs`. */
  readonly pieces: AsyncIterable<Uint8Array>
  close(): void
}

interface Checked {
  readonly addresses: readonly string[]
  readonly isInside: boolean
}

const REDIRECTS_MAX = 10
/** Addresses of one host to try in turn: a network without IPv6 may still resolve names to IPv6 addresses. */
const ADDRESSES_MAX = 3
const HEADERS_MAX = 64 * 1024

const SHARED_HEADERS = new Set(['accept', 'if-none-match', 'if-modified-since'])

/** Ports of services that do not speak HTTP: WHATWG Fetch, "bad ports". */
const BAD_PORTS = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

/**
 * Starts the runtime's HTTP client thread, which otherwise starts with the first request. If no more files can be
 * opened at that time, the runtime ends the process. Sends nothing, because `/dev/null` is not a socket.
 */
export function startFetching(): void {
  fetch('http://localhost/', { unix: '/dev/null' }).catch(() => undefined)
}

type WholeFetch = ReturnType<typeof createGuardedFetch>
export type GuardedFetch = Pick<WholeFetch, 'fetch'>
export type CheckingFetch = Pick<WholeFetch, 'check' | 'fetch'>
export type StreamingFetch = Pick<WholeFetch, 'open'>

/**
 * The only way to request URLs that users supply. Connects to exactly the IP address that was checked, so a name that
 * resolves differently the second time gains nothing, and checks every redirect.
 */
export function createGuardedFetch(parts: {
  readonly userAgent: string
  readonly resolve: Resolve
  readonly allowed: readonly AllowedPlace[]
  /** Name of the setting behind `allowed`, for messages; by default, `feed_allow_private`. */
  readonly allowedBy?: string
  readonly isOff?: boolean
}) {
  const { userAgent, resolve, allowed, allowedBy = 'feed_allow_private', isOff = false } = parts

  /** Throws `FetchFailure` unless every address of the host may be reached. */
  async function checkedAddresses(url: URL, mayReachPrivate: boolean): Promise<Checked> {
    if (isOff) throw new FetchFailure('off', 'this server does not connect to other servers (setting outbound)')
    const host = hostOf(url)
    const port = portOf(url)
    const addresses = await addressesOf(url, resolve)
    const mayReach = (address: string) =>
      isPublicAddress(address) || (mayReachPrivate && allowed.some((matches) => matches(host, port, address)))
    // A private address among public ones is an attack, or can be used for one.
    if (!addresses.every(mayReach)) {
      // `feed_allow_private` covers pictures, too. Fetchers that may reach any private address, such as the
      // directory's, never get here.
      const help = mayReachPrivate ? `; ${allowedBy} could allow it` : ''
      throw new FetchFailure('forbidden', `${host} is in a private network${help}`)
    }
    if (BAD_PORTS.has(port)) throw new FetchFailure('forbidden', `port ${port} belongs to another kind of service`)
    return { addresses: addresses.slice(0, ADDRESSES_MAX), isInside: !addresses.every(isPublicAddress) }
  }

  async function ask(url: URL, order: FetchRequest, total: AbortSignal, cookie = '') {
    let failure: unknown
    const { addresses, isInside } = await abortable(total, checkedAddresses(url, order.mayReachPrivate))
    for (const address of addresses) {
      try {
        return { response: await connect(url, address, order, total, cookie), isInside }
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }

  async function connect(
    url: URL,
    address: string,
    order: FetchRequest,
    total: AbortSignal,
    cookie: string,
  ): Promise<Response> {
    const target = new URL(url)
    target.hostname = address.includes(':') ? `[${address}]` : address
    const answered = new AbortController()
    const timeout = AbortSignal.timeout(order.limits.answerMs)
    const onLate = () => answered.abort(timeout.reason)
    timeout.addEventListener('abort', onLate)
    try {
      return await fetch(target, {
        headers: {
          ...headersFor(url, order, cookie),
          host: url.host,
          'user-agent': userAgent,
          'accept-encoding': ACCEPT_ENCODING,
        },
        ...(order.post !== undefined && { method: 'POST', body: order.post }),
        redirect: 'manual',
        decompress: false,
        // A connection to one name must not be reused for another name with the same address.
        keepalive: false,
        // A proxy would resolve the name again, and could reach private addresses.
        proxy: false,
        signal: AbortSignal.any([total, answered.signal]),
        ...(url.protocol === 'https:' && { tls: { serverName: hostOf(url) } }),
      })
    } finally {
      timeout.removeEventListener('abort', onLate)
    }
  }

  async function follow(order: FetchRequest, total: AbortSignal): Promise<Fetched> {
    let url = parse(order.url)
    const start = url.href
    let permanentUrl = order.url
    let isInside = false
    let isPermanent = true
    let isForGood = true
    const leads: string[] = []
    const cookies = createCookies()
    const requested = new Set<string>()
    const addresses = new Set<string>()
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const cookie = cookies.headerFor(url)
      const request = `${url.href} ${cookie}`
      if (requested.has(request)) throw inCircle()
      requested.add(request)
      addresses.add(url.href)
      try {
        const { response, isInside: isHopInside } = await ask(url, order, total, cookie)
        isInside ||= isHopInside
        checkHeaders(response)
        if (order.post !== undefined) {
          await response.body?.cancel().catch(() => undefined)
          const { status, headers } = response
          return { status, headers, body: new Uint8Array(), url: url.href, permanentUrl, leads, isInside }
        }
        const next = nextHop(response, url)
        if (!next) {
          // A detour that only sets a cookie is not a move.
          const redirection = url.href === start ? { permanentUrl: order.url, leads: [] } : { permanentUrl, leads }
          return { ...(await receive(response, order.limits)), url: url.href, ...redirection, isInside }
        }
        cookies.take(url, response.headers)
        // Stop receiving the body of a redirect: it is not needed.
        await response.body?.cancel().catch(() => undefined)
        isPermanent &&= response.status === 301 || response.status === 308
        if (isPermanent) permanentUrl = next.href
        isForGood &&= response.status === 301 || response.status === 308 || isTwin(url, next)
        if (isForGood) leads.push(next.href)
        url = next
      } catch (error) {
        throw explain(error, hostOf(url))
      }
    }
    if (addresses.size < requested.size) throw inCircle()
    throw new FetchFailure('too_many_redirects', `more than ${REDIRECTS_MAX} redirects`)
  }

  /** Yields the pieces of a body; each must arrive within `answerMs`. */
  async function* readPieces(response: Response, { limits }: FetchRequest, host: string, controller: AbortController) {
    const pieces = streamLimited(response, limits.maxBytes)
    let isLate = false
    const onLate = () => {
      isLate = true
      controller.abort()
    }
    try {
      for (;;) {
        // Abort on a timer. A race against one long-lived promise would keep all pieces in memory.
        const cancelTimer = systemTimer(limits.answerMs, onLate)
        const next = await pieces.next().finally(cancelTimer)
        if (next.done) return
        yield next.value
      }
    } catch (error) {
      throw isLate ? tooSlow(host) : explain(error, host)
    }
  }

  return {
    /** Throws `FetchFailure` if the host may not be reached, as far as its addresses tell now. */
    async check(url: string, mayReachPrivate: boolean): Promise<void> {
      await checkedAddresses(parse(url), mayReachPrivate)
    },

    /**
     * Fetches a body too large for memory, piece by piece. Follows no redirect. `totalMs` includes the time spent on
     * processing the pieces.
     */
    async open(order: FetchRequest): Promise<OpenedResponse> {
      const controller = new AbortController()
      const total = totalSignal(order, controller)
      const url = parse(order.url)
      const host = hostOf(url)
      try {
        const { response } = await ask(url, order, total)
        checkHeaders(response)
        const { status, headers } = response
        const location = nextHop(response, url)?.href
        return {
          status,
          headers,
          location,
          pieces: readPieces(response, order, host, controller),
          close: () => controller.abort(),
        }
      } catch (error) {
        controller.abort()
        throw explain(error, host)
      }
    },

    async fetch(order: FetchRequest): Promise<Fetched> {
      const controller = new AbortController()
      const total = totalSignal(order, controller)
      try {
        return await follow(order, total)
      } finally {
        // A response that is not read to its end would go on arriving.
        controller.abort()
      }
    },
  }
}

function isTwin({ protocol, href }: URL, next: URL): boolean {
  return protocol === 'http:' && next.href === href.replace('http:', 'https:')
}

function headersFor({ origin }: URL, { url, headers }: FetchRequest, cookie: string): Record<string, string> {
  const isFirst = origin === new URL(url).origin
  const sent = new Headers([...new Headers(headers)].filter(([name]) => isFirst || SHARED_HEADERS.has(name)))
  const cookies = [sent.get('cookie') ?? '', cookie].filter((each) => each !== '')
  if (cookies.length > 0) sent.set('cookie', cookies.join('; '))
  return Object.fromEntries(sent)
}

async function receive(response: Response, { maxBytes }: FetchLimits) {
  const { status, headers } = response
  return { status, headers, body: await readLimited(response, maxBytes) }
}

function checkHeaders({ headers }: Response): void {
  const size = [...headers].reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (size > HEADERS_MAX) throw new FetchFailure('too_large', 'the headers of the response are too large')
}

function parse(text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) throw new FetchFailure('bad_url', 'not an http or https address')
  url.hash = ''
  return url
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

function nextHop({ status, headers }: Response, from: URL): URL | undefined {
  const location = headers.get('location')
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return undefined
  // Headers are read as Latin-1, but characters in addresses beyond ASCII are UTF-8.
  const next = URL.parse(Buffer.from(location, 'latin1').toString(), from.href)
  if (!next) throw new FetchFailure('bad_url', 'a redirect has no valid target')
  return parse(next.href)
}

function abortable<T>(total: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(total.reason)
  if (total.aborted) onAbort()
  else total.addEventListener('abort', onAbort)
  return Promise.race([work, promise])
}

function inCircle(): FetchFailure {
  return new FetchFailure('too_many_redirects', 'the redirects form a loop')
}

function tooSlow(host: string): FetchFailure {
  return new FetchFailure('timeout', `${host} does not answer in time`)
}

function explain(error: unknown, host: string): FetchFailure {
  if (error instanceof FetchFailure) return error
  const code = codeOf(error)
  if (error instanceof Error && error.name === 'TimeoutError') return tooSlow(host)
  if (isOutOfFiles(error)) return new FetchFailure('out_of_files', 'too many connections and files are open')
  if (code === 'ResponseHeadersTooLarge')
    return new FetchFailure('too_large', 'the headers of the response are too large')
  if (code === 'EPROTO') return new FetchFailure('tls', `${host} does not answer over https; try http`)
  if (/CERT|SSL|TLS|SELF_SIGNED|VERIFY|ISSUER/i.test(code))
    return new FetchFailure('tls', `the connection to ${host} cannot be trusted (${code})`)
  if (/HTTP_?Response|ContentLength|UnrequestedUpgrade/i.test(code))
    return new FetchFailure('unreachable', `${host} sends an invalid HTTP response (${code})`)
  return new FetchFailure('unreachable', `${host} cannot be reached${code === '' ? '' : ` (${code})`}`)
}

/** Whether the body is the requested document: 203 is a document that a proxy has changed. */
export function isSuccess(status: number): boolean {
  return status === 200 || status === 203
}

export function userAgentOf(version: string): string {
  return `podstep/${version} (podcast sync server)`
}

/** Aborts after the time of the whole request, by its sender, or by `controller`. */
function totalSignal({ limits, signal }: FetchRequest, controller: AbortController): AbortSignal {
  return AbortSignal.any([AbortSignal.timeout(limits.totalMs), controller.signal, ...(signal ? [signal] : [])])
}
