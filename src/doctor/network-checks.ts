import type { Config } from '../config/options.ts'
import type { IdentityProvider } from '../domain/accounts/single-sign-on.ts'
import type { PodcastDirectory } from '../domain/directory/external.ts'
import { type Arrival, type Check, type Finding, found, type RunningServer } from '../domain/server/doctor.ts'
import type { Clock } from '../platform/clock.ts'
import { messageOf } from '../platform/unknown.ts'
import { type Connection, readConnection } from './connection.ts'

export interface Here {
  /** Unique per running server; undefined if another program answers. */
  readonly instance: string | undefined
  /** Reason why it cannot store changes; undefined if it can. */
  readonly trouble: string | undefined
}

export interface NetworkParts {
  readonly config: Pick<
    Config,
    'baseUrl' | 'outbound' | 'directory' | 'directoryKey' | 'smtpHost' | 'oidcIssuer' | 'tlsCert' | 'listen'
  >
  readonly clock: Clock
  /** Rejects if no server answers. */
  readonly askHere: (signal: AbortSignal) => Promise<Here>
  readonly askAddress: (url: string, signal: AbortSignal) => Promise<Response>
  /** Returns when the certificate in the files expires; undefined without one. Throws if they cannot be used. */
  readonly ownCertificate: () => number | undefined
  readonly servedCertificate: (host: string, port: number, signal: AbortSignal) => Promise<number>
  readonly arrivals: readonly Arrival[]
  readonly databaseTime: () => number | undefined
  readonly running?: Pick<RunningServer, 'mailTrouble'> | undefined
  readonly mailer: { verify(): Promise<void> } | undefined
  readonly provider: Pick<IdentityProvider, 'test'> | undefined
  readonly directory: Pick<PodcastDirectory, 'trending'> | undefined
}

export const CONNECTION_PATH = '/api/2/server/connection'
const CLOCK_SECONDS = 60
const DAY = 86_400
/** Certificates are usually renewed a month before they expire; half of that is time to notice a failure. */
const SOON_DAYS = 14

interface Probe {
  readonly finding: Finding
  readonly time?: number | undefined
  readonly connection?: Connection | undefined
}

