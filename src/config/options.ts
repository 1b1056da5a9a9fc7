import {
  apiUrl,
  baseUrl,
  boolean,
  choice,
  cron,
  databaseUrl,
  fileMode,
  headerName,
  host,
  integer,
  isAddressOrNetwork,
  isPrivatePlace,
  issuerUrl,
  list,
  mailbox,
  type Parser,
  path,
  scopes,
  secret,
  text,
  unixSocket,
} from './parsers.ts'

/** One setting: its parser, its default, and the text that describes it everywhere. */
export interface Setting<T> {
  readonly parser: Parser<T>
  readonly fallback: T
  readonly derive?: (chosen: { readonly registration: unknown }) => T
  readonly fallbackText?: string
  readonly example?: string
  readonly doc: string
}

function withDefault<T>(parser: Parser<T>, fallback: T, doc: string): Setting<T> {
  return { parser, fallback, doc }
}

function optional<T>(parser: Parser<T>, example: string, doc: string, fallbackText?: string): Setting<T | undefined> {
  const setting = { parser, fallback: undefined, example, doc }
  return fallbackText === undefined ? setting : { ...setting, fallbackText }
}

const listening = {
  host: withDefault(host(), '0.0.0.0', 'Address to listen on.'),
  port: withDefault(integer(0, 65535), 8080, 'Port to listen on; 0 picks a free one and logs it.'),
  listen: optional(
    unixSocket(),
    'unix:/run/podstep/podstep.sock',
    'Unix socket to listen on instead of host and port. Its peers count as trusted proxies.',
  ),
  socket_mode: withDefault(fileMode(), '0660', 'Permissions of the socket.'),
  tls_cert: optional(
    path(),
    '/etc/podstep/fullchain.pem',
    'PEM certificate chain for TLS without a proxy. Reloaded within a minute of a change, and on SIGHUP.',
  ),
  tls_key: optional(path(), '/etc/podstep/privkey.pem', 'PEM private key of `tls_cert`.'),
  base_url: optional(
    baseUrl(),
    'https://home.example/podcasts',
    'Public address, optionally with a sub-path. Needed for links in emails and for single sign-on.',
    'from the request',
  ),
  trusted_proxies: withDefault<readonly string[]>(
    list('addresses or ranges such as 10.0.0.0/8', isAddressOrNetwork),
    [],
    'Addresses or ranges of reverse proxies whose X-Forwarded-For, -Proto and -Host are trusted.',
  ),
  proxy_user_header: optional(
    headerName(),
    'Remote-User',
    'Header in which an authenticating proxy among `trusted_proxies` names the user, for signing in to the web client. The proxy must replace it in every request.',
  ),
}

const storage = {
  data_dir: withDefault(
    path(),
    './data',
    'Folder of the database and the backups; created readable by its owner only. A relative path starts at the working directory. With `database` it holds only pictures and files that are being imported, and may be empty at each start.',
  ),
  database: optional(
    databaseUrl(),
    'postgres://podstep:password@db.home.example/podstep?sslmode=verify-full',
    'PostgreSQL 15 or newer instead of SQLite: the URL of an empty database, or of one created by podstep. Several servers may use the same database: one of them is active, and the others wait to take over.',
    'SQLite in `data_dir`',
  ),
  backup_cron: withDefault(
    cron(),
    '30 4 * * *',
    'Schedule of database backups, which are written to `backups` in `data_dir`.',
  ),
  backup_keep: withDefault(integer(0, 1000), 3, 'Backups to keep; 0 turns backups off.'),
}

const accounts = {
  registration: withDefault(
    choice('open', 'closed', 'invite'),
    'closed',
    'Who may create an account: anyone (open), no one (closed), or anyone, with activation by a mailed link or an administrator (invite). The first account can always be created and is an administrator.',
  ),
  session_days: withDefault(integer(1, 3650), 30, 'Days without use after which a session ends.'),
  invitation_days: withDefault(integer(1, 30), 7, 'Days for which an invitation link is valid.'),
  rate_limit: withDefault(boolean(), true, 'Limit sign-ins, registrations, emails and anonymous lookups.'),
}

