import { ERROR_CODES } from '../../src/domain/shared/errors.ts'
import { type Answering, basic, type Client, clientOf, cookieOf, parse } from '../support/client.ts'
import { PATIENCE_MS } from '../support/eventually.ts'
import { isRecord, recordAt } from '../support/openapi.ts'
import { dice } from '../support/values.ts'
import { createRequests, type FuzzRequest, pick } from './requests.ts'

export interface FuzzOptions {
  readonly seed: number
  readonly target: Answering
  /** An administrator whom no request names, for creating accounts. */
  readonly root: Client
}

export interface Fuzzer {
  /** Sends this number of requests in sequence, with new accounts. Returns problems of the responses. */
  round(requests: number): Promise<string[]>
  /** Changes to the data of the other user; `undefined` if there are none. */
  findChange(): Promise<string | undefined>
  /** Number of responses by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** Texts that must not be logged. */
  readonly secrets: readonly string[]
}

interface Sender {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
}

const PASSWORD = 'canary-seaglass'
const OTHER = 'ole'
const PHONE = '/api/2/subscriptions/ole/phone.json'

/**
 * Sends random requests to all operations of the API, anonymously and as users, administrators and apps. They depend on
 * the seed only. Each round has new accounts, since requests change passwords and delete users.
 */
export async function createFuzzer({ seed, target, root }: FuzzOptions): Promise<Fuzzer> {
  const roll = dice(seed)
  const { json: document } = await root.get('/openapi.json')
  const statuses = new Map<number, number>()
  const secrets = [PASSWORD, Buffer.from(`ole:${PASSWORD}`).toString('base64')]
  let rounds = 0

  await createUser(root, OTHER)
  const other = clientOf(target, basic(OTHER, PASSWORD))
  await expectTaken(other.post(PHONE, { add: ['https://feeds.invalid/a', 'https://ole.invalid/b'] }))
  const action = { podcast: 'https://feeds.invalid/a', episode: 'https://feeds.invalid/a/1.mp3', action: 'download' }
  await expectTaken(other.post('/api/2/episodes/ole.json', [{ ...action, device: 'phone' }]))
  await expectTaken(other.post('/api/2/settings/ole/account.json', { set: { theme: 'dark' } }))
  const before = await archiveOf(other)

  async function send(sent: FuzzRequest, sender: Sender): Promise<string | undefined> {
    const request = build(sent, sender.headers)
    if (!request) return undefined
    const started = performance.now()
    const { status, headers, text } = await answerOf(await target.fetch(request))
    const took = performance.now() - started
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const wrong = complaints({ status, headers, text, path: new URL(request.url).pathname })
    if (took > PATIENCE_MS) wrong.push(`it took ${Math.round(took)} ms`)
    if (status >= 400 && secrets.some((secret) => text.includes(secret))) wrong.push('it tells a secret')
    if (wrong.length === 0) return undefined
    return `${sender.name}: ${describe(sent)}\n  answered ${status} ${text.slice(0, 500)}\n  ${wrong.join('; ')}`
  }

  return {
    statuses,
    secrets,
    async round(requests) {
      rounds++
      const [user, admin] = [`ida${rounds}`, `eva${rounds}`]
      const senders = await createSenders({ target, root, user, admin })
      for (const { headers } of senders) secrets.push(...secretsOf(headers))
      const make = createRequests(document, { users: [user, admin], other: OTHER, password: PASSWORD }, roll)
      const found: string[] = []
      for (let n = 0; n < requests; n++) {
        const complaint = await send(make(), pick(senders, roll))
        if (complaint !== undefined) found.push(complaint)
      }
      return found
    },
    async findChange() {
      const after = await archiveOf(other)
      return after === before ? undefined : `before ${before}\nafter ${after}`
    },
  }
}

interface SenderOptions extends Pick<FuzzOptions, 'target' | 'root'> {
  readonly user: string
  readonly admin: string
}

