import { describe, expect, test } from 'bun:test'
import { sha256 } from '../src/platform/crypto.ts'
import { feedDocument, feedEpisode } from './store/contract/fixtures.ts'
import { tempDirs } from './store/temp-dir.ts'
import { startTestApp, type TestApp } from './support/app.ts'
import { basic, type Client, clientOf, cookieOf, signUp } from './support/client.ts'
import { feedSource, UNCHANGED } from './support/feed-source.ts'
import { startLyingProvider } from './support/lying-provider.ts'
import {
  fillPath,
  isRecord,
  mismatches,
  needsBrowser,
  needsCredentials,
  operationsOf,
  recordAt,
  resolved,
} from './support/openapi.ts'
import { codeOf } from './support/totp.ts'

type Json = Record<string, unknown>

const { json: document } = await clientOf(startTestApp()).get('/openapi.json')
const operations = operationsOf(document)

/** Operations that others depend on, and those that would break others, in order. */
const FIRST = ['previewImport', 'createUser', 'setWebhook', 'beginSecondFactor']
const LAST = [
  'removeWebhook',
  'withdrawInvitation',
  'disableSecondFactor',
  'deactivateUser',
  'deleteUser',
  'deleteDevice',
  'logout',
  'changePassword',
]
/** Operations of one account, sent with a code from the response before. */
const FACTOR = new Set([
  ...['getSecondFactor', 'beginSecondFactor', 'enableSecondFactor', 'renewRecoveryCodes', 'disableSecondFactor'],
])

/** The code that a response makes valid. */
function nextCode(answer: unknown, seconds: number): string | undefined {
  if (!isRecord(answer)) return undefined
  const { secret, recovery_codes: codes } = answer
  if (typeof secret === 'string' && 'uri' in answer) return codeOf(secret, seconds)
  return Array.isArray(codes) ? String(codes[0]) : undefined
}

const rank = ({ operation: { operationId } }: { operation: Json }) =>
  LAST.indexOf(String(operationId)) - FIRST.indexOf(String(operationId))

/** The token in the example of the consent page. */
const PAGE_TOKEN = 'Zk3vQ8mTb1XcY5nWd7LpR2sHj9FgA4uKe6VtB0yNqC3'

/** Creates the tokens and login flows of the examples, and an identity of ida. */
async function prepare({ db, clock }: TestApp): Promise<void> {
  for (const [id, state, purpose, operationId] of [
    [100, 'pending_activation', 'activation', 'activate'],
    [101, 'active', 'password_reset', 'confirmPasswordReset'],
    [102, 'pending_activation', 'invitation', 'acceptInvitation'],
  ] as const) {
    const operation = operations.find((each) => each.operation['operationId'] === operationId)?.operation
    const { token } = recordAt(requestBody(recordAt(operation)))
    const row = [id, purpose, sha256(String(token)), clock.seconds() + 60]
    db.run('INSERT INTO users (id, username, username_key, state, created_at) VALUES (?1, ?1, ?1, ?2, 0)', [id, state])
    db.run('INSERT INTO tokens (user_id, purpose, token_hash, expires_at) VALUES (?, ?, ?, ?)', row)
  }
  for (const [operationId, user] of [
    ['pollLoginFlow', 1],
    ['pollLoginFlowShort', 1],
    ['grantLoginFlow', null],
  ] as const) {
    const operation = operations.find((each) => each.operation['operationId'] === operationId)?.operation
    const body = requestBody(recordAt(operation))
    const poll = sha256(isRecord(body) ? String(body['token']) : operationId)
    const page = sha256(user === null ? PAGE_TOKEN : operationId)
    const row = [poll, page, clock.seconds() + 60, user]
    db.run(
      'INSERT INTO login_flows (poll_hash, page_hash, user_agent, expires_at, user_id) VALUES (?, ?, 1, ?, ?)',
      row,
    )
    if (user === null) continue
    // Negative, so that app passwords of the examples get the IDs in the examples.
    const granted = [-operationId.length, user, poll]
    db.run("INSERT INTO app_passwords VALUES (?, ?, ?, 'app', 'sync', 0, NULL, NULL)", granted)
  }
  db.run("INSERT INTO identities (user_id, issuer, subject, created_at) VALUES (1, 'https://id.example', '1', 0)")
}

const dirs = tempDirs()

describe('the example matches its schema:', () => {
  const bodies = operations.flatMap(({ name, operation }) => [
    ...mediaOf(`${name}, request`, operation['requestBody']),
    ...Object.entries(recordAt(operation, 'responses')).flatMap(([status, answer]) =>
      mediaOf(`${name}, ${status}`, answer),
    ),
  ])

  test.each(bodies)('$name', ({ schema, example }) => {
    expect(mismatches(document, schema, example)).toEqual([])
  })
})

