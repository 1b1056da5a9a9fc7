import { describe, expect, test } from 'bun:test'
import { isAddressOrNetwork, isHost, isPrivatePlace } from '../../src/config/parsers.ts'
import { issues, loadWith, refusal } from './load-with.ts'

const PORT = 'expected a whole number from 0 to 65535'
const HTTP = 'expected an http or https URL without user name, query and fragment'
const CRON = 'expected a cron pattern such as "30 4 * * *"'
const PROXIES = 'trusted_proxies: expected a list of addresses or ranges such as 10.0.0.0/8'
const REGISTRATION = 'expected one of "open", "closed", "invite"'
const FLAT = 'settings are flat keys, not tables: write smtp_host = ... instead of "smtp.host"'

const MAIL = 'smtp_host = "mail.lan"\nsmtp_from = "pods@home.example"\n'
const BASE = 'base_url = "http://pods.lan"\n'
const ISSUER = 'oidc_issuer = "https://id.example"\n'
const SSO = `${BASE}${ISSUER}oidc_client_id = "pods"\n`

test.each([
  ['colour = "blue"', '1: unknown key "colour"'],
  ['[smtp]\nhost = "a"', `2: ${FLAT}`],
  ['smtp.host = "a"', `1: ${FLAT}`],
  ['[smtp]\nhots = "a"', '2: unknown key "smtp.hots", did you mean "smtp_host"?'],
  ['[web]\n\nport = 1', '3: port stands in the table "web" of line 1: settings are flat keys, remove the table'],
  ['[[backup]]', '1: unknown key "backup", the keys are backup_cron, backup_keep'],
  ['port = "8080"', `1: port: ${PORT}, got text: write it without quotes`],
  ['oidc_name = 1', '1: oidc_name: expected text on one line, got a whole number'],
  ['trusted_proxies = [1]', `1: ${PROXIES}, got a whole number in it`],
  ['registration = "opne"', `1: registration: ${REGISTRATION}, got "opne", did you mean "open"?`],
  ['base_url = "ftp://home.example"', `1: base_url: ${HTTP}`],
  ['base_url = "https://home.example/?a"', `1: base_url: ${HTTP}`],
  ['base_url = "https://home.example/a//b"', `1: base_url: ${HTTP}`],
  ['host = "localhost:8080"', '1: host: expected an address or host name without port'],
  ['backup_cron = "0 25 * * *"', `1: backup_cron: ${CRON}: Invalid value for hour: 25`],
  ['backup_cron = "0 0 30 2 *"', `1: backup_cron: ${CRON}: it never matches`],
  ['backup_cron = "0 0 * *\\n *"', `1: backup_cron: ${CRON}: it has more than one line`],
  ['data_dir = ""', '1: data_dir: expected a path'],
  ['oidc_scopes = "profile"', '1: oidc_scopes: expected scopes separated by blanks, among them openid'],
  ['port = 1\nhost 5', '2:6: syntax error: illegal character in key'],
])('an error in the file: %j', (toml, expected) => expect(issues({ toml })).toEqual([`config.toml:${expected}`]))

const DATABASE = 'expected a URL of PostgreSQL such as postgres://podstep:password@db.home.example/podstep'
const ESCAPES = 'characters such as # % / ? @ in a password are written as %23 %25 %2F %3F %40'

test.each([
  ['podstep.db', `${DATABASE}; leave it out for SQLite in data_dir`],
  ['sqlite:///podstep.db', `${DATABASE}; leave it out for SQLite in data_dir`],
  ['mysql://db.lan/podstep', `${DATABASE}; leave it out for SQLite in data_dir`],
  ['postgres://a:b/c@db.lan/podstep', `${DATABASE}; ${ESCAPES}`],
  ['postgres://a:1#b@db.lan/podstep', `${DATABASE}; ${ESCAPES}`],
  ['postgres://a:1%b@db.lan/podstep', `${DATABASE}; ${ESCAPES}`],
  ['postgres://db.lan', `${DATABASE}; this one names no database`],
  ['postgres://db.lan/', `${DATABASE}; this one names no database`],
  [
    'postgres://db.lan/podstep?sslmode=on',
    'its sslmode is none of disable, allow, prefer, require, verify-ca, verify-full',
  ],
])('%j is no URL of a PostgreSQL database', (url, expected) => {
  expect(issues({ toml: `database = "${url}"` })).toEqual([`config.toml:1: database: ${expected}`])
})

