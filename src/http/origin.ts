import ipaddr from 'ipaddr.js'
import type { Arrival } from '../domain/server/doctor.ts'
import { createRateLimit } from '../domain/shared/rate-limit.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { createLru } from '../platform/lru.ts'

/** Peer address on the Unix socket. Such a peer is trusted as a proxy, since only a proxy can connect. */
export const SOCKET_PEER = 'unix:'
const UNKNOWN_PEER = 'unknown'

/**
 * Returns the address of a request's TCP peer, or `SOCKET_PEER`; undefined once the peer has closed the connection, or
 * if the server does not listen.
 */
export type PeerOf = (request: Request) => string | undefined

export interface Origins {
  /** Address of the client; for IPv6, its /64 network, which usually is one household. */
  clientAddress(request: Request): string
  /** Network of the client, /24 or /48, in which one person or host may hold many addresses. */
  clientNetwork(request: Request): string
  baseOf(request: Request): string
  isHttps(request: Request): boolean
  /**
   * Whether a page of another origin made the request, according to `Origin` or, if that is missing, `Sec-Fetch-Site`
   * (docs/protocol.md#D25). Apps without a web view send neither.
   */
  isForeign(request: Request): boolean
  /**
   * Set if the web view of an installed app sent the request; its origin is one that no website can have
   * (docs/protocol.md#D112). `isForeign` holds as well. `isByEngine`: sent by a browser engine, which adds cookies.
   */
  webViewOf(request: Request): { readonly isByEngine: boolean } | undefined
  /**
   * User name sent by an authenticating proxy, unchanged; undefined if `proxy_user_header` is not set, the header is
   * missing or empty, or the peer is not a trusted proxy. A repeated header arrives joined by a comma, which user names
   * cannot contain.
   */
  proxyUser(request: Request): string | undefined
  /**
   * Host that the browser used, if cookies set there would not be sent to `base_url`: its name differs, or the browser
   * used plain HTTP although `base_url` is https. A different port alone does not matter to cookies.
   */
  otherHost(request: Request): string | undefined
  /** Whether the URL of a page belongs to this server; always false without `base_url`. */
  isOwn(address: string): boolean
  arrivalOf(request: Request): Arrival
  /** Address of an untrusted peer and the proxy header that it sent; undefined if it sent none. */
  unbelieved(request: Request): { readonly peer: string; readonly header: string } | undefined
}

export interface OriginOptions {
  /** `base_url`, if configured. */
  readonly baseUrl: { readonly href: string; readonly origin: string } | undefined
  readonly trustedProxies: readonly string[]
  readonly proxyUserHeader?: string | undefined
  readonly peerOf: PeerOf
  readonly isTls?: boolean
}

/** Values of `Sec-Fetch-Site` for pages of other origins. */
const ELSEWHERE: ReadonlySet<string | null> = new Set(['cross-site', 'same-site'])

/** Origins of pages bundled with an app (Tauri, Capacitor, Ionic), exactly as browser engines send them. */
const APP_ORIGINS: ReadonlySet<string> = new Set([
  ...['tauri://localhost', 'http://tauri.localhost', 'https://tauri.localhost'],
  ...['capacitor://localhost', 'ionic://localhost'],
])
/** Electron has no fixed origin: each app chooses the host. */
const ELECTRON_ORIGIN = /^app:\/\/[\w.-]+$/

const FORWARDED = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded']