test('every example request succeeds, with a response that matches its schema', async () => {
  await using provider = startLyingProvider()
  const app = startTestApp({
    settings: { ...provider.settings, data_dir: dirs.make(), base_url: 'http://localhost', registration: 'open' },
    mailer: { send: async () => undefined },
    feedSource: feedSource({
      [HARBOUR]: { ...UNCHANGED, kind: 'feed', document: feedDocument({ episodes: [feedEpisode({ url: EPISODE })] }) },
    }),
  })
  const ida = await signUp(app, 'ida', 'seaglass')
  // The only administrator cannot delete their account.
  const leaver = await signUp(app, 'lea', 'seaglass')
  const browserOf = async (client: Client) =>
    clientOf(app, { ...cookieOf(await client.get('/api/2/me')), origin: 'http://localhost' })
  await prepare(app)
  await ida.post('/api/admin/invitations', { username: 'eva' })
  await ida.post('/api/2/subscriptions/ida/ida-pixel.json', { add: [HARBOUR] })
  await ida.post('/api/2/subscriptions/ida/ida-car.json', { add: [HARBOUR.replace('https:', 'http:')] })
  await ida.post('/api/2/subscriptions/ida/ida-car.json', { add: [LOOKOUT] })
  app.db.run('UPDATE podcasts SET succeeded_at = 1')
  app.db.run("UPDATE podcasts SET moved_to = 'https://lookout.example/feed' WHERE url = ?", [LOOKOUT])
  for (const device of ['ida-pixel', 'ida-desk', 'ida-car']) await ida.post(`/api/2/devices/ida/${device}.json`)

  // Accounts with a second factor need a code for each new session.
  const factorBrowser = await browserOf(await signUp(app, 'uma', 'seaglass'))
  // A provider and a proxy cannot both sign users in.
  const proxied = startTestApp({ settings: { proxy_user_header: 'Remote-User', trusted_proxies: '192.0.2.1' } })
  await signUp(proxied, 'ida', 'seaglass')
  const behindProxy = clientOf(proxied, { 'remote-user': 'ida' })
  let code = ''
  for (const { name, method, path, operation } of operations
    .filter(({ operation }) => isText(operation))
    .toSorted((a, b) => rank(a) - rank(b))) {
    const example = requestBody(operation)
    // The account of the example exists already.
    const username = NEW_NAMES[String(operation['operationId'])]
    const own = username === undefined ? example : { ...recordAt(example), username, email: '' }
    // Imports a file, since there is no other server.
    const isImport = operation['operationId'] === 'startImport'
    const isFactor = FACTOR.has(String(operation['operationId']))
    const withCode = isFactor && 'code' in recordAt(example ?? {}) ? { ...recordAt(example), code } : own
    if (operation['operationId'] === 'resetSecondFactor')
      app.db.run("INSERT INTO second_factors SELECT id, x'00', 0, 0 FROM users WHERE username_key = 'ole'")
    const isPreview = operation['operationId'] === 'previewImport'
    const file = isPreview ? LIST : '{"format":"podstep account","version":1}'
    const body = isImport || isPreview ? file : withCode
    const headers = isImport || isPreview ? { 'content-type': 'application/octet-stream' } : undefined
    const owner = operation['operationId'] === 'deleteOwnAccount' ? leaver : ida
    const inBrowser = needsBrowser(operation) ? await browserOf(owner) : owner
    const special = isFactor ? factorBrowser : operation['operationId'] === 'loginByProxy' ? behindProxy : undefined
    const asks = special ?? inBrowser
    const address = addressOf(path, 'json') + queryOf(path)
    const {
      status,
      text,
      json,
      headers: answered,
    } = await asks.call(method.toUpperCase(), address, { body, ...(headers && { headers }) })
    const success = statusOf(operation)
    expect([name, status, text]).toEqual([name, Number(success), expect.any(String)])
    code = nextCode(json, app.clock.seconds()) ?? code

    const { content } = resolved(document, recordAt(operation, 'responses')[success])
    if (content === undefined) expect([name, text]).toEqual([name, ''])
    else if (!('application/json' in recordAt(content)))
      expect(Object.keys(recordAt(content))).toContain(answered.get('content-type')?.replace(/;.*/, '') ?? '')
    else {
      const { schema } = recordAt(content, 'application/json')
      expect([name, mismatches(document, schema, json)]).toEqual([name, []])
    }
  }
  expect((await clientOf(app, basic('ida', 'driftwood')).get('/api/2/me')).status).toBe(200)
})

