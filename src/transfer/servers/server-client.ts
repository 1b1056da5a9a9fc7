import { DomainError } from '../../domain/shared/errors.ts'
import { FetchFailure } from '../../outbound/fetch-failure.ts'
import type { OpenedResponse, StreamingFetch } from '../../outbound/guarded-fetch.ts'
import { type Clock, nextTurn, type Timer } from '../../platform/clock.ts'
import { type JsonPath, readJsonLeaves, VALUE_LIMITS, type ValueLimits } from '../files/json-stream.ts'
import { suggestedAddress } from './server-address.ts'

export interface ServerClientParts {
  readonly fetcher: StreamingFetch
  readonly timer: Timer
  readonly clock: Clock
}

export interface ServerAccount {
  readonly base: string
  readonly username: string
  readonly password: string
}

export interface ItemsQuery {
  readonly query?: Readonly<Record<string, string>>
  readonly member?: string
  readonly isObject?: boolean
  readonly maxBytes?: number
  readonly limits?: ValueLimits
}

export interface ServerItem {
  readonly name?: string
  readonly text: string | undefined
}

/** An unusable response; the message says why. Items read before it remain valid. */
export class NotServed extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'NotServed'
    this.status = status
  }
}

const LIST_BYTES = 32 * 1024 * 1024
/** Limits on decompressed bytes and items of all responses: several times the longest history. */
const IMPORT_LIMITS = { bytes: 4 * 1024 * 1024 * 1024, items: 20_000_000 }
/** A small server may need a minute to assemble a long history, and a small machine of ours minutes to store it. */
const ANSWER_MS = 60_000
const TOTAL_MS = 60 * 60_000
const REDIRECTS_MAX = 5

/** Seconds to wait before each further attempt if the server sends no Retry-After. */
const PAUSES = [5, 20, 60, 120] as const
/** Longest wait that a server may ask for, in seconds; beyond it the user has to start again. */
const PAUSE_MAX = 15 * 60
const TRIES_AFTER_FAULT = 1

export type ServerClient = ReturnType<typeof createServerClient>

