import { describe, expect, test } from 'bun:test'
import { ConfigError, loadConfig } from '../../src/config/load.ts'
import { issues, loadWith } from './load-with.ts'

describe('precedence', () => {
  const toml = 'port = 1001'
  const env = { SVC_PORT: '1002' }

  test('the file wins over the default', () => expect(loadWith({ toml }).config.port).toBe(1001))
  test('the environment wins over the file', () => expect(loadWith({ toml, env }).config.port).toBe(1002))
  test('the command line wins over everything', () => {
    expect(loadWith({ toml, env, overrides: { port: '0' } }).config.port).toBe(0)
  })
  test('an empty variable counts as not set', () => {
    expect(loadWith({ toml, env: { SVC_PORT: '  ' } }).config.port).toBe(1001)
  })
  test('a value that loses is checked all the same', () => {
    expect(issues({ toml: 'port = "x"', env })).toEqual([
      'config.toml:1: port: expected a whole number from 0 to 65535, got text',
    ])
  })
  test('each value knows where it comes from', () => {
    const { origins } = loadWith({
      toml: '\nsession_days = 3',
      env: { ...env, SVC_DIRECTORY_KEY: 'k', SVC_DIRECTORY_SECRET_FILE: 'token' },
      files: { '/srv/token': 'abc\n' },
      overrides: { log_level: 'debug' },
    })
    expect(origins.get('session_days')).toEqual({ from: 'file', path: 'config.toml', line: 2 })
    expect(origins.get('port')).toEqual({ from: 'environment', name: 'SVC_PORT' })
    expect(origins.get('directory_secret')).toEqual({
      from: 'secret file',
      name: 'SVC_DIRECTORY_SECRET_FILE',
      path: 'token',
    })
    expect(origins.get('log_level')).toEqual({ from: 'command line', name: '--log-level' })
    expect(origins.get('host')).toEqual({ from: 'default' })
  })
})

describe('choice of the file', () => {
  const files = {
    '/srv/config.toml': 'port = 1',
    '/etc/podstep/config.toml': 'port = 2',
    '/srv/from-env.toml': 'port = 3',
    '/opt/from-flag.toml': 'port = 4',
  }
  const env = { SVC_CONFIG: 'from-env.toml' }

  test('--config comes first', () => {
    const loaded = loadWith({ files, env, file: '/opt/from-flag.toml' })
    expect([loaded.config.port, loaded.file]).toEqual([4, '/opt/from-flag.toml'])
  })
  test('then SVC_CONFIG', () => expect(loadWith({ files, env }).config.port).toBe(3))
  test('then config.toml in the working directory', () => {
    const loaded = loadWith({ files })
    expect([loaded.config.port, loaded.file]).toEqual([1, 'config.toml'])
  })
  test('then the one in /etc', () => {
    expect(loadWith({ files: { '/etc/podstep/config.toml': 'port = 2' } }).config.port).toBe(2)
  })
  test('else none', () => expect(loadWith({}).file).toBeUndefined())

  test('a named file that does not exist is a mistake', () => {
    expect(issues({ files, file: 'absent.toml' })).toEqual(['absent.toml: no such file (named by --config)'])
    expect(issues({ env: { SVC_CONFIG: 'absent.toml' } })).toEqual(['absent.toml: no such file (named by SVC_CONFIG)'])
  })

  test.each([
    ['EACCES', ['config.toml: cannot be read (EACCES)']],
    ['EISDIR', ['config.toml: cannot be read (EISDIR)']],
  ])('a file that cannot be read (%s) is never passed over', (code, expected) => {
    const readFile = () => {
      throw Object.assign(new Error('from the system'), { code })
    }
    expect(() => loadConfig({ env: {}, cwd: '/srv', readFile })).toThrow(new ConfigError(expected, []))
  })

  test('a reader that throws ENOENT says "no such file" as well', () => {
    const readFile = () => {
      throw Object.assign(new Error('from the system'), { code: 'ENOENT' })
    }
    expect(loadConfig({ env: {}, cwd: '/srv', readFile }).file).toBeUndefined()
  })
})