export function createOrigins(options: OriginOptions): Origins {
  const { baseUrl, trustedProxies, proxyUserHeader, peerOf, isTls = false } = options
  const claims = proxyUserHeader === undefined ? FORWARDED : [proxyUserHeader, ...FORWARDED]
  const trusted = trustedProxies.map(parseNetwork)
  const isTrusted = (address: string) => {
    if (address === SOCKET_PEER) return true
    if (trusted.length === 0 || !ipaddr.isValid(address)) return false
    const parsed = ipaddr.process(address)
    return trusted.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
  }
  const peerAddress = (request: Request) => plain(peerOf(request) || UNKNOWN_PEER)

  function forwarded(request: Request, header: string): string | undefined {
    const value = request.headers.get(header)
    if (value === null || !isTrusted(peerAddress(request))) return undefined
    return value.split(',').at(-1)?.trim() || undefined
  }

  function hostOf(request: Request): string {
    return forwarded(request, 'x-forwarded-host') ?? request.headers.get('host') ?? 'localhost'
  }

  const isHttps = (request: Request) =>
    baseUrl
      ? baseUrl.href.startsWith('https:')
      : isTls || forwarded(request, 'x-forwarded-proto')?.toLowerCase() === 'https'

  function addressOf(request: Request): string {
    let address = peerAddress(request)
    const hops = isTrusted(address) ? (request.headers.get('x-forwarded-for')?.split(',') ?? []) : []
    // The first untrusted hop from the right is the client; everything left of it can be forged.
    while (isTrusted(address)) {
      const hop = hops.pop()?.trim()
      if (hop === undefined || !ipaddr.isValid(hop)) break
      address = plain(hop)
    }
    return address
  }

  return {
    clientAddress: (request) => networkOf(addressOf(request), { ipv4: 32, ipv6: 64 }),
    clientNetwork: (request) => networkOf(addressOf(request), { ipv4: 24, ipv6: 48 }),
    baseOf: (request) => baseUrl?.href ?? `${isHttps(request) ? 'https' : 'http'}://${hostOf(request)}`,
    isHttps,
    arrivalOf(request) {
      const { headers } = request
      const peer = peerAddress(request)
      return {
        ...{ peer, isTrusted: isTrusted(peer), header: claims.find((name) => headers.has(name)) },
        hasAddress: headers.has('x-forwarded-for'),
        scheme: headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim().toLowerCase(),
        host: hostOf(request).toLowerCase(),
      }
    },
    unbelieved(request) {
      const header = claims.find((name) => request.headers.has(name))
      if (header === undefined) return undefined
      const peer = peerAddress(request)
      return peer === UNKNOWN_PEER || isTrusted(peer) ? undefined : { peer, header }
    },
    proxyUser(request) {
      const name = proxyUserHeader === undefined ? null : request.headers.get(proxyUserHeader)
      return name !== null && isTrusted(peerAddress(request)) ? name.trim() || undefined : undefined
    },
    otherHost(request) {
      if (!baseUrl) return undefined
      const host = hostOf(request)
      const own = new URL(baseUrl.origin)
      const requested = URL.parse(`${own.protocol}//${host}`)
      const isSecure = own.protocol === 'https:'
      // Browsers drop secure cookies over plain HTTP. Proxies may omit the port, but do not make one up.
      const isPlain =
        forwarded(request, 'x-forwarded-proto')?.toLowerCase() === 'http' ||
        (requested !== null && requested.port !== '' && requested.port !== own.port)
      return requested?.hostname !== own.hostname || (isSecure && isPlain) ? host : undefined
    },
    isOwn: (address) => URL.canParse(address) && new URL(address).origin === baseUrl?.origin,
    webViewOf({ headers }) {
      const origin = headers.get('origin') ?? ''
      if (!APP_ORIGINS.has(origin) && !ELECTRON_ORIGIN.test(origin)) return undefined
      return { isByEngine: headers.has('sec-fetch-site') }
    },
    isForeign(request) {
      const origin = request.headers.get('origin')
      if (origin === null) return ELSEWHERE.has(request.headers.get('sec-fetch-site'))
      if (baseUrl) return origin !== baseUrl.origin
      // Behind a proxy, the scheme is unknown without `base_url`. Hosts are enough: an attacker cannot choose them.
      return !(
        /^https?:/.test(origin) &&
        URL.canParse(origin) &&
        new URL(origin).host ===
          hostOf(request)
            .toLowerCase()
            .replace(/:(80|443)$/, '')
      )
    },
  }
}

function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** A dual-stack socket reports 1.2.3.4 as `::ffff:1.2.3.4`. */
function plain(address: string): string {
  return address.startsWith('::ffff:') && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address
}

function networkOf(address: string, prefix: { readonly ipv4: number; readonly ipv6: number }): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.parse(address)
  const bits = prefix[parsed.kind()]
  const bytes = parsed.toByteArray().map((byte, index) => (index * 8 < bits ? byte : 0))
  return bytes.length * 8 === bits ? address : `${ipaddr.fromByteArray(bytes).toString()}/${bits}`
}

const HOUR = 3_600_000
const REMEMBERED_MS = 2 * HOUR
const WARNED_PEERS_MAX = 1_000

/**
 * Warns when a reverse proxy seems to be missing from `trusted_proxies`. Otherwise all clients share one address
 * unnoticed, until the wrong passwords of one client count against all of them. Warnings are rate-limited, since any
 * client can send these headers.
 */
export function createProxyWarning(origins: Pick<Origins, 'unbelieved' | 'arrivalOf'>, log: Log, clock: Clock) {
  const perPeer = createRateLimit({ max: 1, windowMs: HOUR }, createLru(WARNED_PEERS_MAX, clock, HOUR), clock)
  const total = createRateLimit({ max: 20, windowMs: HOUR }, createLru(1, clock, HOUR), clock)
  const warned = createLru<Arrival>(1, clock, REMEMBERED_MS)
  return {
    look(request: Request): void {
      const claim = origins.unbelieved(request)
      if (!claim || !perPeer.tryTake(claim.peer) || !total.tryTake('')) return
      warned.set('', origins.arrivalOf(request))
      log.warn('ignoring a header of a reverse proxy: if the peer is your proxy, add it to trusted_proxies', claim)
    },
    /** Arrival of the last warning. The warning is repeated hourly while the proxy remains untrusted. */
    last: () => warned.get(''),
  }
}