/** Reads an account from another server, one request at a time; the password goes to that origin only. */
export function createServerClient(
  { fetcher, timer, clock }: ServerClientParts,
  { base, username, password }: ServerAccount,
  {
    signal,
    isResumed,
    importLimits = IMPORT_LIMITS,
  }: { readonly signal: AbortSignal; readonly isResumed: boolean; readonly importLimits?: typeof IMPORT_LIMITS },
) {
  const { host, origin } = new URL(base)
  const headers = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    accept: 'application/json',
  }
  /** Whether the server has proved to be the right one, so that failures are probably temporary. */
  let isProved = isResumed
  const remaining = { ...importLimits }

  function failure(words: string): DomainError {
    return isProved
      ? new DomainError('unavailable', `${words}; start the same import again later to resume it`)
      : new DomainError('validation_failed', words)
  }

  function take(field: 'bytes' | 'items', count: number): void {
    remaining[field] -= count
    if (remaining[field] < 0)
      throw new DomainError('validation_failed', `${host} sends more than ${importLimits[field]} ${field}`)
  }

  async function wait(seconds: number): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const cancelTimer = timer(seconds * 1000, resolve)
    try {
      await promise
    } finally {
      cancelTimer()
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Waits before the next attempt, after `tries` attempts; throws if none is left. */
  async function pause(tries: number, words: string, retryAfter?: number): Promise<void> {
    const planned = PAUSES[tries - 1]
    if (planned === undefined || !isProved) throw failure(words)
    if (retryAfter !== undefined && retryAfter > PAUSE_MAX)
      throw failure(`${host} asks to be left alone for ${Math.ceil(retryAfter / 60)} minutes`)
    await wait(retryAfter ?? planned)
  }

  async function ask(path: string, maxBytes: number): Promise<OpenedResponse> {
    let url = `${base}${path}`
    for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
      const limits = { totalMs: TOTAL_MS, answerMs: ANSWER_MS, maxBytes }
      const response = await fetcher.open({ url, headers, limits, mayReachPrivate: true, signal })
      const { location, status } = response
      if (location === undefined) return response
      response.close()
      if (new URL(location).origin !== origin)
        throw new NotServed(
          status,
          `${host} sends us to another address, where the password must not go; use ${suggestedAddress(location, path)} if that is the same server`,
        )
      url = location
    }
    throw new NotServed(200, `${host} sends us in circles`)
  }

  async function open(path: string, maxBytes: number): Promise<OpenedResponse> {
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted()
      try {
        const response = await ask(path, maxBytes)
        const { status } = response
        if (status === 200) return response
        response.close()
        const words = wordsFor(status, host)
        // The credentials worked before: the password has changed, or the import was resumed with another one.
        if (status === 401 && isProved) throw failure(words)
        const isBusy = status === 429 || status > 501
        const isFault = status === 500 && tries <= TRIES_AFTER_FAULT
        if ((!isBusy && !isFault) || (!isProved && !isBusy)) throw new NotServed(status, words)
        // A server that sends Retry-After is a real one.
        isProved ||= isBusy && response.headers.has('retry-after')
        await pause(tries, words, secondsOf(response.headers.get('retry-after'), clock.seconds()))
      } catch (error) {
        await pauseAfter(error, tries)
      }
    }
  }

  /** Waits after a temporary failure; throws all other errors. */
  async function pauseAfter(error: unknown, tries: number): Promise<void> {
    signal.throwIfAborted()
    if (!(error instanceof FetchFailure)) throw error
    const { reason, message } = error
    if (reason === 'too_large') throw new NotServed(200, message)
    if (reason === 'bad_encoding') throw new NotServed(200, `${host}: ${message}`)
    if (reason === 'forbidden' || reason === 'bad_url' || reason === 'tls') throw failure(message)
    await pause(tries, message)
  }

  return {
    host,
    failure,

    /** Yields items of a list as they arrive; restarts from the first if the connection breaks. Throws `NotServed`. */
    async *items(path: string, options: ItemsQuery = {}): AsyncGenerator<ServerItem> {
      const { query, member, maxBytes = LIST_BYTES, limits = VALUE_LIMITS } = options
      const isEntered = (at: JsonPath) => at.length === 0 || (at.length === 1 && at[0] === member)
      const target = query ? `${path}?${new URLSearchParams(query)}` : path
      for (let tries = 1; ; tries++) {
        const response = await open(target, maxBytes)
        let isComplete = false
        async function* pieces() {
          for await (const piece of response.pieces) {
            // Let other work run, even if data arrives faster than it is parsed.
            await nextTurn()
            signal.throwIfAborted()
            take('bytes', piece.byteLength)
            yield piece
          }
          isComplete = true
        }
        try {
          let isList = false
          let isError = false
          const what = `the response of ${host}`
          for await (const { path: at, text } of readJsonLeaves(pieces(), {
            ...{ isEntered, what },
            limitsOf: () => limits,
          })) {
            take('items', 1)
            const item = itemAt(at, text, options, host)
            isList ||= item.name === undefined
            isError ||= item.name === 'error' || item.name === 'message'
            yield item
          }
          // Some servers send errors with status 200.
          if (member !== undefined && isError && !isList)
            throw new NotServed(200, `${host} answers with something else than a list`)
          isProved = true
          return
        } catch (error) {
          signal.throwIfAborted()
          if (error instanceof DomainError && error.code === 'invalid_json') {
            // All received bytes were read, but the JSON is incomplete: the connection ended too early.
            if (isComplete && isProved) await pause(tries, error.message)
            else throw new NotServed(200, error.message)
          } else await pauseAfter(error, tries)
        } finally {
          response.close()
        }
      }
    },
  }
}

/** Throws `NotServed` for a value outside the expected list or object. */
function itemAt(
  [first, second]: JsonPath,
  text: string | undefined,
  { member, isObject = false }: ItemsQuery,
  host: string,
): ServerItem {
  if (first === undefined)
    throw new NotServed(
      200,
      text?.startsWith('<') ? `${host} answers with a web page instead of data` : `${host} answers with something else`,
    )
  if (first === null || second === null) return { text }
  // Expected a list, got an object.
  if (member === undefined && !isObject) throw new NotServed(200, `${host} answers with something else than a list`)
  return { name: second ?? first, text }
}

function wordsFor(status: number, host: string): string {
  if (status === 401) return `${host} does not accept the user name or the password`
  if (status === 403) return `${host} does not let this user in (403)`
  if (status === 429) return `${host} is asked too much (429)`
  return `${host} answers ${status}`
}

/** Seconds to wait according to Retry-After, which holds seconds or a date; `undefined` if unusable. */
function secondsOf(header: string | null, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil(date / 1000 - now))
}
