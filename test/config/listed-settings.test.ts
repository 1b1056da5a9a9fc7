import { describe, expect, test } from 'bun:test'
import { listSettings } from '../../src/config/describe.ts'
import { envName, isSecret, keys, settings } from '../../src/config/options.ts'
import { loadWith, type World } from './load-with.ts'

const CANARY = 'hunter2-of-the-harbour'
const secrets = keys.filter(isSecret)
/** What secrets cannot do without. */
const COMPANIONS = {
  SVC_BASE_URL: 'http://pods.lan/x/',
  SVC_SMTP_HOST: 'mail.lan',
  SVC_SMTP_FROM: 'Podcasts <a@b.example>',
  SVC_SMTP_USER: 'ida',
  SVC_OIDC_ISSUER: 'https://id.example',
  SVC_OIDC_CLIENT_ID: 'podstep',
}

const listed = (world: World) => new Map(listSettings(loadWith(world)).map((setting) => [setting.key, setting]))

test('every setting is listed once, in the order of the documentation and in its words', () => {
  const list = listSettings(loadWith({}))
  expect(list.map(({ key }) => key)).toEqual([...keys])
  for (const { key, description } of list) expect(description).toBe(settings[key].doc)
})

test('where nothing is known of origins, they are defaults', () => {
  const { config } = loadWith({ toml: 'port = 9000' })
  expect(listSettings({ config, origins: new Map() })).toContainEqual(
    expect.objectContaining({ key: 'port', value: '9000', origin: 'default' }),
  )
})

describe('a value', () => {
  test.each([
    ['of text', 'host', {}, '"0.0.0.0"', 'default'],
    [
      'of text with quotes',
      'oidc_name',
      { SVC_OIDC_NAME: 'The "Harbour" ID' },
      '"The \\"Harbour\\" ID"',
      'environment',
    ],
    ['that is a number', 'port', { SVC_PORT: '9000' }, '9000', 'environment'],
    ['that is on or off', 'rate_limit', { SVC_RATE_LIMIT: 'off' }, 'false', 'environment'],
    [
      'that is a list',
      'trusted_proxies',
      { SVC_TRUSTED_PROXIES: '::1,10.0.0.0/8' },
      '["::1", "10.0.0.0/8"]',
      'environment',
    ],
    ['that is an empty list', 'feed_allow_private', {}, '[]', 'default'],
    ['that is an address', 'base_url', {}, '"http://pods.lan/x"', 'environment'],
    ['that is a path', 'data_dir', {}, '"/srv/data"', 'default'],
    ['that follows from another', 'oidc_auto_create', { SVC_REGISTRATION: 'open' }, 'true', 'default'],
    ['that is not there', 'oidc_admin_group', {}, '', 'default'],
  ])('%s is shown as it would stand in the file', (_case, key, env, value, origin) => {
    const found = [...listed({ env: { SVC_BASE_URL: 'http://pods.lan/x/', ...env } }).values()].find(
      (each) => each.key === key,
    )
    expect(found).toMatchObject({ key, value, origin, isSecret: false })
  })

  test('that is listed stands in a file for what it is', () => {
    const loaded = loadWith({
      env: { SVC_BASE_URL: 'http://pods.lan/x/' },
      toml: 'port = 9000\nfeed_allow_private = ["rss.lan:80"]',
    })
    const lines = listSettings(loaded).filter(({ value }) => value !== '')
    expect(loadWith({ toml: lines.map(({ key, value }) => `${key} = ${value}`).join('\n') }).config).toEqual(
      loaded.config,
    )
  })
})

test('an origin is one of five', () => {
  const list = listed({
    toml: 'port = 9000',
    env: { SVC_LOG_LEVEL: 'debug', SVC_DIRECTORY_KEY: 'k', SVC_DIRECTORY_SECRET_FILE: '/run/token' },
    files: { '/run/token': CANARY },
    overrides: { data_dir: '/data' },
  })
  const origins = (['host', 'port', 'log_level', 'directory_secret', 'data_dir'] as const).map(
    (key) => list.get(key)?.origin,
  )
  expect(origins).toEqual(['default', 'file', 'environment', 'secret file', 'command line'])
})

describe('of a secret nothing is told but that it is set', () => {
  const inEnvironment = Object.fromEntries(secrets.map((key) => [envName(key), CANARY]))
  const inFiles = Object.fromEntries(secrets.map((key) => [`${envName(key)}_FILE`, 'canary']))
  test.each<[string, World, string]>([
    ['the environment', { env: { ...COMPANIONS, ...inEnvironment } }, 'environment'],
    ['the file', { env: COMPANIONS, toml: secrets.map((key) => `${key} = "${CANARY}"`).join('\n') }, 'file'],
    ['files', { env: { ...COMPANIONS, ...inFiles }, files: { '/srv/canary': CANARY } }, 'secret file'],
  ])('from %s', (_where, world, origin) => {
    const list = listed(world)
    for (const key of secrets) expect(list.get(key)).toMatchObject({ value: 'set', origin, isSecret: true })
    expect(JSON.stringify([...list])).not.toContain('hunter2')
  })

  test('whatever its length', () => {
    const of = (text: string) =>
      listed({ env: { SVC_DIRECTORY_KEY: 'k', SVC_DIRECTORY_SECRET: text } }).get('directory_secret')
    expect(of('x')).toEqual(of(CANARY.repeat(50)))
  })

  test('or that it is not', () => {
    for (const key of secrets)
      expect(listed({}).get(key)).toMatchObject({ value: '', origin: 'default', isSecret: true })
  })
})
