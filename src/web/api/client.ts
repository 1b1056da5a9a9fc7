import { language } from '../locales/index.ts'
import { takeEarly } from './early.ts'
import { ADDRESSES, type Operations } from './schema.ts'

/** A request that failed: the error code to decide by, and the server's English message. */
export class ApiError extends Error {
  /** HTTP status; 0 when the server could not be reached. */
  readonly status: number
  readonly code: string
  readonly field: string | undefined
  /** Seconds to wait before trying again, if the server said so. */
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
    /** Lets the request go on when the page goes. Its body may have 64 KiB. */
    readonly isKeptAlive?: boolean
  }

type Arguments<N extends OperationName> =
  Record<never, never> extends Options<N> ? [options?: Options<N>] : [options: Options<N>]

let signedOut: () => void = () => undefined

/** Registers what to do when an answer shows that the session has ended. */
export function onSignOut(listen: () => void): void {
  signedOut = listen
}

let accountMismatch: () => void = () => undefined

/** Registers what to do when an answer suggests that another user has signed in to this browser. */
export function onAccountMismatch(listen: () => void): void {
  accountMismatch = listen
}

/** Keeps answers for when the server cannot be reached. */
export interface AnswerCache {
  /** Called before each request. What it returns is called with the answer. */
  asking(name: OperationName): (answer: string) => void
  /** The last answer to this operation, if it was kept. Called when there is no new one. */
  find(name: OperationName): string | undefined
}

/** Marks answers that come from the cache. No server sends this header. */
const KEPT = 'x-podstep-kept'

let answerCache: AnswerCache | undefined

export function keepAnswers(wanted: AnswerCache): void {
  answerCache = wanted
}

/** Calls one operation of the API. Rejects with `ApiError`, or with the signal's reason if it was aborted. */
export async function call<N extends OperationName>(name: N, ...options: Arguments<N>): Promise<Answer<N>> {
  return (await callWithHeaders(name, ...options)).answer
}

/** Like `call`, for the few operations that answer in headers, too. */
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
    // The first makes the server leave out WWW-Authenticate, for which browsers would open a password dialog. The
    // second is for the emails that it may send: the language may have been chosen here.
    headers: { 'x-requested-with': 'podstep', 'accept-language': language.peek(), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' || body instanceof Blob ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(isKeptAlive && { keepalive: true }),
  }).catch((error: unknown) => {
    const kept = method === 'GET' && !signal?.aborted ? answerCache?.find(name) : undefined
    if (kept === undefined) throw error
    return new Response(kept, { headers: { 'content-type': 'application/json', [KEPT]: 'yes' } })
  })
  const text = await response.text()
  if (response.ok) {
    if (!response.headers.has(KEPT)) keep?.(text)
    const isJson = response.headers.get('content-type')?.includes('json')
    return { answer: (isJson ? JSON.parse(text) : text) as Answer<N>, headers: response.headers }
  }
  const error = toApiError(response, text)
  if (error.code === 'unauthorized') signedOut()
  if (error.code === 'forbidden' || error.code === 'username_mismatch') accountMismatch()
  throw error
}

/** Whether the server answers at present. */
export async function isReachable(): Promise<boolean> {
  try {
    return (await fetch(requestUrl(ADDRESSES.getServer[1]), { headers: { 'x-requested-with': 'podstep' } })).ok
  } catch {
    return false
  }
}

/** The address of a request, relative to the page's base so that it works below a sub-path. */
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
  // The answer is not the server's own but, for instance, that of a proxy in between.
  const status = `${response.status} ${response.statusText}`.trim()
  return new ApiError(response.status, 'unknown', status, undefined, retryAfter)
}

/** The fields of a text that is a JSON object; none if it is anything else. */
function parseObject(text: string): Partial<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}