const quotas = {
  max_subscriptions: withDefault(
    integer(1, 100_000_000),
    20_000,
    'Subscriptions of one user; a podcast on two devices counts twice.',
  ),
  max_devices: withDefault(integer(1, 100_000), 100, 'Devices of one user.'),
  max_settings: withDefault(
    integer(1, 100_000_000),
    50_000,
    'Podcasts, episodes and devices of one user with settings stored by apps.',
  ),
}

const mail = {
  smtp_host: optional(host(), 'mail.home.example', 'Mail server; without it no email is sent.'),
  smtp_port: withDefault(integer(1, 65535), 587, 'Port of the mail server: usually 587 with starttls, 465 with tls.'),
  smtp_security: withDefault(
    choice('starttls', 'tls', 'none'),
    'starttls',
    'Encryption: starttls (required, no fallback to clear text), tls from the first byte, or none.',
  ),
  smtp_user: optional(text(), 'podcasts', 'User name for the mail server.'),
  smtp_password: optional(secret(), 'the password', 'Password for the mail server.'),
  smtp_from: optional(mailbox(), 'Podcasts <podcasts@home.example>', 'Sender of the emails.'),
}

const singleSignOn = {
  oidc_issuer: optional(
    issuerUrl(),
    'https://id.home.example',
    'Issuer URL of the OpenID Connect provider, or the address of its discovery document; without it single sign-on is off.',
  ),
  oidc_client_id: optional(
    text(),
    'podstep',
    'Client ID registered with the provider; redirect URI `<base_url>/auth/sso/callback`.',
  ),
  oidc_client_secret: optional(secret(), 'the client secret', 'Client secret; leave it out for a public client.'),
  oidc_name: withDefault(text(), 'Single sign-on', 'Label of the sign-in button.'),
  oidc_scopes: withDefault(scopes(), 'openid profile email', 'Scopes to request.'),
  oidc_auto_create: {
    ...withDefault(boolean(), true, 'Create accounts for unknown identities.'),
    derive: (chosen: { readonly registration: unknown }) => chosen.registration !== 'closed',
    fallbackText: '`true`, but `false` with `registration = "closed"`',
  },
  oidc_admin_group: optional(
    text(),
    'podcast-admins',
    'Members of this group are administrators, all others are not; checked at each sign-in.',
  ),
  oidc_groups_claim: withDefault(
    text(),
    'groups',
    'Claim that lists the groups; with dots, a path to it such as realm_access.roles.',
  ),
}

const directory = {
  directory: withDefault(
    choice('podcastindex', 'apple', 'none'),
    'podcastindex',
    'Directory in which users find podcasts by name. Podcast Index needs `directory_key` and `directory_secret`, which are free; without them it is not queried. Apple needs no key: search terms are sent to Apple, without any information about the user.',
  ),
  directory_key: optional(secret(), 'the key', 'Key for Podcast Index.'),
  directory_secret: optional(secret(), 'the secret', 'Secret that belongs to `directory_key`.'),
  directory_url: optional(
    apiUrl(),
    'https://api.podcastindex.org/api/1.0',
    'Base URL of the directory, if not the default one.',
  ),
}

const outgoing = {
  outbound: withDefault(
    choice('on', 'off'),
    'on',
    'Whether the server connects to other servers for its users: feeds, the directory, pictures, chapters, transcripts, webhooks and imports from other servers. With off it makes none of these connections; mail and single sign-on are not affected.',
  ),
}

