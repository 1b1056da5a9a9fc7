import { language } from '../locales/index.ts'
import { takeEarly } from './early.ts'
import { ADDRESSES, type Operations } from './schema.ts'

/** A failed request: `code` for decisions, and the server's English message. */
export class ApiError extends Error {
  /** HTTP status; 0 if the server could not be reached. */
  readonly status: number
  readonly code: string
  readonly field: string | undefined
  /** Seconds, from the `Retry-After` header. */
  readonly retryAfter: number | undefined

  constructor(status: number, word: string, message: string, field?: string, retryAfter?: number) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.code = word
    this.field = field
    this.retryAfter = retryAfter
  }
}

export type OperationName = keyof Operations
export type Answer<N extends OperationName> = Operations[N]['answer']

export type Options<N extends OperationName> = Omit<Operations[N], 'answer' | 'query'> &
  Partial<Pick<Operations[N], 'query' & keyof Operations[N]>> & {
    readonly headers?: Record<string, string>
    readonly signal?: AbortSignal
    /** Lets the request outlive the page. Limits its body to 64 KiB. */
    readonly isKeptAlive?: boolean
  }

type Arguments<N extends OperationName> =
  Record<never, never> extends Options<N> ? [options?: Options<N>] : [options: Options<N>]

let signedOut: () => void = () => undefined

/** Registers the handler for answers that show that the session has ended. */
export function onSignOut(listen: () => void): void {
  signedOut = listen
}

let accountMismatch: () => void = () => undefined

/** Registers the handler for answers that suggest that another user has signed in to this browser. */
export function onAccountMismatch(listen: () => void): void {
  accountMismatch = listen
}

/** Cache of answers for use while the server is unreachable. */
export interface AnswerCache {
  /** Called before each request. Returns a function that is called with the answer. */
  asking(name: OperationName): (answer: string) => void
  /** Returns the last answer, if it was kept. Called if the request fails. */
  find(name: OperationName): string | undefined
}

/** Header that marks answers from the cache. Servers do not send it. */
const CACHE_HEADER = 'x-podstep-kept'

let answerCache: AnswerCache | undefined

export function setAnswerCache(cache: AnswerCache): void {
  answerCache = cache
}

/** Calls one operation of the API. Rejects with `ApiError`, or with the signal's reason if it was aborted. */
export async function call<N extends OperationName>(name: N, ...options: Arguments<N>): Promise<Answer<N>> {
  return (await callWithHeaders(name, ...options)).answer
}

/** Like `call`, for operations that also return data in headers. */
export async function callWithHeaders<N extends OperationName>(
  name: N,
  ...[options]: Arguments<N>
): Promise<{ readonly answer: Answer<N>; readonly headers: Headers }> {
  const [method, template] = ADDRESSES[name]
  const { path, query, body, headers, signal, isKeptAlive } = (options ?? {}) as {
    path?: Record<string, string | number>
    query?: Record<string, string | number | undefined>
    body?: unknown
    headers?: Record<string, string>
    signal?: AbortSignal
    isKeptAlive?: boolean
  }
  const address = requestUrl(template, path, query)
  const keep = method === 'GET' ? answerCache?.asking(name) : undefined
  const response = await send(address, {
    method,
    // `x-requested-with` makes the server omit WWW-Authenticate, which would open the browser's password dialog.
    // `accept-language` selects the language of emails: it may be one chosen in this client.
    headers: { 'x-requested-with': 'podstep', 'accept-language': language.peek(), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(isKeptAlive && { keepalive: true }),
  }).catch((error: unknown) => {
    const cached = method === 'GET' && !signal?.aborted ? answerCache?.find(name) : undefined
    if (cached === undefined) throw error
    return new Response(cached, { headers: { 'content-type': 'application/json', [CACHE_HEADER]: 'yes' } })
  })
  const text = await response.text()
  if (response.ok) {
    if (!response.headers.has(CACHE_HEADER)) keep?.(text)
    const isJson = response.headers.get('content-type')?.includes('json')
    return { answer: (isJson ? JSON.parse(text) : text) as Answer<N>, headers: response.headers }
  }
  const error = toApiError(response, text)
  if (error.code === 'unauthorized') signedOut()
  if (error.code === 'forbidden' || error.code === 'username_mismatch') accountMismatch()
  throw error
}

export async function isReachable(): Promise<boolean> {
  try {
    return (await fetch(requestUrl(ADDRESSES.getServer[1]), { headers: { 'x-requested-with': 'podstep' } })).ok
  } catch {
    return false
  }
}

/** Returns the URL of a request, relative to the page's base so that it works below a sub-path. */
export function requestUrl(
  template: string,
  path: Record<string, string | number> = {},
  query: Record<string, string | number | undefined> = {},
): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''))
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) if (value !== undefined) search.set(key, String(value))
  const text = search.toString()
  return filled.slice(1) + (text === '' ? '' : `?${text}`)
}

async function send(address: string, init: RequestInit): Promise<Response> {
  try {
    return await ((init.method === 'GET' && takeEarly(address)) || fetch(address, init))
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError(0, 'offline', 'the server cannot be reached')
  }
}

function toApiError(response: Response, text: string): ApiError {
  const retryAfter = Number(response.headers.get('retry-after')) || undefined
  const { error, message, field } = parseObject(text)
  if (typeof error === 'string' && typeof message === 'string')
    return new ApiError(response.status, error, message, typeof field === 'string' ? field : undefined, retryAfter)
  // The answer is from another program, such as a reverse proxy.
  const status = `${response.status} ${response.statusText}`.trim()
  return new ApiError(response.status, 'unknown', status, undefined, retryAfter)
}

/** Parses a JSON object. Returns an empty object if the text is no JSON. */
function parseObject(text: string): Partial<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
