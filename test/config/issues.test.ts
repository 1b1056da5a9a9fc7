import { describe, expect, test } from 'bun:test'
import { issues, loadWith, refusal } from './load-with.ts'

const PORT = 'expected a whole number from 0 to 65535'
const HTTP = 'expected an http or https URL without user name, query and fragment'

describe('in the file', () => {
  test.each([
    // unknown keys
    ['registraton = "open"', '1: unknown key "registraton", did you mean "registration"?'],
    ['trusted-proxies = []', '1: unknown key "trusted-proxies", did you mean "trusted_proxies"?'],
    ['dataDir = "x"', '1: unknown key "dataDir", did you mean "data_dir"?'],
    ['prot = 1', '1: unknown key "prot", did you mean "port"?'],
    ['"base url" = "x"', '1: unknown key "base url", did you mean "base_url"?'],
    ['colour = "blue"', '1: unknown key "colour"'],
    ['__proto__ = 1', '1: unknown key "__proto__"'],
    ['constructor = 1', '1: unknown key "constructor"'],
    // tables
    ['[smtp]\nhost = "a"', '2: settings are flat keys, not tables: write smtp_host = ... instead of "smtp.host"'],
    ['smtp.host = "a"', '1: settings are flat keys, not tables: write smtp_host = ... instead of "smtp.host"'],
    ['smtp = { host = "a" }', '1: settings are flat keys, not tables: write smtp_host = ... instead of "smtp.host"'],
    ['[smtp]\nhots = "a"', '2: unknown key "smtp.hots", did you mean "smtp_host"?'],
    ['[web]\n\nport = 1', '3: port stands in the table "web" of line 1: settings are flat keys, remove the table'],
    ['[web]', '1: unknown key "web"'],
    ['[[backup]]', '1: unknown key "backup", the keys are backup_cron, backup_keep'],
    ['[port]', `1: port: ${PORT}, got a table`],
    // wrong types
    ['port = "8080"', `1: port: ${PORT}, got text: write it without quotes`],
    ['port = "x"', `1: port: ${PORT}, got text`],
    ['port = 80.5', `1: port: ${PORT}, got a number with a fraction`],
    ['port = true', `1: port: ${PORT}, got true or false`],
    ['port = 1979-05-27', `1: port: ${PORT}, got a date`],
    ['rate_limit = 1', '1: rate_limit: expected true or false, got a whole number'],
    ['rate_limit = "off"', '1: rate_limit: expected true or false, got text: write it without quotes'],
    ['host = 1', '1: host: expected an address or host name without port, got a whole number'],
    ['oidc_name = 1', '1: oidc_name: expected text on one line, got a whole number'],
    [
      'trusted_proxies = "::1"',
      '1: trusted_proxies: expected a list of addresses or ranges such as 10.0.0.0/8, got text',
    ],
    [
      'trusted_proxies = [1]',
      '1: trusted_proxies: expected a list of addresses or ranges such as 10.0.0.0/8, got a whole number in it',
    ],
    // out of range
    ['port = 65536', `1: port: ${PORT}, got 65536`],
    ['port = -1', `1: port: ${PORT}, got -1`],
    ['port = 99999999999999999999', `1: port: ${PORT}, got 99999999999999999999`],
    ['smtp_port = 0', '1: smtp_port: expected a whole number from 1 to 65535, got 0'],
    // closed lists of words
    [
      'registration = "opne"',
      '1: registration: expected one of "open", "closed", "invite", got "opne", did you mean "open"?',
    ],
    ['registration = ""', '1: registration: expected one of "open", "closed", "invite", got ""'],
    ['log_level = "trace"', '1: log_level: expected one of "debug", "info", "warn", "error", got "trace"'],
    // formats
    ['base_url = "home.example"', `1: base_url: ${HTTP}`],
    ['base_url = "ftp://home.example"', `1: base_url: ${HTTP}`],
    ['base_url = "https:home.example"', `1: base_url: ${HTTP}`],
    ['base_url = "https://home.example/?a"', `1: base_url: ${HTTP}`],
    ['base_url = "https://home.example/#a"', `1: base_url: ${HTTP}`],
    ['base_url = "https://ida:pw@home.example"', `1: base_url: ${HTTP}`],
    ['base_url = "https://home.example/a//b"', `1: base_url: ${HTTP}`],
    ['directory_url = "/api"', `1: directory_url: ${HTTP}`],
    ['host = "localhost:8080"', '1: host: expected an address or host name without port'],
    [
      'feed_refresh_cron = "hourly"',
      '1: feed_refresh_cron: expected a cron pattern such as "30 4 * * *": invalid configuration format (\'hourly\'), exactly five, six, or seven space separated parts are required.',
    ],
    [
      'backup_cron = "0 25 * * *"',
      '1: backup_cron: expected a cron pattern such as "30 4 * * *": Invalid value for hour: 25',
    ],
    ['backup_cron = "0 0 30 2 *"', '1: backup_cron: expected a cron pattern such as "30 4 * * *": it never matches'],
    [
      'backup_cron = "0 0 * *\\n *"',
      '1: backup_cron: expected a cron pattern such as "30 4 * * *": it has more than one line',
    ],
    ['data_dir = ""', '1: data_dir: expected a path'],
    ['oidc_scopes = "profile"', '1: oidc_scopes: expected scopes separated by blanks, among them openid'],
    ['feed_refresh_cron = 5', '1: feed_refresh_cron: expected a cron pattern such as "30 4 * * *", got a whole number'],
    // the file itself
    ['port = 1\nhost 5', '2:6: syntax error: illegal character in key'],
    ['port = 1\nport = 2', '2:1: syntax error: trying to redefine an already defined table or value'],
    ['host = "a', '1:8: syntax error: unfinished string'],
  ])('%j', (toml, expected) => {
    expect(issues({ toml })).toEqual([`config.toml:${expected}`])
  })

  test('smtp_from must be a mail address', () => {
    for (const from of ['pods', 'a@b@c', 'a@b, c@d', 'Pods <pods>', 'Pods a@b', 'a@b\\nBcc: c@d']) {
      expect(issues({ toml: `smtp_host = "mail.lan"\nsmtp_from = "${from}"` })).toEqual([
        'config.toml:2: smtp_from: expected a mail address such as "Podcasts <podcasts@home.example>"',
      ])
    }
  })

  test('each bad item of a list is named', () => {
    expect(issues({ toml: 'trusted_proxies = ["10.0.0.0/8", "10.0.0.0/33", "proxy.lan"]' })).toEqual([
      'config.toml:1: trusted_proxies: expected a list of addresses or ranges such as 10.0.0.0/8, got "10.0.0.0/33" in it',
      'config.toml:1: trusted_proxies: expected a list of addresses or ranges such as 10.0.0.0/8, got "proxy.lan" in it',
    ])
  })
})

