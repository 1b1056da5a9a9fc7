import type { Principal } from '../../domain/accounts/authentication.ts'

/** Public responses may be kept for a while (docs/protocol.md#D4). */
const FOR_ALL = 'public, max-age=300'

/** `Cross-Origin-Resource-Policy` of what is not public: no page of another origin may load it as script or picture. */
export const OWN_PAGES_ONLY = 'same-origin'
/** `Cross-Origin-Resource-Policy` of what is public, which JSONP is made for. */
export const ALL_PAGES = 'cross-origin'

// Nothing here needs them, whatever a script might want.
const PERMISSIONS = { 'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()' }
// A window that a page of another origin has opened is no window of that page any more.
const WITH_OPENER_POLICY = { ...PERMISSIONS, 'cross-origin-opener-policy': 'same-origin' }

/** Headers of pages. Over plain HTTP browsers complain about the opener policy in their console. */
export function pageHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return isHttps ? WITH_OPENER_POLICY : PERMISSIONS
}

interface ResponseHeaders {
  headers: Record<string, string | number>
}

export interface ResponseSet extends ResponseHeaders {
  status?: number | string
}

/** Lets pages of all sites load the response, which must be the same for everybody. To be called when there is one. */
export function markPublic(set: ResponseHeaders): void {
  set.headers['cross-origin-resource-policy'] = ALL_PAGES
}

export function isPublic(set: ResponseHeaders): boolean {
  return set.headers['cross-origin-resource-policy'] === ALL_PAGES
}

export function allowCaching(set: ResponseHeaders): void {
  markPublic(set)
  set.headers['cache-control'] = FOR_ALL
  // Each may be compressed.
  set.headers['vary'] = 'Accept-Encoding'
}

/** Allows caching only for anonymous clients: what users are told in addition is for them alone. */
export function allowCachingFor(principal: Principal | undefined, set: ResponseHeaders): void {
  if (!principal) allowCaching(set)
  set.headers['vary'] = 'Authorization, Cookie, Accept-Encoding'
}

/** Whether an `If-None-Match` header names `etag`, with its quotation marks: the client has it (RFC 9110, 13.1.2). */
export function hasTag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((part) => {
    const given = part.trim()
    return given === '*' || given.replace(/^W\//, '') === etag
  })
}

/** Whether the client has the response (RFC 9110, 13.2.2), by tag or else by date in Unix seconds. */
export function isNotModified({ headers }: Request, etag: string, modifiedAt: number): boolean {
  const tags = headers.get('if-none-match')
  if (tags !== null) return hasTag(tags, etag)
  const since = headers.get('if-modified-since')
  return since !== null && Date.parse(since) >= modifiedAt * 1000
}