describe('a list in every format:', () => {
  const lists = operations.filter(({ method, path }) => path.endsWith('.{format}') && method !== 'delete')
  const cases = lists.flatMap(({ method, path, operation }) => {
    const [body, ...keys] = method === 'get' ? ['responses', '200'] : ['requestBody']
    const media = Object.entries(recordAt(operation[body ?? ''], ...keys, 'content'))
    return formatsOf(operation).map((format, index) => {
      const [type = '', described] = media[index] ?? []
      const { example } = recordAt(described)
      return {
        name: `${method} ${path} as ${format}`,
        method,
        path,
        format,
        type,
        example,
        success: statusOf(operation),
      }
    })
  })

  const subscriber = async () => {
    const ida = await signUp(startTestApp())
    await ida.post('/api/2/subscriptions/ida/ida-pixel.json', { add: [HARBOUR] })
    await ida.post('/api/2/lists/ida/create.txt?title=Sea%20stuff', HARBOUR)
    return ida
  }
  const reader = subscriber()

  test('there are as many formats as content types', () => expect(cases.length).toBe(4 * 5 + 3 * 4 + 4 * 3))

  test.each(cases)('$name', async ({ method, path, format, type, example, success }) => {
    const ida = await (method === 'get' ? reader : subscriber())
    const address = `${addressOf(path, format)}?jsonp=show&q=harbour&title=Harbours`
    const body = method === 'get' ? undefined : example
    const { status, headers, text } = await ida.call(method.toUpperCase(), address, { body })
    expect(status).toBe(Number(success))
    if (method === 'get') expect(headers.get('content-type')?.split(';')[0]).toBe(type)
    else {
      expect(text).toBe('')
      const list = path.includes('/lists/') ? (headers.get('location') ?? address) : '/subscriptions/ida/ida-pixel'
      expect((await ida.get(list.replace(/\.\w+(?:\?.*)?$/, '').concat('.txt'))).text).toStartWith(`${HARBOUR}\n`)
    }
  })
})

test('operations described as open work without credentials', async () => {
  const anyone = clientOf(startTestApp({ settings: { rate_limit: 'false' } }))
  for (const { name, method, path, operation } of operations.filter((each) => !needsCredentials(each.operation))) {
    const body = requestBody(operation)
    const { status } = await anyone.call(method.toUpperCase(), addressOf(path, 'json'), { body })
    expect([name, [401, 429].includes(status)]).toEqual([name, false])
  }
})

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'
const LOOKOUT = 'https://feeds.tidewater.example/lookout.xml'
const EPISODE = 'https://cdn.tidewater.example/fog.mp3'
/** User names for operations that create accounts. */
const NEW_NAMES: Readonly<Record<string, string>> = { register: 'noah', inviteUser: 'mara' }

/** Event streams, pictures and private feeds are tested elsewhere. */
function isText(operation: Json): boolean {
  const { content } = resolved(document, recordAt(operation, 'responses')[statusOf(operation)])
  if (!isRecord(content) || 'application/json' in content) return true
  return Object.keys(content).every((type) => !/event-stream|^image|xml$/.test(type))
}

const LIST = '<opml version="2.0"><body><outline xmlUrl="https://feeds.example/harbour.xml"/></body></opml>'

/** The status of success. */
function statusOf(operation: Json): string {
  return Object.keys(recordAt(operation, 'responses')).find((status) => status < '300') ?? ''
}

function mediaOf(name: string, body: unknown): { name: string; schema: unknown; example: unknown }[] {
  const { content } = body === undefined ? {} : resolved(document, body)
  if (!isRecord(content)) return []
  return Object.entries(content).map(([type, media]) => {
    const { schema, example } = recordAt(media)
    return { name: `${name}, ${type}`, schema, example }
  })
}

/** The example of a JSON body. */
function requestBody({ requestBody: body }: Json): unknown {
  const json = isRecord(body) ? recordAt(body, 'content')['application/json'] : undefined
  return isRecord(json) ? json['example'] : undefined
}

function addressOf(path: string, format: string): string {
  const others = path.endsWith('/invitation') ? 'eva' : 'ole'
  const username = path.startsWith('/api/admin/') ? others : 'ida'
  return fillPath(path, {
    username,
    count: '25',
    tag: 'sea',
    token: PAGE_TOKEN,
    deviceid: 'ida-pixel',
    scope: 'podcast',
    name: 'sea-stuff',
    format,
  })
}

/** Required query parameters. */
function queryOf(path: string): string {
  if (path.includes('/chapters/') || path.endsWith('/transcript')) return `?podcast=${HARBOUR}&episode=${EPISODE}`
  if (path.includes('/create.')) return '?title=Sea%20stuff'
  if (path.endsWith('/single')) return `?url=${HARBOUR}`
  if (path.endsWith('/external') || path.includes('search')) return '?q=harbour'
  if (/\/data\/episode\.json$|\/me\/podcast\/(?:episode|chapters)$/.test(path))
    return `?podcast=${HARBOUR}&url=${EPISODE}`
  if (/\/(?:data|me)\/podcast/.test(path)) return `?url=${HARBOUR}`
  return path.includes('{scope}') ? `?podcast=${HARBOUR}` : ''
}

function formatsOf({ parameters }: Json): string[] {
  const list: unknown[] = Array.isArray(parameters) ? parameters : []
  const format = list.find((parameter) => isRecord(parameter) && parameter['name'] === 'format')
  const { enum: formats } = recordAt(format, 'schema')
  return Array.isArray(formats) ? formats.map(String) : []
}