describe('in the environment', () => {
  test.each([
    ['SVC_PORT', '80a', `SVC_PORT: ${PORT}, got "80a"`],
    ['SVC_PORT', '8e3', `SVC_PORT: ${PORT}, got "8e3"`],
    ['SVC_PORT', '70000', `SVC_PORT: ${PORT}, got "70000"`],
    ['SVC_RATE_LIMIT', 'maybe', 'SVC_RATE_LIMIT: expected true, false, on, off, 1 or 0, got "maybe"'],
    ['SVC_BASE_URL', 'home', `SVC_BASE_URL: ${HTTP}`],
    ['SVC_OIDC_NAME', 'two\nlines', 'SVC_OIDC_NAME: expected text on one line'],
    [
      'SVC_FEED_ALLOW_PRIVATE',
      'rss.lan:0',
      'SVC_FEED_ALLOW_PRIVATE: expected a list of addresses, ranges or host[:port], got "rss.lan:0" in it',
    ],
  ])('%s=%j', (name, value, expected) => {
    expect(issues({ env: { [name]: value } })).toEqual([expected])
  })
})

test('on the command line', () => {
  expect(issues({ overrides: { port: 'x', data_dri: 'y' } })).toEqual([
    '--data-dri: no such setting, did you mean --data-dir?',
    `--port: ${PORT}, got "x"`,
  ])
})

test('all issues are told at once, with the warnings that may explain them', () => {
  const error = refusal({
    toml: 'registraton = "open"\nport = "x"\n\nsession_days = 0\ndirectory_key = "k"',
    env: {
      SVC_RATE_LIMIT: 'maybe',
      SVC_SMTP_HOST: 'mail.lan',
      SVC_BASE_URL: 'http://pods.lan',
      SVC_SMTP_FROM: 'a@b.example',
      SVC_SMTP_USER: 'a',
      SVC_SMTP_PASSWORD: 'a',
      SVC_SMTP_PASSWORD_FILE: '/b',
      SVC_DIRECTORY_SECRTE: 's',
    },
  })
  expect(error.issues).toEqual([
    'config.toml:1: unknown key "registraton", did you mean "registration"?',
    'SVC_SMTP_PASSWORD and SVC_SMTP_PASSWORD_FILE are both set: keep one of them',
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

test('a file with a syntax error does not hide issues of the environment, nor invent missing settings', () => {
  expect(issues({ toml: '= 1', env: { SVC_PORT: 'x', SVC_SMTP_HOST: 'mail.lan' } })).toEqual([
    expect.stringMatching(/^config\.toml:1:1: syntax error: /),
    `SVC_PORT: ${PORT}, got "x"`,
  ])
})

test('a long value is cut in the message', () => {
  expect(issues({ env: { SVC_PORT: '9'.repeat(5000) } })[0]?.length).toBeLessThan(150)
})

test('settings right at their bounds are accepted, and every pattern that the scheduler knows', () => {
  const toml =
    'port = 0\nbackup_keep = 0\nsession_days = 3650\nbackup_cron = " 0 4 L * * "\nfeed_refresh_cron = "@hourly"'
  expect(loadWith({ toml }).config).toMatchObject({ port: 0, backupCron: '0 4 L * *', feedRefreshCron: '@hourly' })
})
