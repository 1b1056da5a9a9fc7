import type { UserId } from '../../domain/shared/ids.ts'
import { OWN_PAGES_ONLY, type ResponseSet } from './caching.ts'
import { createCompression } from './compression.ts'
import { createDownloads } from './downloads.ts'
import { TextResponse } from './text-response.ts'

export const STANDARD_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': OWN_PAGES_ONLY,
  // For what is no page: a browser that shows it all the same runs and loads nothing, in nobody's frame.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** The same where pages of other origins may read the response (docs/protocol.md#D1). */
const CORS_HEADERS = { ...STANDARD_HEADERS, 'access-control-allow-origin': '*' }

const JSON_TYPE = { 'content-type': 'application/json;charset=utf-8' }

/** Made once: a response copies these in a third of the time that it needs for an object. */
const JSON_INIT = { headers: new Headers({ ...STANDARD_HEADERS, ...JSON_TYPE }) }
const CORS_JSON_INIT = { headers: new Headers({ ...CORS_HEADERS, ...JSON_TYPE }) }

export function addStandardHeaders(set: ResponseSet, isCors: boolean): void {
  set.headers = { ...(isCors ? CORS_HEADERS : STANDARD_HEADERS), ...set.headers }
}

/**
 * Makes the hook that turns what handlers return into what is sent: compressed where that pays, and with the headers that every response
 * has. It returns undefined for what Elysia is to send as it is. It is not async, or every request would wait another turn.
 * `userId` is whom it is for, if it is for one user. Throws `rate_limited` for a long response when the user has too many.
 */
export function createSender(isCors: (request: Request) => boolean) {
  const compress = createCompression()
  const downloads = createDownloads()

  return (
    request: Request,
    set: ResponseSet,
    returned: unknown,
    userId: UserId | undefined,
  ): Response | Promise<Response> | undefined => {
    const followed =
      userId !== undefined && returned instanceof TextResponse && returned.whole === undefined
        ? downloads.follow(request, userId, returned)
        : undefined
    const value = followed ?? returned
    const json = isJson(value) ? JSON.stringify(value) : undefined
    const compressed = compress(request, set, json ?? value)
    if (!compressed && json !== undefined && set.status === 200) {
      const init = isCors(request) ? CORS_JSON_INIT : JSON_INIT
      // By far the most frequent: a handler that has set nothing.
      if (isEmpty(set.headers)) return new Response(json, init)
      const headers = new Headers(init.headers)
      for (const name in set.headers) headers.set(name, String(set.headers[name]))
      // Elysia would copy the response in order to add them again.
      set.headers = {}
      return new Response(json, { headers })
    }
    addStandardHeaders(set, isCors(request))
    return compressed ?? followed
  }
}

function isJson(value: unknown): boolean {
  return value === null || Array.isArray(value) || value?.constructor === Object
}

function isEmpty(headers: Readonly<Record<string, unknown>>): boolean {
  for (const _name in headers) return false
  return true
}
