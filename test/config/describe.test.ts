import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { exampleToml, settingsTable, withSettingsTable } from '../../scripts/config-docs.ts'
import { effectiveConfig, listSettings } from '../../src/config/describe.ts'
import { groups, isKey, isSecret, keys, settings } from '../../src/config/options.ts'
import { loadWith } from './load-with.ts'

const ROOT = `${import.meta.dir}/../..`
const uncommented = exampleToml().replace(/^#(?=[a-z])/gm, '')

test('every setting belongs to one group', () => {
  const grouped = groups.flatMap((group) => group.keys)
  expect(grouped.filter(isKey)).toEqual([...keys])
  expect(grouped).toHaveLength(keys.length)
})

describe('config.example.toml', () => {
  test('is up to date (else run: bun run generate:config)', () => {
    expect(readFileSync(`${ROOT}/config.example.toml`, 'utf8')).toBe(exampleToml())
  })
  test('changes nothing as it is', () => {
    expect(loadWith({ toml: exampleToml() }).config).toEqual(loadWith({}).config)
  })
  test('holds every setting once, and no mistake with every line uncommented', () => {
    const { origins } = loadWith({ toml: uncommented })
    expect([...origins.values()].map((origin) => origin.from)).toEqual(keys.map(() => 'file'))
  })
  test('shows the defaults', () => {
    const bare = loadWith({}).config
    const { config } = loadWith({ toml: uncommented })
    const shared = Object.entries(bare).filter(([name, value]) => value !== undefined && name !== 'oidcAutoCreate')
    expect(config).toMatchObject(Object.fromEntries(shared))
  })
  test('keeps to 120 columns', () => {
    expect(
      Math.max(
        ...exampleToml()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(120)
  })
})

describe('the settings table of docs/configuration.md', () => {
  test('has a row for every setting', () => {
    for (const key of keys) expect(settingsTable()).toContain(`\n| \`${key}\` | `)
  })
  test('has three columns everywhere', () => {
    for (const row of settingsTable().trim().split('\n')) expect(row.split('|')).toHaveLength(5)
  })
  test('replaces what stands between the marks, and only that', () => {
    const before = 'a\n<!-- settings:begin -->\nold\n<!-- settings:end -->\nb\n'
    const after = withSettingsTable(before)
    expect(after).toBe(`a\n<!-- settings:begin -->\n\n${settingsTable()}\n<!-- settings:end -->\nb\n`)
    expect(withSettingsTable(after ?? '')).toBe(after)
  })
  test('needs the marks', () => expect(withSettingsTable('# podstep')).toBeUndefined())

  test('is up to date (else run: bun run generate:config)', () => {
    const document = readFileSync(`${ROOT}/docs/configuration.md`, 'utf8')
    expect(withSettingsTable(document)).toBe(document)
  })
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

test('what check-config prints is itself a configuration with the same values', () => {
  const loaded = loadWith({ toml: 'port = 9000\nfeed_allow_private = ["rss.lan:80"]' })
  expect(loadWith({ toml: effectiveConfig(loaded) }).config).toEqual({ ...loaded.config, oidcAutoCreate: false })
})

test('the list for administrators has every setting as it would stand in a file, with its origin', () => {
  const loaded = loadWith({
    env: { SVC_OIDC_NAME: 'The "Harbour" ID', SVC_OIDC_ISSUER: 'https://id.example', SVC_OIDC_CLIENT_ID: 'x' },
    toml: 'base_url = "http://pods.lan/x/"\nport = 9000\nfeed_allow_private = ["rss.lan:80"]',
    overrides: { data_dir: '/data' },
  })
  const list = listSettings(loaded)
  expect(list.map(({ key, description }) => [key, description])).toEqual(keys.map((key) => [key, settings[key].doc]))
  const toml = list.filter(({ value }) => value !== '').map(({ key, value }) => `${key} = ${value}`)
  expect(loadWith({ toml: toml.join('\n') }).config).toEqual(loaded.config)
  expect(Object.fromEntries(list.map(({ key, origin }) => [key, origin]))).toMatchObject({
    oidc_name: 'environment',
    port: 'file',
    data_dir: 'command line',
    host: 'default',
  })
})

test('of a secret that list tells whether it is set, not even its length', () => {
  const secretsOf = (text: string) =>
    listSettings(
      loadWith({ env: { SVC_DIRECTORY_KEY: text, SVC_DIRECTORY_SECRET_FILE: 's' }, files: { '/srv/s': text } }),
    ).filter(({ key }) => isSecret(key))
  expect(secretsOf('x').map(({ value, origin }) => [value, origin])).toEqual([
    ['', 'default'],
    ['', 'default'],
    ['set', 'environment'],
    ['set', 'secret file'],
  ])
  expect(secretsOf('hunter2'.repeat(50))).toEqual(secretsOf('x'))
})