export function networkChecks(parts: NetworkParts): readonly Check[] {
  const { config, clock, mailer, provider, directory } = parts
  const { baseUrl } = config
  let here: Promise<Here | string> | undefined
  let probing: Promise<Probe> | undefined

  function askOnce(signal: AbortSignal): Promise<Here | string> {
    here ??= parts.askHere(signal).catch(messageOf)
    return here
  }

  async function server(signal: AbortSignal): Promise<Finding> {
    const own = await askOnce(signal)
    if (typeof own === 'string') return found('server_none', {}, { cause: own })
    if (own.instance === undefined) return found('server_taken')
    return own.trouble === undefined ? found('server_ok') : found('server_not_ready', {}, { cause: own.trouble })
  }

  async function probe(signal: AbortSignal): Promise<Probe> {
    if (baseUrl === undefined) return { finding: found('base_url_none') }
    const own = await askOnce(signal)
    if (typeof own === 'string' || own.instance === undefined) return { finding: found('server_skipped') }
    const url = baseUrl.href
    try {
      const response = await parts.askAddress(`${url}${CONNECTION_PATH}`, signal)
      const time = Date.parse(response.headers.get('date') ?? '') / 1000
      return { ...(await toProbe(url, response, own.instance, clock)), time }
    } catch (error) {
      return { finding: found('base_url_unreachable', { url }, { cause: messageOf(error) }) }
    }
  }

  function probeOnce(signal: AbortSignal): Promise<Probe> {
    probing ??= probe(signal)
    return probing
  }

  async function proxy(signal: AbortSignal): Promise<Finding> {
    const { finding, connection } = await probeOnce(signal)
    // A request without any of these headers may have bypassed the proxy.
    const forwarded = parts.arrivals.filter(({ header }) => header !== undefined)
    // These contain the address of the proxy.
    const arrivals = connection ? [...forwarded, connection.arrival] : forwarded
    if (arrivals.length > 0) return proxyFinding(arrivals, connection?.isBuffered ?? false, config)
    if (finding.code === 'base_url_none') return found('proxy_skipped')
    return finding.code === 'server_skipped' ? finding : found('base_url_skipped')
  }

  async function certificate(signal: AbortSignal): Promise<Finding> {
    let own: number | undefined
    try {
      own = parts.ownCertificate()
    } catch (error) {
      return found('certificate_unusable', {}, { cause: messageOf(error) })
    }
    const isHttps = baseUrl?.origin.startsWith('https:') === true
    let served: number | undefined
    if (isHttps) {
      const { hostname, port } = new URL(baseUrl.origin)
      served = await parts
        .servedCertificate(hostname.replace(/^\[|\]$/g, ''), Number(port || 443), signal)
        .catch(() => undefined)
    }
    const expiries = [own, served].filter((end) => end !== undefined)
    if (expiries.length === 0) return found(isHttps ? 'certificate_unseen' : 'certificate_none')
    const at = Math.min(...expiries)
    const days = Math.floor((at - clock.seconds()) / DAY)
    if (days < 0) return found('certificate_expired', { at })
    return found(days < SOON_DAYS ? 'certificate_soon' : 'certificate_ok', { at, days })
  }

  async function time(signal: AbortSignal): Promise<Finding> {
    const at = clock.seconds()
    const written = parts.databaseTime()
    const command = 'sudo timedatectl set-ntp true'
    if (written !== undefined && written > at + CLOCK_SECONDS)
      return found('clock_behind', { at, seconds: Math.round(written - at) }, { command })
    const { time: other = at } = await probeOnce(signal)
    const seconds = Math.round(Math.abs(other - at))
    return seconds > CLOCK_SECONDS ? found('clock_differs', { at, seconds }, { command }) : found('clock_ok', { at })
  }

  async function unsentMail(): Promise<Finding | undefined> {
    if (mailer === undefined) return found(config.smtpHost === undefined ? 'mail_none' : 'mail_partly')
    const cause = parts.running?.mailTrouble()
    return cause === undefined ? undefined : found('mail_unsent', {}, { cause })
  }

  async function mail(): Promise<Finding> {
    if (mailer === undefined) return (await unsentMail()) ?? found('mail_none')
    const connection = await checkAnswer(mailer.verify(), 'mail_ok', 'mail_failed')
    return connection.code === 'mail_ok' ? ((await unsentMail()) ?? connection) : connection
  }

  function noDirectory(): Finding | undefined {
    if (directory) return undefined
    const isWanted = config.directory === 'apple' || config.directoryKey !== undefined
    return found(isWanted && config.outbound === 'off' ? 'directory_off' : 'directory_none')
  }

  const noProvider = provider === undefined ? found('sso_none') : undefined
  const isRemote = true
  return [
    { name: 'server', isRemote, run: server },
    {
      ...{ name: 'base_url', isRemote },
      run: async (signal) => (await probeOnce(signal)).finding,
      glance: () => (baseUrl === undefined ? found('base_url_none') : undefined),
    },
    { name: 'proxy', isRemote, run: proxy },
    { name: 'certificate', isRemote, run: certificate },
    { name: 'clock', isRemote, run: time },
    { name: 'mail', isRemote, run: mail, glance: unsentMail },
    {
      ...{ name: 'sign_on', isRemote },
      run: () => noProvider ?? checkAnswer(provider?.test() ?? Promise.resolve(), 'sso_ok', 'sso_failed'),
      glance: () => noProvider,
    },
    {
      ...{ name: 'directory', isRemote },
      run: () =>
        noDirectory() ??
        checkAnswer(directory?.trending(undefined, 1) ?? Promise.resolve(), 'directory_ok', 'directory_failed'),
      glance: noDirectory,
    },
  ]
}

async function checkAnswer(question: Promise<unknown>, good: Finding['code'], bad: Finding['code']): Promise<Finding> {
  try {
    await question
    return found(good)
  } catch (error) {
    return found(bad, {}, { cause: messageOf(error) })
  }
}

async function toProbe(url: string, response: Response, own: string, clock: Clock): Promise<Probe> {
  const { status, headers } = response
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null) {
    const target = new URL(location, url).href.replace(CONNECTION_PATH, '').replace(/\/$/, '')
    return { finding: found('base_url_redirects', { url, target }) }
  }
  const connection = await readConnection(response, clock)
  if (!connection) return { finding: found('base_url_wrong', { url, status }) }
  if (connection.instance !== own) return { finding: found('base_url_elsewhere', { url }) }
  return { finding: found('base_url_ok', { url }), connection }
}

function proxyFinding(
  arrivals: readonly Arrival[],
  isBuffered: boolean,
  { baseUrl, tlsCert, listen }: NetworkParts['config'],
): Finding {
  for (const { header, isTrusted, peer } of arrivals)
    if (header !== undefined && !isTrusted)
      return peer === undefined
        ? found('proxy_not_believed', { header })
        : found('proxy_peer_not_believed', { header, peer })
  const isHttps = baseUrl?.origin.startsWith('https:') === true && tlsCert === undefined
  const expected = baseUrl && new URL(baseUrl.origin).hostname
  for (const { header, scheme, host, hasAddress } of arrivals) {
    const hasProxy = header !== undefined || isHttps || listen !== undefined
    if (hasProxy && !hasAddress) return found('proxy_no_address')
    if (isHttps && scheme !== 'https')
      return scheme === undefined ? found('proxy_no_scheme') : found('proxy_scheme', { scheme })
    // Proxies may omit the port, which does not matter if base_url is set.
    if (expected !== undefined && host.replace(/:\d+$/, '') !== expected) return found('proxy_host', { host, expected })
  }
  if (isBuffered) return found('proxy_buffers')
  return found(arrivals.some(({ header }) => header !== undefined) ? 'proxy_ok' : 'proxy_none')
}