test('with PostgreSQL, settings of backups cause a warning', () => {
  const { warnings } = loadWith({
    toml: 'database = "postgresql://db.lan/podstep?sslmode=verify-full"\nbackup_keep = 7',
  })
  expect(warnings).toEqual([
    'database is set, so backup_keep and backup_cron have no effect: PostgreSQL is backed up with its own tools, such as pg_dump',
  ])
  expect(loadWith({ toml: 'database = ""' }).config.database).toBeUndefined()
})

test('smtp_from must be an email address', () => {
  for (const from of ['pods', 'a@b@c', 'a@b, c@d', 'Pods <pods>', 'Pods a@b', 'a@b\\nBcc: c@d'])
    expect(issues({ toml: `smtp_host = "mail.lan"\nsmtp_from = "${from}"` })).toEqual([
      'config.toml:2: smtp_from: expected an email address such as "Podcasts <podcasts@home.example>"',
    ])
})

test('every invalid item of a list is named', () => {
  expect(issues({ toml: 'trusted_proxies = ["10.0.0.0/8", "10.0.0.0/33", "proxy.lan"]' })).toEqual([
    `config.toml:1: ${PROXIES}, got "10.0.0.0/33" in it`,
    `config.toml:1: ${PROXIES}, got "proxy.lan" in it`,
  ])
})

test.each([
  ['SVC_PORT', '80a', `SVC_PORT: ${PORT}, got "80a"`],
  ['SVC_OIDC_NAME', 'two\nlines', 'SVC_OIDC_NAME: expected text on one line'],
])('an error in the environment: %s=%j', (name, value, expected) => {
  expect(issues({ env: { [name]: value } })).toEqual([expected])
})

test('an error on the command line', () => {
  expect(issues({ overrides: { data_dri: 'y' } })).toEqual(['--data-dri: no such setting, did you mean --data-dir?'])
})

test('all errors are reported together, with warnings that may explain them', () => {
  const error = refusal({
    toml: 'registraton = "open"\nport = "x"\n\nsession_days = 0\ndirectory_key = "k"',
    env: { SVC_RATE_LIMIT: 'maybe', SVC_DIRECTORY_SECRTE: 's' },
  })
  expect(error.issues).toEqual([
    'config.toml:1: unknown key "registraton", did you mean "registration"?',
    `config.toml:2: port: ${PORT}, got text`,
    'config.toml:4: session_days: expected a whole number from 1 to 3650, got 0',
    'SVC_RATE_LIMIT: expected true, false, on, off, 1 or 0, got "maybe"',
    'directory_key is set but directory_secret is not: the directory asks for both',
  ])
  expect(error.warnings).toEqual([
    'SVC_DIRECTORY_SECRTE is ignored: no such setting, did you mean SVC_DIRECTORY_SECRET?',
  ])
  expect(error.message).toBe(error.issues.join('\n'))
})

test('a syntax error in the file does not hide errors of the environment, or cause errors about missing settings', () => {
  expect(issues({ toml: '= 1', env: { SVC_PORT: 'x', SVC_SMTP_HOST: 'mail.lan' } })).toEqual([
    expect.stringMatching(/^config\.toml:1:1: syntax error: /),
    `SVC_PORT: ${PORT}, got "x"`,
  ])
})

test('a long value is cut in the message', () => {
  expect(issues({ env: { SVC_PORT: '9'.repeat(5000) } })[0]?.length).toBeLessThan(150)
})

test.each([
  [`${MAIL}smtp_user = "a"`, 'smtp_user is set but smtp_password is not'],
  [`${MAIL}smtp_password = "a"`, 'smtp_password is set but smtp_user is not'],
  ['smtp_host = "mail.lan"', 'smtp_host is set but smtp_from is not'],
  ['smtp_from = "a@b.example"', 'smtp_from is set but smtp_host is not'],
  [BASE + ISSUER, 'oidc_issuer is set but oidc_client_id is not'],
  [`${ISSUER}oidc_client_id = "a"`, 'oidc_issuer is set but base_url is not'],
  ['oidc_client_id = "a"', 'oidc_client_id is set but oidc_issuer is not'],
  ['oidc_admin_group = "a"', 'oidc_admin_group is set but oidc_issuer is not'],
  ['listen = "unix:/run/p.sock"\nport = 80', 'port and listen are both set'],
  ['host = "::"\nlisten = "unix:/run/p.sock"', 'host and listen are both set'],
  ['tls_cert = "c.pem"', 'tls_cert is set but tls_key is not'],
  ['tls_key = "k.pem"', 'tls_key is set but tls_cert is not'],
  ['listen = "unix:/run/p.sock"\ntls_cert = "c.pem"\ntls_key = "k.pem"', 'tls_cert and listen are both set'],
  ['listen = "unix:p.sock"', 'listen: expected unix: and an absolute path'],
  ['listen = "/run/p.sock"', 'listen: expected unix: and an absolute path'],
  [`listen = "unix:/${'a'.repeat(107)}"`, 'at most 107 bytes'],
  ['socket_mode = "0999"', 'socket_mode: expected three octal digits'],
  // An invalid setting is not reported as missing, too.
  [`${MAIL}smtp_user = "a"\nsmtp_password = 5`, 'config.toml:4: smtp_password: expected text on one line'],
])('an invalid combination: %j', (toml, expected) =>
  expect(issues({ toml })).toEqual([expect.stringContaining(expected)]),
)

