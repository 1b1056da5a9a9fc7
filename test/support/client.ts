import type { Administration } from '../../src/domain/accounts/administration.ts'
import { COMMAND_LINE } from './command-line.ts'

/** An application or a server. */
export interface Answering {
  readonly fetch: (request: Request) => Promise<Response> | Response
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Body parsed as JSON; `undefined` if it is not JSON. */
  readonly json: unknown
}

export interface CallOptions {
  readonly headers?: Record<string, string>
  /** Strings and bytes are sent unchanged, anything else as JSON. */
  readonly body?: unknown
}

export interface Client {
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  get(path: string, options?: CallOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  put(path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  delete(path: string, options?: CallOptions): Promise<Answer>
}

/** Creates a client that sends `headers` with every request and keeps no cookies. */
export function clientOf(app: Answering, headers: Record<string, string> = {}): Client {
  async function call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { body } = options
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: { host: 'localhost', ...headers, ...options.headers },
      ...(body !== undefined && { body: encode(body) }),
    })
    const response = await app.fetch(request)
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, json: parse(text) }
  }
  return {
    call,
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) => call('POST', path, { ...options, body }),
    put: (path, body, options) => call('PUT', path, { ...options, body }),
    delete: (path, options) => call('DELETE', path, options),
  }
}

export function basic(username: string, password: string): Record<string, string> {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}

/** Returns the `sessionid` of a Set-Cookie header as a Cookie header. */
export function cookieOf({ headers }: Answer): Record<string, string> {
  const value = /sessionid=([^;]*)/.exec(headers.get('set-cookie') ?? '')?.[1]
  if (!value) throw new Error('the answer sets no session cookie')
  return { cookie: `sessionid=${value}` }
}

/** Registers `username` (the first one becomes administrator) and returns a client that sends Basic with every request. */
export async function signUp(
  app: Answering & { readonly services: { readonly administration: Pick<Administration, 'create'> } },
  username = 'ida',
  password = 'seaglass',
  email = '',
): Promise<Client> {
  await app.services.administration.create({ username, password, email }, false, COMMAND_LINE)
  return clientOf(app, basic(username, password))
}

/** Signs in with a password, and returns a client that sends only the cookie. */
export async function signIn(app: Answering, username = 'ida', password = 'seaglass'): Promise<Client> {
  const answer = await clientOf(app, basic(username, password)).post(`/api/2/auth/${username}/login.json`)
  return clientOf(app, cookieOf(answer))
}

function encode(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body)
}

/** Parses text as JSON; `undefined` if it is not JSON. */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
