import type { Caller } from '../domain/authentication.ts'

/** Public answers may be kept for a while (protocol.md D4). */
const FOR_ALL = 'public, max-age=300'

interface ResponseHeaders {
  headers: Record<string, string | number>
}

/** Lets clients and proxies keep the answer. To be called when there is one: refusals are not kept. */
export function allowCaching(set: ResponseHeaders): void {
  set.headers['cache-control'] = FOR_ALL
}

/** As `allowCaching`, for what people with an account are told more of: that is for nobody else. */
export function allowCachingFor(visitor: Caller | undefined, set: ResponseHeaders): void {
  set.headers['vary'] = 'Authorization, Cookie'
  if (!visitor) allowCaching(set)
}