describe('values', () => {
  test.each(['true', 'on', '1', 'TRUE'])('a variable %p means yes', (text) => {
    expect(loadWith({ toml: 'rate_limit = false', env: { SVC_RATE_LIMIT: text } }).config.rateLimit).toBe(true)
  })
  test.each(['false', 'off', '0', 'Off'])('a variable %p means no', (text) => {
    expect(loadWith({ env: { SVC_RATE_LIMIT: text } }).config.rateLimit).toBe(false)
  })

  test('a list is an array in the file and separated by commas in the environment', () => {
    const toml = 'trusted_proxies = ["10.0.0.0/8", "::1"]'
    expect(loadWith({ toml }).config.trustedProxies).toEqual(['10.0.0.0/8', '::1'])
    const env = { SVC_TRUSTED_PROXIES: ' 192.168.1.1 , FD00::/8,' }
    expect(loadWith({ toml, env }).config.trustedProxies).toEqual(['192.168.1.1', 'fd00::/8'])
  })

  test.each([
    ['https://home.example', { href: 'https://home.example', origin: 'https://home.example', path: '' }],
    ['https://home.example/', { href: 'https://home.example', origin: 'https://home.example', path: '' }],
    ['http://Home.example:80/a/b/', { href: 'http://home.example/a/b', origin: 'http://home.example', path: '/a/b' }],
    ['http://[::1]:9000/x', { href: 'http://[::1]:9000/x', origin: 'http://[::1]:9000', path: '/x' }],
  ])('base_url %s is taken apart', (text, expected) => {
    expect(loadWith({ env: { SVC_BASE_URL: text } }).config.baseUrl).toEqual(expected)
  })

  test.each([
    ['closed', false],
    ['open', true],
    ['invite', true],
  ])('with registration %s, oidc_auto_create defaults to %p', (registration, expected) => {
    expect(loadWith({ env: { SVC_REGISTRATION: registration } }).config.oidcAutoCreate).toBe(expected)
  })
  test('oidc_auto_create can be set against the registration mode', () => {
    const env = { SVC_OIDC_ISSUER: 'https://id.example', SVC_OIDC_CLIENT_ID: 'x', SVC_BASE_URL: 'http://pods.lan' }
    expect(loadWith({ toml: 'oidc_auto_create = true', env }).config.oidcAutoCreate).toBe(true)
  })

  test('the issuer is kept letter for letter, the directory address loses its last slash', () => {
    const env = {
      SVC_OIDC_ISSUER: 'https://id.example/realm/',
      SVC_OIDC_CLIENT_ID: 'x',
      SVC_BASE_URL: 'http://pods.lan',
      SVC_DIRECTORY_URL: 'http://127.0.0.1:99/api/',
    }
    const { config } = loadWith({ env })
    expect([config.oidcIssuer, config.directoryUrl]).toEqual(['https://id.example/realm/', 'http://127.0.0.1:99/api'])
  })

  test('data_dir starts at the working directory unless it is absolute', () => {
    expect(loadWith({ toml: 'data_dir = "../pods"' }).config.dataDir).toBe('/pods')
    expect(loadWith({ toml: 'data_dir = "/var/lib/podstep"' }).config.dataDir).toBe('/var/lib/podstep')
  })

  test('an empty text in the file leaves a setting without default unset', () => {
    expect(loadWith({ toml: 'base_url = ""\nsmtp_password = ""' }).config.baseUrl).toBeUndefined()
  })

  test('a byte order mark and Windows line ends do no harm', () => {
    const { config, origins } = loadWith({ toml: '\uFEFFport = 1\r\nhost = "::"\r\n' })
    expect([config.port, config.host]).toEqual([1, '::'])
    expect(origins.get('host')).toEqual({ from: 'file', path: 'config.toml', line: 2 })
  })

  test('nothing can change the settings afterwards', () => {
    const { config } = loadWith({ toml: 'trusted_proxies = ["::1"]\nbase_url = "http://pods.lan"' })
    expect([config, config.trustedProxies, config.baseUrl].every(Object.isFrozen)).toBe(true)
  })
})
