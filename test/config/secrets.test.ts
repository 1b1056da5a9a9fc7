import { expect, test } from 'bun:test'
import { inspect } from 'node:util'
import { effectiveConfig } from '../../src/config/describe.ts'
import { envName, isSecret, keys } from '../../src/config/options.ts'
import { loadWith, refusal, type World } from './load-with.ts'

const CANARY = 'hunter2'
const secrets = keys.filter(isSecret)

/** Every text that could be printed for a value. */
function traces(value: unknown): string {
  const texts = value instanceof Error ? [value.message, value.stack] : []
  const inspected = inspect(value, { depth: 10, showHidden: true })
  return [...texts, JSON.stringify(value), inspected, Bun.inspect(value), String(value)].join('\n')
}

test('the table knows which settings are secrets', () => {
  expect<readonly string[]>(secrets).toEqual([
    ...['database', 'smtp_password', 'oidc_client_secret'],
    ...['directory_key', 'directory_secret', 'metrics_token'],
  ])
})

const URL_WITH_CANARY = `postgres://ida:${CANARY}@db.lan/podstep`
const secretOf = (key: string) => (key === 'database' ? URL_WITH_CANARY : CANARY)

const others = {
  ...{ SVC_SMTP_HOST: 'mail.lan', SVC_SMTP_FROM: 'a@b.example', SVC_SMTP_USER: 'a' },
  ...{ SVC_BASE_URL: 'http://pods.lan', SVC_OIDC_ISSUER: 'https://id.example', SVC_OIDC_CLIENT_ID: 'a' },
}
const fromEnv = loadWith({
  env: { ...others, ...Object.fromEntries(secrets.map((key) => [envName(key), secretOf(key)])) },
})
const fromFile = loadWith({ env: others, toml: secrets.map((key) => `${key} = "${secretOf(key)}"`).join('\n') })
const fromFiles = loadWith({
  env: {
    ...others,
    ...Object.fromEntries(secrets.map((key) => [`${envName(key)}_FILE`, key === 'database' ? 'd' : 's'])),
  },
  files: { '/srv/s': CANARY, '/srv/d': URL_WITH_CANARY },
})

test.each([
  ['variables', fromEnv],
  ['the file', fromFile],
  ['secret files', fromFiles],
])('a secret from %s is not shown', (_, loaded) => {
  expect(loaded.config.smtpPassword?.reveal()).toBe(CANARY)
  expect(loaded.config.database?.reveal()).toBe(URL_WITH_CANARY)
  expect(traces(loaded)).not.toContain(CANARY)
  expect(effectiveConfig(loaded)).not.toContain(CANARY)
  expect(effectiveConfig(loaded)).toContain('smtp_password = "[redacted]"')
})

test.each<[string, World]>([
  ['syntax error on the line', { toml: `smtp_password = ${CANARY}` }],
  ['syntax error on the line below', { toml: `smtp_password = "${CANARY}"\nport = ` }],
  ['syntax error on the line above', { toml: `port = \nsmtp_password = "${CANARY}"` }],
  ['mistyped key', { toml: `smtp_pasword = "${CANARY}"` }],
  ['in a table', { toml: `[smtp]\npassword = "${CANARY}"` }],
  ['in a list', { toml: `smtp_password = ["${CANARY}"]` }],
  ['more than one line in a file', { env: { SVC_SMTP_PASSWORD_FILE: 's' }, files: { '/srv/s': `${CANARY}\n2` } }],
  ['without a user', { env: { SVC_SMTP_PASSWORD: CANARY } }],
  ['given twice', { env: { SVC_SMTP_PASSWORD: CANARY, SVC_SMTP_PASSWORD_FILE: 's' }, files: { '/srv/s': CANARY } }],
  ['mistyped variable', { env: { SVC_SMTP_PASSWROD: CANARY, SVC_PORT: 'x' } }],
  ['in the URL of another database', { env: { SVC_DATABASE: `mysql://ida:${CANARY}@db.lan/podstep` } }],
  ['in the URL of no database', { env: { SVC_DATABASE: `postgres://ida:${CANARY}@db.lan` } }],
  ['in a URL with a fragment', { env: { SVC_DATABASE: `postgres://ida:1#${CANARY}@db.lan/podstep` } }],
  ['in an address', { env: { SVC_BASE_URL: `https://ida:${CANARY}@home.example` } }],
  ['in a broken address', { env: { SVC_DIRECTORY_URL: `htps://ida:${CANARY}@home.example` } }],
  ['in an address in a list', { env: { SVC_FEED_ALLOW_PRIVATE: `http://ida:${CANARY}@home.example` } }],
])('an error quotes no secret: %s', (_, world) => expect(traces(refusal(world))).not.toContain(CANARY))
