import { describe, expect, test } from 'bun:test'
import { ConfigError, loadConfig } from '../../src/config/load.ts'
import { issues, loadWith } from './load-with.ts'

const TOKEN = '/run/secrets/token'

describe('precedence', () => {
  const toml = 'port = 1001'
  const env = { SVC_PORT: '1002' }

  test.each([
    ['the file takes precedence over the default', { toml }, 1001],
    ['the environment takes precedence over the file', { toml, env }, 1002],
    ['the command line takes precedence over everything', { toml, env, overrides: { port: '0' } }, 0],
    ['an empty variable counts as not set', { toml, env: { SVC_PORT: '  ' } }, 1001],
  ])('%s', (_case, world, port) => expect(loadWith(world).config.port).toBe(port))

  test('a value without effect is checked, too', () => {
    expect(issues({ toml: 'port = "x"', env })).toEqual([
      'config.toml:1: port: expected a whole number from 0 to 65535, got text',
    ])
  })
})

describe('choice of the file', () => {
  const etc = { '/etc/podstep/config.toml': 'port = 2' }
  const named = { '/srv/from-env.toml': 'port = 3', '/opt/flag.toml': 'port = 4' }
  const files = { ...etc, ...named, '/srv/config.toml': 'port = 1' }
  const env = { SVC_CONFIG: 'from-env.toml' }

  test.each([
    ['--config comes first', { files, env, file: '/opt/flag.toml' }, 4, '/opt/flag.toml'],
    ['then SVC_CONFIG', { files, env }, 3, 'from-env.toml'],
    ['then config.toml in the working directory', { files }, 1, 'config.toml'],
    ['then the one in /etc', { files: etc }, 2, '/etc/podstep/config.toml'],
    ['otherwise none', {}, 8080, undefined],
  ])('%s', (_case, world, port, file) => {
    const loaded = loadWith(world)
    expect([loaded.config.port, loaded.file]).toEqual([port, file])
  })

  test('a named file that does not exist is an error', () => {
    expect(issues({ files, file: 'absent.toml' })).toEqual(['absent.toml: no such file (named by --config)'])
    expect(issues({ env: { SVC_CONFIG: 'absent.toml' } })).toEqual(['absent.toml: no such file (named by SVC_CONFIG)'])
  })

  test('an unreadable file is an error, a missing one is not', () => {
    const failing = (code: string) => () => {
      throw Object.assign(new Error('from the system'), { code })
    }
    const load = (code: string) => loadConfig({ env: {}, cwd: '/srv', readFile: failing(code) })
    for (const code of ['EACCES', 'EISDIR'])
      expect(() => load(code)).toThrow(new ConfigError([`config.toml: cannot be read (${code})`], []))
    expect(load('ENOENT').file).toBeUndefined()
  })
})

describe('values', () => {
  test.each(['true', 'on', '1', 'TRUE', 'false', 'off', '0', 'Off'])('a variable may be %p', (text) => {
    const isOn = /^(?:true|on|1)$/i.test(text)
    const toml = `rate_limit = ${!isOn}`
    expect(loadWith({ toml, env: { SVC_RATE_LIMIT: text } }).config.rateLimit).toBe(isOn)
  })

  test('a list is an array in the file and separated by commas in the environment', () => {
    const toml = 'trusted_proxies = ["10.0.0.0/8", "::1"]'
    expect(loadWith({ toml }).config.trustedProxies).toEqual(['10.0.0.0/8', '::1'])
    const env = { SVC_TRUSTED_PROXIES: ' 192.168.1.1 , FD00::/8,' }
    expect(loadWith({ toml, env }).config.trustedProxies).toEqual(['192.168.1.1', 'fd00::/8'])
  })

  test.each([
    ['https://home.example/', 'https://home.example', ''],
    ['http://Home.example:80/a/b/', 'http://home.example', '/a/b'],
    ['http://[::1]:9000/x', 'http://[::1]:9000', '/x'],
  ])('base_url %s is split', (text, origin, path) => {
    const { baseUrl } = loadWith({ env: { SVC_BASE_URL: text } }).config
    expect(baseUrl).toEqual({ href: origin + path, origin, path })
  })

  test('the issuer is kept as it is, the address of the directory loses its trailing slash', () => {
    const provider = 'oidc_issuer = "https://id.example/realm/"\noidc_client_id = "x"\nbase_url = "http://pods.lan"'
    const { config } = loadWith({ toml: `${provider}\ndirectory_url = "http://127.0.0.1:99/api/"` })
    expect([config.oidcIssuer, config.directoryUrl]).toEqual(['https://id.example/realm/', 'http://127.0.0.1:99/api'])
  })

  test('data_dir is relative to the working directory unless it is absolute', () => {
    expect(loadWith({ toml: 'data_dir = "../pods"' }).config.dataDir).toBe('/pods')
  })

  test('an empty text in the file unsets a setting without a default', () => {
    expect(loadWith({ toml: 'base_url = ""\nsmtp_password = ""' }).config.baseUrl).toBeUndefined()
  })

  test('a byte order mark and Windows line ends are ignored', () => {
    const { config, origins } = loadWith({ toml: '\uFEFFport = 1\r\nhost = "::"\r\n' })
    expect([config.port, config.host]).toEqual([1, '::'])
    expect(origins.get('host')).toEqual({ from: 'file', path: 'config.toml', line: 2 })
  })

  test('may be at their limits, and any pattern of the scheduler', () => {
    const toml =
      'port = 0\nbackup_keep = 0\nsession_days = 3650\nbackup_cron = " 0 4 L * * "\nfeed_refresh_cron = "@hourly"'
    expect(loadWith({ toml }).config).toMatchObject({ port: 0, backupCron: '0 4 L * *', feedRefreshCron: '@hourly' })
  })
})