async function createSenders({ target, root, user, admin }: SenderOptions): Promise<Sender[]> {
  await createUser(root, user)
  await createUser(root, admin)
  await expectTaken(root.post(`/api/admin/users/${admin}/role`, { is_admin: true }))
  const own = basic(user, PASSWORD)
  const session = cookieOf(await clientOf(target, own).post(`/api/2/auth/${user}/login.json`))
  const made = await clientOf(target, session).post('/api/2/me/app-passwords', { name: 'app', scope: 'sync' })
  return [
    { name: 'anybody', headers: {} },
    { name: 'user', headers: own },
    { name: 'session', headers: session },
    { name: 'app password', headers: basic(user, String(recordAt(made.json)['password'])) },
    { name: 'administrator', headers: basic(admin, PASSWORD) },
  ]
}

async function createUser(root: Client, username: string): Promise<void> {
  await expectTaken(root.post('/api/admin/users', { username, password: PASSWORD }))
}

async function expectTaken(answer: ReturnType<Client['post']>): Promise<void> {
  const { status, text } = await answer
  if (status >= 300) throw new Error(`${status} ${text}`)
}

/** Texts that must not be logged: credentials of Basic, the password alone, and the value of a cookie. */
function secretsOf({ authorization, cookie }: Sender['headers']): string[] {
  const [, basicValue] = authorization?.split(' ') ?? []
  const password =
    basicValue &&
    Buffer.from(basicValue, 'base64')
      .toString()
      .replace(/^[^:]*:/, '')
  return [basicValue, password, cookie?.replace('sessionid=', '')].filter((each) => each !== undefined)
}

/** The archive of a user, without its time. */
async function archiveOf(user: Client): Promise<string> {
  const { status, json } = await user.get('/api/2/me/export')
  return JSON.stringify([status, json], (key, value: unknown) => (/^(?:exported|created)/.test(key) ? '' : value))
}

/** `undefined` if no client can send the request. */
function build({ method, path, headers, body }: FuzzRequest, own: Sender['headers']): Request | undefined {
  try {
    return new Request(`http://localhost${path}`, { method, headers: { ...headers, ...own }, body: body ?? null })
  } catch {
    return undefined
  }
}

async function answerOf(response: Response) {
  const { status, headers } = response
  if (headers.get('content-type') !== 'text/event-stream') return { status, headers, text: await response.text() }
  // The stream does not end.
  await response.body?.cancel()
  return { status, headers, text: '' }
}

interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly path: string
}

/** Polled by apps for Nextcloud, which expect an empty list (docs/protocol.md#login-flow). */
const POLLS = /\/login\/v2\/poll\/*$/
/** Answered with a web page. */
const PAGES = /^\/login\/flow\//

/** Problems of a response, by rules that hold for all of them. */
function complaints({ status, headers, text, path }: Seen): string[] {
  if (status < 400 || (status === 404 && POLLS.test(path))) return []
  if (status === 500) return ['a fault of the server']
  if (headers.get('content-type')?.startsWith('text/html')) return status === 404 || PAGES.test(path) ? [] : ['a page']
  // The answer to HEAD.
  if (text === '' && headers.get('content-length') !== '0') return []
  const error = parse(text)
  if (!isRecord(error)) return ['it is no error object']
  const { code, error: word, message, field, ...rest } = error
  const wrong: string[] = []
  if (code !== status || STATUS_OF.get(String(word)) !== status) wrong.push('its code does not fit')
  if (typeof message !== 'string' || message.length < 3 || message.length > 400) wrong.push('its message does not fit')
  if (field !== undefined && typeof field !== 'string') wrong.push('its field is no text')
  if (Object.keys(rest).length > 0) wrong.push(`it has ${Object.keys(rest)}`)
  if (headers.has('set-cookie')) wrong.push('it starts a session')
  if ((status === 429 || word === 'unavailable') && !headers.has('retry-after'))
    wrong.push('it does not say when to try again')
  return wrong
}

const STATUS_OF: ReadonlyMap<string, number> = new Map(
  Object.entries(ERROR_CODES).map(([code, { status }]) => [code, status]),
)

/** The request in a form that can be repeated by hand. */
function describe({ method, path, headers, body }: FuzzRequest): string {
  const shown =
    typeof body === 'string' ? JSON.stringify(body) : body && `base64 ${Buffer.from(body).toString('base64')}`
  return `${method} ${path} ${JSON.stringify(headers)} ${(shown ?? '').slice(0, 2000)}`
}
