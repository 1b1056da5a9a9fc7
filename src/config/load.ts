import { resolve } from 'node:path'
import { readConfigFile } from './file.ts'
import { type Config, camelCase, isKey, isOptional, type Key, keys, type Setting, settings } from './options.ts'
import { closest } from './parsers.ts'
import {
  type Environment,
  issueAt,
  type Origin,
  type RawSetting,
  type ReadFile,
  readEnvironment,
  type Source,
} from './sources.ts'

export interface ConfigInput {
  readonly file?: string | undefined
  readonly env: Environment
  readonly cwd: string
  readonly readFile: ReadFile
  readonly overrides?: Environment | undefined
}

export interface LoadedConfig {
  readonly config: Config
  readonly warnings: readonly string[]
  readonly origins: ReadonlyMap<Key, Origin>
  readonly file: string | undefined
}

/** Thrown for unusable settings, with all issues at once. No message quotes a secret. */
export class ConfigError extends Error {
  readonly issues: readonly string[]
  /** Often explain an issue: a misspelled variable is only a warning, but the missing setting is an issue. */
  readonly warnings: readonly string[]

  constructor(issues: readonly string[], warnings: readonly string[]) {
    super(issues.join('\n'))
    this.name = 'ConfigError'
    this.issues = issues
    this.warnings = warnings
  }
}

/** Loads the settings: command line over environment over file over defaults. Throws `ConfigError`. */
export function loadConfig(input: ConfigInput): LoadedConfig {
  const file = readConfigFile(input)
  const sources: readonly Source[] = [file, readEnvironment(input), readOverrides(input.overrides ?? {})]
  const rawSettings = sources.flatMap((source) => source.rawSettings)
  const issues = sources.flatMap((source) => source.issues)
  const warnings = sources.flatMap((source) => source.warnings)

  const chosen = new Map<Key, Chosen>()
  for (const each of rawSettings) {
    const parsed = parse(each)
    if (parsed.ok) chosen.set(each.key, { value: parsed.value, origin: each.origin })
    else issues.push(...parsed.issues.map((issue) => issueAt(each, issue)))
  }

  const config = complete(chosen, input.cwd)
  if (file.complete) {
    const mentioned = new Set(rawSettings.map((each) => each.key))
    const findings = crossCheck(config, (key) => mentioned.has(key))
    issues.push(...findings.issues)
    warnings.push(...findings.warnings)
  }
  if (issues.length > 0) throw new ConfigError(issues, warnings)
  const origins = new Map<Key, Origin>(keys.map((key) => [key, chosen.get(key)?.origin ?? { from: 'default' }]))
  return { config, warnings, origins, file: file.path }
}

interface Chosen {
  readonly value: unknown
  readonly origin: Origin
}

function parse(setting: RawSetting) {
  const { parser } = settings[setting.key]
  return 'text' in setting.value ? parser.fromText(setting.value.text) : parser.fromToml(setting.value.toml)
}

function readOverrides(overrides: Environment): Source {
  const rawSettings: RawSetting[] = []
  const issues: string[] = []
  for (const [key, text] of Object.entries(overrides)) {
    const name = `--${key.replaceAll('_', '-')}`
    if (text === undefined) continue
    if (isKey(key)) rawSettings.push({ key, origin: { from: 'command line', name }, value: { text } })
    else {
      const near = closest(key, keys)
      issues.push(
        `${name}: no such setting${near === undefined ? '' : `, did you mean --${near.replaceAll('_', '-')}?`}`,
      )
    }
  }
  return { rawSettings, issues, warnings: [] }
}

function complete(chosen: ReadonlyMap<Key, Chosen>, cwd: string): Config {
  const basis = { registration: chosen.get('registration')?.value ?? settings.registration.fallback }
  const values: Record<string, unknown> = {}
  for (const key of keys) {
    const setting: Setting<unknown> = settings[key]
    const choice = chosen.get(key)
    const value = choice === undefined ? (setting.derive?.(basis) ?? setting.fallback) : choice.value
    values[camelCase(key)] = setting.parser.name === 'path' && typeof value === 'string' ? resolve(cwd, value) : value
  }
  if (!isConfig(values)) throw new Error('the table of settings is inconsistent')
  return Object.freeze(values)
}

function isConfig(values: Record<string, unknown>): values is Config {
  return keys.every((key) => camelCase(key) in values)
}

const NEEDS: readonly { readonly key: Key; readonly needs: Key; readonly why: string }[] = [
  { key: 'tls_cert', needs: 'tls_key', why: 'TLS needs both' },
  { key: 'tls_key', needs: 'tls_cert', why: 'TLS needs both' },
  { key: 'smtp_user', needs: 'smtp_password', why: 'the mail server asks for both' },
  { key: 'smtp_password', needs: 'smtp_user', why: 'the mail server asks for both' },
  { key: 'smtp_host', needs: 'smtp_from', why: 'emails need a sender' },
  { key: 'oidc_issuer', needs: 'oidc_client_id', why: 'the provider must know who asks' },
  { key: 'oidc_issuer', needs: 'base_url', why: 'the provider must know one fixed return address' },
  { key: 'directory_key', needs: 'directory_secret', why: 'the directory asks for both' },
  { key: 'directory_secret', needs: 'directory_key', why: 'the directory asks for both' },
]

