import { expect, test } from 'bun:test'
import { MailFailure } from '../../src/domain/accounts/mail.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { tempDirs } from '../store/temp-dir.ts'
import { startTestApp } from '../support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from '../support/client.ts'
import { failingReads } from '../support/database.ts'
import { type DescribedOperation, fillPath, isRecord, operationsOf } from '../support/openapi.ts'
import { receiver } from '../support/webhooks.ts'

// The debug log contains no secrets, for any request and any failure.

const PASSWORD = 'canary-password'
const FEED = 'https://canary-user:canary-userinfo@feeds.example/canary-path?key=canary-query'
const METRICS = 'canary-metrics-token'
const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
/** Refused before any request is sent. */
const ELSEWHERE = 'http://127.0.0.1:9/canary-server'

const { json: document } = await clientOf(startTestApp()).get('/openapi.json')
/** All operations except the endless stream; those that delete something come last. */
const OPERATIONS = operationsOf(document)
  .filter(({ path }) => !path.endsWith('/events'))
  .toSorted((one, other) => rank(one) - rank(other))

function rank({ method, path }: DescribedOperation): number {
  if (method === 'delete' || /logout|deactivate|\/password$/.test(path)) return 2
  return /\/me\/(?:app-passwords|webhook|private-feeds)$|invitations$/.test(path) ? 0 : 1
}

const dirs = tempDirs()

async function open(db = openMemoryDatabase()) {
  const secrets = new Set(['canary', WEBHOOK_SECRET])
  const hooks = receiver()
  hooks.script.answer = () => 'hooks.example does not answer'
  const app = startTestApp({
    db,
    webhookSender: hooks.sender,
    mailer: {
      async send(mail) {
        if ('token' in mail) secrets.add(mail.token)
        throw new MailFailure('mail', 'the mail server does not take it')
      },
    },
    settings: {
      ...{ access_log: 'true', rate_limit: 'false', registration: 'open', metrics_token: METRICS },
      ...{ base_url: 'http://localhost', data_dir: dirs.make() },
    },
  })
  const ida = await signUp(app, 'ida', PASSWORD, 'ida@pods.example')
  const session = cookieOf(await ida.get('/api/2/me'))
  const browser = { ...session, origin: 'http://localhost' }
  const made = await clientOf(app, browser).post('/api/2/me/app-passwords', { name: 'phone', scope: 'sync' })
  for (const cookie of Object.values(session)) secrets.add(cookie.slice('sessionid='.length))
  learn(made.json, secrets)
  const appPassword = isRecord(made.json) ? String(made.json['password']) : ''
  expect(secrets).toContain(appPassword)
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const valid = [basic('ida', PASSWORD), browser, bearer(appPassword)]
  const invalid = [
    {},
    basic('ida', 'canary-wrong'),
    { cookie: `sessionid=${'canary-cookie'.padEnd(43, 'x')}` },
    ...[METRICS, 'canary-bearer'].map(bearer),
  ]
  for (const each of [...valid, ...invalid]) {
    const [, sent] = ('authorization' in each ? each.authorization : '').split(' ')
    if (sent) secrets.add(sent)
  }
  await app.idle()
  await leaks(app, secrets)
  const clientsWith = (all: Record<string, string>[]) => all.map((each) => clientOf({ fetch: app.fetchAtOnce }, each))
  return { app, secrets, valid: clientsWith(valid), invalid: clientsWith(invalid) }
}

/** Adds tokens, passwords and secret addresses that a response shows. */
function learn(value: unknown, secrets: Set<string>, key = ''): void {
  if (typeof value === 'string') {
    const shown = /^(?:token|secret|password|login)$/.test(key) ? value : /\/feeds\/([\w-]{20,})/.exec(value)?.[1]
    // The token is the end of a link.
    if (shown) secrets.add(shown.split(/[/=]/).at(-1) || shown)
  } else if (typeof value === 'object' && value !== null)
    for (const [name, each] of Object.entries(value)) learn(each, secrets, Array.isArray(value) ? key : name)
}

/** Replaces texts of an example body by secrets. */
function withSecrets(value: unknown, key = ''): unknown {
  // Makes webhooks send something.
  if (key === 'events') return ['new_device', 'new_episode', 'feed_failing']
  if (Array.isArray(value)) return value.map((each) => withSecrets(each, key))
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withSecrets(each, name)]))
  if (typeof value !== 'string') return value
  if (key === 'from') return ELSEWHERE
  if (key === 'password' || key === 'old_password') return PASSWORD
  if (key === 'secret') return WEBHOOK_SECRET
  if (/password|token/.test(key)) return `canary-${key}-of-a-body`
  return value.startsWith('http') ? FEED : value
}

function bodiesOf({ requestBody }: DescribedOperation['operation']): readonly unknown[] {
  if (!isRecord(requestBody) || !isRecord(requestBody['content'])) return [undefined]
  const examples = Object.values(requestBody['content']).map((media) =>
    isRecord(media) ? media['example'] : undefined,
  )
  return [...examples.map((example) => withSecrets(example)), `{"password": "canary-broken`, `${FEED}\n`]
}