const feeds = {
  feed_refresh_cron: withDefault(
    cron(),
    '* * * * *',
    'Schedule on which due feeds are refreshed; new feeds are fetched at once.',
  ),
  feed_refresh_minutes: withDefault(
    integer(1, 1440),
    60,
    'Base interval of a feed in minutes; extended up to a day for quiet or failing feeds, and never shorter than the feed asks for.',
  ),
  feed_concurrency: withDefault(integer(1, 64), 8, 'Feeds fetched at once, at most 2 of them from one host.'),
  feed_timeout_seconds: withDefault(integer(1, 300), 20, 'Time limit of one fetch in seconds.'),
  feed_max_bytes: withDefault(
    integer(1024, 268_435_456),
    16_777_216,
    'Size limit of one feed in bytes, after decompression.',
  ),
  feed_max_episodes: withDefault(
    integer(1, 100_000),
    2000,
    'Number of newest episodes stored per podcast; older ones stay while an episode action refers to them.',
  ),
  feed_allow_private: withDefault<readonly string[]>(
    list('addresses, ranges or host[:port]', isPrivatePlace),
    [],
    'Hosts in private networks that feeds may come from: addresses, ranges, `host` or `host:port`. Never for anonymous lookups.',
  ),
  webhook_allow_private: withDefault<readonly string[]>(
    list('addresses, ranges or host[:port]', isPrivatePlace),
    [],
    'Hosts in private networks that users may send webhooks to, such as your own ntfy or Gotify: addresses, ranges, `host` or `host:port`.',
  ),
  import_allow_private: withDefault<readonly string[]>(
    list('addresses, ranges or host[:port]', isPrivatePlace),
    [],
    'Hosts in private networks that users may import their accounts from: addresses, ranges, `host` or `host:port`. `podstep import` without a running server can reach any.',
  ),
  feed_on_demand: withDefault(
    choice('anyone', 'users', 'off'),
    'anyone',
    'Whose lookups fetch unknown feeds: those of anyone, of users (signed in), or none (off).',
  ),
}

const operation = {
  log_level: withDefault(choice('debug', 'info', 'warn', 'error'), 'info', 'Lowest level of messages to log.'),
  log_format: withDefault(
    choice('auto', 'json', 'pretty'),
    'auto',
    'Log lines as json or pretty; auto is pretty on a terminal.',
  ),
  access_log: withDefault(
    boolean(),
    true,
    'Log one line per request: method, route, status, milliseconds, user ID and request ID; never a URL or an IP address.',
  ),
  metrics_token: optional(
    secret(),
    'a long random text',
    'Token that Prometheus sends to `GET /metrics` as `Authorization: Bearer`; without it the endpoint does not exist.',
  ),
}

export const settings = {
  ...listening,
  ...storage,
  ...accounts,
  ...quotas,
  ...mail,
  ...singleSignOn,
  ...directory,
  ...outgoing,
  ...feeds,
  ...operation,
}

export const groups: readonly { readonly title: string; readonly keys: readonly string[] }[] = [
  { title: 'Listening', keys: Object.keys(listening) },
  { title: 'Storage and backups', keys: Object.keys(storage) },
  { title: 'Accounts', keys: Object.keys(accounts) },
  { title: 'Quotas', keys: Object.keys(quotas) },
  { title: 'Mail', keys: Object.keys(mail) },
  { title: 'Single sign-on (OpenID Connect)', keys: Object.keys(singleSignOn) },
  { title: 'External podcast directory', keys: Object.keys(directory) },
  { title: 'Outbound requests', keys: Object.keys(outgoing) },
  { title: 'Feeds', keys: Object.keys(feeds) },
  { title: 'Logs and metrics', keys: Object.keys(operation) },
]

export type Key = keyof typeof settings

type Camel<Snake extends string> = Snake extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Snake
type ValueOf<S> = S extends Setting<infer T> ? T : never

/** The settings in effect, in camelCase (`data_dir` is `dataDir`); `undefined` without a value or default. */
export type Config = { readonly [K in Key as Camel<K>]: ValueOf<(typeof settings)[K]> }

export function isKey(text: string): text is Key {
  return Object.hasOwn(settings, text)
}

export const keys: readonly Key[] = Object.keys(settings).filter(isKey)

export function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

export const FILE_VARIABLE = 'SVC_CONFIG'

export function envName(key: Key): string {
  return `SVC_${key.toUpperCase()}`
}

export function isSecret(key: Key): boolean {
  return settings[key].parser.name === 'secret'
}

/** Whether omitting the setting means "none". If so, an empty string in the file means the same. */
export function isOptional(setting: Setting<unknown>): boolean {
  return setting.fallback === undefined
}