const FEATURES: readonly { readonly prefix: string; readonly head: Key; readonly off: string }[] = [
  { prefix: 'smtp_', head: 'smtp_host', off: 'no email is sent without it' },
  { prefix: 'oidc_', head: 'oidc_issuer', off: 'single sign-on is off without it' },
]

/** Checks combinations of individually valid settings. `isSet`: whether a key was set at all. */
function crossCheck(
  config: Config,
  isSet: (key: Key) => boolean,
): { issues: readonly string[]; warnings: readonly string[] } {
  const issues = NEEDS.filter(({ key, needs }) => isSet(key) && !isSet(needs)).map(
    ({ key, needs, why }) => `${key} is set but ${needs} is not: ${why}`,
  )
  for (const key of ['host', 'port'] as const)
    if (isSet('listen') && isSet(key)) issues.push(`${key} and listen are both set: the server listens on one of them`)
  if (isSet('listen') && isSet('tls_cert'))
    issues.push('tls_cert and listen are both set: the proxy in front of a socket does TLS')
  if (isSet('proxy_user_header') && isSet('oidc_issuer'))
    issues.push('proxy_user_header and oidc_issuer are both set: either the proxy signs users in or the provider does')
  if (isSet('proxy_user_header') && config.trustedProxies.some(isEverything))
    issues.push('proxy_user_header is set and trusted_proxies holds every address: anyone could sign in as anyone')
  const warnings: string[] = []
  if (isSet('socket_mode') && !isSet('listen'))
    warnings.push('socket_mode is set but listen is not: there is no socket')
  for (const { prefix, head, off } of FEATURES) {
    if (isSet(head)) continue
    for (const key of keys.filter((each) => each.startsWith(prefix) && isSet(each))) {
      // Templates for servers with and without the feature may set keys that have a default (smtp_port).
      const list = isOptional(settings[key]) ? issues : warnings
      list.push(`${key} is set but ${head} is not: ${off}`)
    }
  }
  return { issues, warnings: [...warnings, ...risks(config, isSet)] }
}

function risks(config: Config, isGiven: (key: Key) => boolean): readonly string[] {
  const found: readonly (readonly [boolean, string])[] = [
    [
      isGiven('smtp_host') && !isGiven('base_url'),
      'smtp_host is set but base_url is not: emails need the public address for their links, so none is sent',
    ],
    [
      config.registration === 'invite' && !isGiven('smtp_host'),
      'registration is "invite" but smtp_host is not set: an administrator must activate each new account',
    ],
    [
      isGiven('database') && (isGiven('backup_keep') || isGiven('backup_cron')),
      'database is set, so backup_keep and backup_cron have no effect: PostgreSQL is backed up with its own tools, such as pg_dump',
    ],
    [
      config.outbound === 'off' && (isGiven('directory_key') || config.directory === 'apple'),
      `outbound is "off", so the external directory is not asked although ${config.directory === 'apple' ? 'directory' : 'directory_key'} is set`,
    ],
    [
      config.directory !== 'podcastindex' && isGiven('directory_key'),
      `directory is "${config.directory}", so directory_key and directory_secret are not used`,
    ],
    [
      config.tlsCert !== undefined && config.baseUrl?.origin.startsWith('http:') === true,
      'tls_cert is set but base_url is plain http: links and cookies are made for http',
    ],
    [
      config.smtpSecurity === 'none' && isGiven('smtp_user'),
      'smtp_security is "none" but smtp_user is set: the password crosses the network in clear text',
    ],
    [
      isGiven('smtp_host') && config.smtpPort === 465 && config.smtpSecurity === 'starttls',
      'smtp_port is 465 but smtp_security is "starttls": port 465 usually needs "tls"',
    ],
    [
      isGiven('smtp_host') && config.smtpPort === 587 && config.smtpSecurity === 'tls',
      'smtp_security is "tls" but smtp_port is 587: port 587 usually needs "starttls"',
    ],
    [
      config.oidcIssuer?.startsWith('http:') === true && config.oidcClientSecret !== undefined,
      'oidc_issuer is plain http: the client secret crosses the network in clear text',
    ],
    [
      isGiven('oidc_groups_claim') && isGiven('oidc_issuer') && !isGiven('oidc_admin_group'),
      'oidc_groups_claim is set but oidc_admin_group is not: groups have no effect',
    ],
    [
      config.baseUrl?.origin.startsWith('https:') === true &&
        config.trustedProxies.length === 0 &&
        config.listen === undefined &&
        config.tlsCert === undefined,
      'base_url is https, so a proxy stands in front, but trusted_proxies is empty: all visitors look like one address and share one rate limit',
    ],
    [
      isGiven('proxy_user_header') && config.trustedProxies.length === 0 && config.listen === undefined,
      'proxy_user_header is set but trusted_proxies is empty: the header is never believed',
    ],
    [
      config.trustedProxies.some(isEverything),
      'trusted_proxies holds every address: anyone can claim to be anyone with X-Forwarded-For',
    ],
    [
      config.feedAllowPrivate.some(isEverything),
      'feed_allow_private holds every address: users can make the server read anything it reaches',
    ],
    [
      config.webhookAllowPrivate.some(isEverything),
      'webhook_allow_private holds every address: users can make the server post to anything it reaches',
    ],
    [
      config.importAllowPrivate.some(isEverything),
      'import_allow_private holds every address: users can make the server ask anything it reaches for an account',
    ],
  ]
  return found.filter(([applies]) => applies).map(([, warning]) => warning)
}

function isEverything(network: string): boolean {
  return network.endsWith('/0')
}
