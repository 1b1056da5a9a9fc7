import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { exampleToml, settingsTable, withSettingsTable } from '../../scripts/config-docs.ts'
import { effectiveConfig, listSettings } from '../../src/config/describe.ts'
import { groups, keys, settings } from '../../src/config/options.ts'
import { loadWith } from './load-with.ts'

const ROOT = `${import.meta.dir}/../..`

test('every setting is in one group', () => {
  expect(groups.flatMap((group) => group.keys)).toEqual([...keys])
})

test('every setting is used by the program', () => {
  const files = [...new Bun.Glob('**/*.ts').scanSync(`${ROOT}/src`)].filter((file) => !/^(?:config|web)\//.test(file))
  const code = files.map((file) => readFileSync(`${ROOT}/src/${file}`, 'utf8')).join('\n')
  const nameOf = (key: string) => key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  expect(keys.filter((key) => !new RegExp(`\\b${nameOf(key)}\\b`).test(code))).toEqual([])
})

describe('config.example.toml', () => {
  test('is up to date (else run: bun run generate:config), has lines up to 120 characters, and only has defaults', () => {
    expect(readFileSync(`${ROOT}/config.example.toml`, 'utf8')).toBe(exampleToml())
    for (const line of exampleToml().split('\n')) expect(line.length).toBeLessThanOrEqual(120)
    expect(loadWith({ toml: exampleToml() }).config).toEqual(loadWith({}).config)
  })

  test('has every setting once with its default, and is valid with all lines uncommented', () => {
    const bare = loadWith({}).config
    const all = exampleToml().replace(/^#(?=[a-z])/gm, '')
    // The server listens on a socket, or on host and port; users are signed in by a proxy, or by a provider.
    const { config, origins } = loadWith({ toml: all.replace(/^(?:listen|socket_mode|proxy_user_header) = .*$/gm, '') })
    const isLeftOut = (key: string) => ['listen', 'socket_mode', 'proxy_user_header'].includes(key)
    expect(keys.filter((key) => origins.get(key)?.from !== 'file')).toEqual(keys.filter(isLeftOut))
    expect(
      loadWith({ toml: all.replace(/^(?:host|port|tls_cert|tls_key|proxy_user_header) = .*$/gm, '') }).warnings,
    ).toBeArray()
    const shared = Object.entries(bare).filter(([name, value]) => value !== undefined && name !== 'oidcAutoCreate')
    expect(config).toMatchObject(Object.fromEntries(shared))
  })
})

test('the settings table of docs/configuration.md is up to date (else run: bun run generate:config)', () => {
  const document = readFileSync(`${ROOT}/docs/configuration.md`, 'utf8')
  expect(withSettingsTable(document)).toBe(document)
  for (const row of settingsTable().trim().split('\n')) expect(row.split('|')).toHaveLength(5)
})

test('check-config shows every setting, its value and its origin', () => {
  const text = effectiveConfig(
    loadWith({
      toml: 'port = 9000\nbase_url = "http://pods.lan/x/"\ntrusted_proxies = ["::1", "10.0.0.0/8"]',
      env: { SVC_DIRECTORY_KEY: 'k', SVC_DIRECTORY_SECRET_FILE: '/run/token', SVC_RATE_LIMIT: 'off' },
      files: { '/run/token': 'abc' },
      overrides: { log_level: 'debug' },
    }),
  )
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      '# configuration file: config.toml',
      'host = "0.0.0.0"  # default',
      'port = 9000  # config.toml:1',
      'base_url = "http://pods.lan/x"  # config.toml:2',
      'trusted_proxies = ["::1", "10.0.0.0/8"]  # config.toml:3',
      'data_dir = "/srv/data"  # default',
      'rate_limit = false  # SVC_RATE_LIMIT',
      '# smtp_host is not set',
      'log_level = "debug"  # --log-level',
      'directory_secret = "[redacted]"  # SVC_DIRECTORY_SECRET_FILE (/run/token)',
    ]),
  )
  expect(text.trim().split('\n')).toHaveLength(keys.length + 1)
  expect(effectiveConfig(loadWith({}))).toStartWith('# no configuration file\n')
})

test('the list for administrators has every setting in TOML, with its origin', () => {
  const loaded = loadWith({
    env: { SVC_OIDC_NAME: 'The "Harbour" ID', SVC_OIDC_ISSUER: 'https://id.example', SVC_OIDC_CLIENT_ID: 'x' },
    toml: 'base_url = "http://pods.lan/x/"\nport = 9000\nfeed_allow_private = ["rss.lan:80"]',
    overrides: { data_dir: '/data' },
  })
  const list = listSettings(loaded)
  expect(list.map(({ key, description }) => [key, description])).toEqual(keys.map((key) => [key, settings[key].doc]))
  const toml = list.filter(({ value }) => value !== '').map(({ key, value }) => `${key} = ${value}`)
  expect(loadWith({ toml: toml.join('\n') }).config).toEqual(loaded.config)
  const origins = { oidc_name: 'environment', port: 'file', data_dir: 'command line', host: 'default' }
  expect(Object.fromEntries(list.map(({ key, origin }) => [key, origin]))).toMatchObject(origins)
})