const VALUES = { token: 'canary-token-of-a-path', tag: 'canary-tag', name: 'canary-list' }
const QUERY = new URLSearchParams({ url: FEED, podcast: FEED, episode: FEED, q: 'canary words', title: 'canary-title' })

/** Sends each body, and the first one with an invalid query as well; returns the number of requests. */
async function callAll(
  { path, method, operation }: DescribedOperation,
  clients: readonly Client[],
  secrets: Set<string>,
  bodies = bodiesOf(operation),
) {
  const requests = [
    [`${QUERY}&since=canary-since&scale_logo=canary`, bodies[0]],
    ...bodies.map((body) => [QUERY, body]),
  ]
  const calls = clients.flatMap((client) =>
    requests.map(([query, body]) => async () => {
      const answer = await client.call(method.toUpperCase(), `${fillPath(path, VALUES)}?${query}`, { body })
      learn(answer.json, secrets)
    }),
  )
  // These wait for something most of the time.
  if (/\/(?:connection|doctor)$/.test(path)) await Promise.all(calls.map((call) => call()))
  else for (const call of calls) await call()
  return calls.length
}

/** Takes the log lines so far, and finds those with secrets. Lines are written at the end of a turn of the event loop. */
async function leaks({ logs }: { readonly logs: string[] }, secrets: ReadonlySet<string>) {
  await new Promise((resolve) => setImmediate(resolve))
  const lines = logs.splice(0).join('').split('\n').filter(Boolean)
  const found = lines.flatMap((line) =>
    [...secrets].filter((secret) => secret && line.includes(secret)).map(() => line),
  )
  return { lines, found }
}

test('no route or job logs a secret', async () => {
  const { app, secrets, valid, invalid } = await open()
  const anyone = clientOf({ fetch: app.fetchAtOnce })
  let granted = 0
  let hasRunJobs = false
  async function runJobs(): Promise<void> {
    hasRunJobs = true
    for (const { name, run } of app.jobs) {
      app.clock.advance(3600)
      run()
      await app.idle()
      expect([name, (await leaks(app, secrets)).found]).toEqual([name, []])
    }
  }

  for (const operation of OPERATIONS) {
    // Jobs run before anything is deleted.
    if (rank(operation) === 2 && !hasRunJobs) await runJobs()
    const [first] = bodiesOf(operation.operation)
    const sent = (await callAll(operation, valid, secrets)) + (await callAll(operation, invalid, secrets, [first]))
    await app.idle()
    const { lines, found } = await leaks(app, secrets)
    expect([operation.name, found]).toEqual([operation.name, []])
    const requests = lines.filter((line) => line.includes('"msg":"request"'))
    expect([operation.name, requests.length]).toEqual([operation.name, sent])
    if (requests.some((line) => line.includes('"status":20'))) granted++
  }
  expect(granted).toBeGreaterThan(OPERATIONS.length / 2)
  expect(secrets.size).toBeGreaterThan(50)
  // Routes that accept tokens.
  for (const { name, method, path } of OPERATIONS.filter((each) => each.path.includes('{token}'))) {
    for (const token of secrets) await anyone.call(method.toUpperCase(), fillPath(path, { token }))
    expect([name, (await leaks(app, secrets)).found]).toEqual([name, []])
  }
  await runJobs()
})

test.each(['SQLITE_ERROR', 'SQLITE_IOERR_READ', 'SQLITE_CORRUPT'])('no route logs a secret after %s', async (code) => {
  const db = openMemoryDatabase()
  const fault = failingReads(db)
  const { app, secrets, valid, invalid } = await open(db)
  fault.code = code
  let failures = 0
  for (const operation of OPERATIONS) {
    await callAll(
      operation,
      [...valid.slice(0, 2), ...invalid.slice(0, 2)],
      secrets,
      bodiesOf(operation.operation).slice(0, 1),
    )
    const { lines, found } = await leaks(app, secrets)
    expect([operation.name, found]).toEqual([operation.name, []])
    failures += lines.filter((line) => /"status":50[03]/.test(line)).length
  }
  expect(failures).toBeGreaterThan(OPERATIONS.length)
})

test('unknown and malformed addresses log no secret', async () => {
  const { app, secrets, valid, invalid } = await open()
  for (const client of [...valid, ...invalid])
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'DELETE'])
      for (const path of [
        '/canary-page?key=canary',
        '//canary//..%2f',
        '/api/2/canary/%ff?url=canary',
        '/metrics?canary',
      ])
        for (const host of ['localhost', 'canary.example,other.example', 'canary host'])
          await client.call(method, path, { headers: { host, referer: FEED, 'x-forwarded-for': 'canary-address' } })
  const { lines, found } = await leaks(app, secrets)
  expect(found).toEqual([])
  expect(lines.length).toBeGreaterThan(400)
})
