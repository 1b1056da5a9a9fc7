import type { Config } from '../../config/options.ts'
import type { IdentityProvider } from '../../domain/accounts/single-sign-on.ts'
import type { PodcastDirectory } from '../../domain/directory/external.ts'
import type { Clock } from '../../platform/clock.ts'
import { isRecord, messageOf } from '../../platform/unknown.ts'
import { type Check, type Finding, failed, ok, skipped, warning } from './checks.ts'

export interface NetworkParts {
  readonly config: Pick<Config, 'baseUrl' | 'outbound' | 'directoryKey' | 'smtpHost' | 'oidcIssuer'>
  readonly clock: Clock
  /** Asks the server on this machine without a detour; the path is without that of `base_url`. */
  readonly askHere: (path: string) => Promise<Response>
  /** Asks any address, and follows no redirect. */
  readonly askAddress: (url: string) => Promise<Response>
  /** When the database was last written, in Unix seconds. */
  readonly databaseTime: () => number | undefined
  readonly mailer: { verify(): Promise<void> } | undefined
  readonly provider: Pick<IdentityProvider, 'test'> | undefined
  readonly directory: Pick<PodcastDirectory, 'trending'> | undefined
}

const INFO = '/api/2/server'
const CLOCK_SECONDS = 60

/** What needs the running server, or somebody else's. Nothing is changed anywhere, and no mail is sent. */
export function networkChecks(parts: NetworkParts): readonly Check[] {
  const { config, clock, askAddress, askHere, mailer, provider, directory } = parts
  let own: string | undefined
  let otherTime: number | undefined

  async function server(): Promise<Finding> {
    try {
      own = await identityOf(await askHere(INFO))
    } catch (error) {
      return warning(
        `no server answers on this machine: ${messageOf(error)}`,
        'start it, or give the --host and --port that it has',
      )
    }
    if (own === undefined) return failed('something else answers at the address of the settings', 'choose another port')
    const ready = await askHere('/readyz')
    return ready.ok
      ? ok('running, and can store changes')
      : failed(`running, but ${(await ready.text()).slice(0, 300)}`, 'see "Health checks" in docs/deployment.md')
  }

  async function baseUrl(): Promise<Finding> {
    if (config.baseUrl === undefined) return skipped('base_url is not set')
    if (own === undefined) return skipped('the server is not running on this machine')
    const { href } = config.baseUrl
    let response: Response
    try {
      response = await askAddress(`${href}${INFO}`)
    } catch (error) {
      return failed(
        `${href} cannot be reached from here: ${messageOf(error)}`,
        'check name, port forwarding, certificate and proxy',
      )
    }
    const date = Date.parse(response.headers.get('date') ?? '')
    if (!Number.isNaN(date)) otherTime = date / 1000
    return reached(href, response, own)
  }

  function time(): Finding {
    const now = clock.seconds()
    const observed = new Date(now * 1000).toISOString()
    const written = parts.databaseTime()
    if (written !== undefined && written > now + CLOCK_SECONDS)
      return failed(`${observed}, but the database was written ${Math.round(written - now)} seconds later`, SET_CLOCK)
    if (otherTime !== undefined && Math.abs(otherTime - now) > CLOCK_SECONDS)
      return warning(`${observed}, ${Math.round(Math.abs(otherTime - now))} seconds from that of base_url`, SET_CLOCK)
    return ok(observed)
  }

  return [
    { name: 'server', run: server },
    { name: 'base_url', run: baseUrl },
    { name: 'clock', run: time },
    {
      name: 'mail',
      run: () =>
        mailer === undefined
          ? skipped(config.smtpHost === undefined ? 'smtp_host is not set' : 'smtp_from or base_url is not set')
          : asked(
              mailer.verify(),
              'the mail server accepts the connection and the sign-in',
              'check the settings smtp_...',
            ),
    },
    {
      name: 'sign-on',
      run: () =>
        provider === undefined
          ? skipped('oidc_issuer is not set')
          : asked(
              provider.test(),
              `${config.oidcIssuer} describes itself as it should`,
              'check oidc_issuer and the provider',
            ),
    },
    {
      name: 'directory',
      run: () =>
        directory === undefined
          ? skipped(
              config.directoryKey !== undefined && config.outbound === 'off'
                ? 'outbound is "off"'
                : 'directory_key is not set',
            )
          : asked(
              directory.trending(undefined, 1),
              'the directory accepts the key',
              'check directory_key, directory_secret and the clock',
            ),
    },
  ]
}

const SET_CLOCK = 'set the clock, and keep it right: sudo timedatectl set-ntp true'

async function asked(question: Promise<unknown>, good: string, advice: string): Promise<Finding> {
  try {
    await question
    return ok(good)
  } catch (error) {
    return failed(messageOf(error), advice)
  }
}

async function reached(href: string, response: Response, own: string): Promise<Finding> {
  const { status } = response
  if (status >= 300 && status < 400)
    return failed(
      `${href} redirects to ${response.headers.get('location') ?? 'nowhere'}`,
      'set base_url to where it leads: apps on phones do not follow a redirect when they upload',
    )
  const other = await identityOf(response)
  if (other === undefined)
    return failed(
      `${href} answers ${status}, but not as podstep does`,
      'check where the proxy sends requests, and that it does not cut the path of base_url off',
    )
  if (other !== own)
    return failed(`another podstep server answers at ${href}`, 'check where the proxy sends requests, and base_url')
  return ok(`${href} leads here without a redirect`)
}

/** What this server and another one tell differently of themselves; undefined if it is no podstep. */
async function identityOf(response: Response): Promise<string | undefined> {
  const info = await response.json().catch(() => undefined)
  if (!response.ok || !isRecord(info) || typeof info['version'] !== 'string') return undefined
  const { version, registration, first_run, mail, outbound, sso } = info
  return JSON.stringify([version, registration, first_run, mail, outbound, sso])
}