describe('unknown variables only cause warnings', () => {
  const ADVICE = 'set enableServiceLinks: false or name the Kubernetes service otherwise'

  test.each([
    ['SVC_DATADIR', 'no such setting, did you mean SVC_DATA_DIR?'],
    ['SVC_SMTP_PASSWORD_FIEL', 'no such setting, did you mean SVC_SMTP_PASSWORD_FILE?'],
    ['SVC_COLOUR', 'no such setting'],
    ['SVC_BASE_URL_FILE', 'only secrets are read from files'],
  ])('%s: %s', (name, warning) => {
    expect(loadWith({ env: { [name]: 'x' } }).warnings).toEqual([`${name} is ignored: ${warning}`])
  })

  test('unless they belong to other programs or are empty', () => {
    expect(loadWith({ env: { PORT: '1', SVCX: '2', SVC_COLOUR: '', SVC_CONFIG: '' } }).warnings).toEqual([])
  })

  test('those that Kubernetes creates for a service named "svc" are ignored', () => {
    const env = { SVC_PORT: 'tcp://10.0.0.1:8080', SVC_SMTP_PORT: 'udp://10.0.0.1:25' }
    const loaded = loadWith({ toml: 'port = 9000', env })
    expect([loaded.config.port, loaded.config.smtpPort]).toEqual([9000, 587])
    expect(loaded.warnings).toEqual([
      `SVC_PORT is ignored: such a value (tcp://...) comes from Kubernetes; ${ADVICE}`,
      `SVC_SMTP_PORT is ignored: such a value (udp://...) comes from Kubernetes; ${ADVICE}`,
    ])
    expect(issues({ env: { SVC_HOST: 'tcp://10.0.0.1:8080' } })).toHaveLength(1)
  })

  test('other variables of Kubernetes cause one warning', () => {
    const port = ['', '_PROTO', '_PORT', '_ADDR'].map((end) => `SVC_PORT_8080_TCP${end}`)
    const names = ['SVC_SERVICE_HOST', 'SVC_SERVICE_PORT_HTTP', ...port, 'SVC_WEB_SERVICE_HOST']
    expect(loadWith({ env: Object.fromEntries(names.map((name) => [name, '10.0.0.1'])) }).warnings).toEqual([
      `ignored, as they look set by Kubernetes: ${names.join(', ')}; ${ADVICE}`,
    ])
  })
})

describe('secrets from files', () => {
  const key = { SVC_DIRECTORY_KEY: 'k' }
  const env = { ...key, SVC_DIRECTORY_SECRET_FILE: TOKEN }
  const both = { ...env, SVC_DIRECTORY_SECRET: '' }
  const given = { SVC_DIRECTORY_SECRET: 'x' }
  const relative = { ...key, SVC_DIRECTORY_SECRET_FILE: 'token' }

  test.each([
    ['without the line end', { env, files: { [TOKEN]: 'abc\r\n' } }, 'abc'],
    ['relative to the working directory', { env: relative, files: { '/srv/token': 'abc' } }, 'abc'],
    ['with precedence over config.toml', { toml: 'directory_secret = "old"', env, files: { [TOKEN]: 'new' } }, 'new'],
    ['next to an empty variable', { env: both, files: { [TOKEN]: 'abc' } }, 'abc'],
    ['from a variable, including spaces', { env: { ...key, SVC_DIRECTORY_SECRET: ' a ' } }, ' a '],
  ])('are read %s', (_case, world, secret) => {
    expect(loadWith(world).config.directorySecret?.reveal()).toBe(secret)
  })

  test.each([
    ['SVC_DIRECTORY_SECRET_FILE: /run/secrets/token: no such file', {}, env],
    ['SVC_DIRECTORY_SECRET_FILE: /run/secrets/token: the file is empty', { [TOKEN]: '\n' }, env],
    ['SVC_DIRECTORY_SECRET_FILE (/run/secrets/token): expected text on one line', { [TOKEN]: 'a\nb\n' }, env],
    ['SVC_DIRECTORY_SECRET and SVC_DIRECTORY_SECRET_FILE are both set: keep one of them', {}, { ...both, ...given }],
  ])('can be invalid: %s', (problem, files, variables) => {
    expect(issues({ env: variables, files })).toContain(problem)
  })
})