describe('valid combinations', () => {
  test.each([
    [MAIL, 'smtp_host is set but base_url is not'],
    [`${BASE}${MAIL}smtp_user = "a"\nsmtp_password = "b"\nsmtp_security = "none"`, 'in clear text'],
    [`${BASE}${MAIL}smtp_port = 465`, 'port 465 usually needs "tls"'],
    [`${BASE}${MAIL}smtp_security = "tls"`, 'port 587 usually needs "starttls"'],
    ['smtp_port = 25', 'smtp_port is set but smtp_host is not'],
    ['oidc_name = "Harbour ID"', 'oidc_name is set but oidc_issuer is not'],
    [`${SSO}oidc_groups_claim = "roles"`, 'groups have no effect'],
    [`${SSO.replace('https:', 'http:')}oidc_client_secret = "b"`, 'oidc_issuer is plain http'],
    ['directory = "apple"\ndirectory_key = "a"\ndirectory_secret = "b"', 'are not used'],
    ['directory = "apple"\noutbound = "off"', 'although directory is set'],
    ['outbound = "off"\ndirectory_key = "a"\ndirectory_secret = "b"', 'directory is not asked'],
    ['tls_cert = "c.pem"\ntls_key = "k.pem"\nbase_url = "http://home.example"', 'base_url is plain http'],
    ['socket_mode = "0600"', 'there is no socket'],
    ['registration = "invite"', 'an administrator must activate each new account'],
    ['base_url = "https://home.example"', 'trusted_proxies is empty'],
    ['trusted_proxies = ["0.0.0.0/0"]', 'trusted_proxies holds every address'],
    ['feed_allow_private = ["::/0"]', 'feed_allow_private holds every address'],
  ])('with surprising effects cause a warning: %j', (toml, expected) =>
    expect(loadWith({ toml }).warnings).toEqual([expect.stringContaining(expected)]),
  )

  test.each([
    `${BASE}${MAIL}smtp_security = "none"\nsmtp_port = 25`,
    SSO,
    'base_url = "https://home.example"\ntrusted_proxies = ["10.0.0.1"]',
  ])('cause no warning if they are common: %j', (toml) => expect(loadWith({ toml }).warnings).toEqual([]))
})

test.each<[string, (text: string) => boolean, string, string]>([
  [
    'an address or range',
    isAddressOrNetwork,
    '10.0.0.1 10.0.0.0/8 ::1 fd00::/8 ::ffff:10.0.0.1 0.0.0.0/0',
    '127.1 010.0.0.1 0x7f.0.0.1 256.0.0.1 10.0.0.0/33 10.0.0.0/ 10/8 ::/129 fe80::1%eth0 10.0.0.1:80 home.lan *',
  ],
  [
    'a host',
    isHost,
    '0.0.0.0 :: localhost mail.home.example a_b.lan xn--bcher-kva.example',
    `a:80 [::1] -a.lan a..b a. 1.2.3 ${'a'.repeat(64)}.lan http://a`,
  ],
  [
    'a place in a private network',
    isPrivatePlace,
    '192.168.1.0/24 127.0.0.1 ::1 rss-bridge.lan rss-bridge.lan:8080 192.168.1.5:8080 [fd00::1]:80',
    ':80 a: a:0 a:65536 a:b [a]:80 [127.0.0.1]:80 *.lan http://a.lan 1.2.3:80',
  ],
])('%s is recognized', (_what, isOne, right, wrong) => {
  expect(right.split(' ').filter((text) => !isOne(text))).toEqual([])
  expect(['', 'a b', ...wrong.split(' ')].filter(isOne)).toEqual([])
})
