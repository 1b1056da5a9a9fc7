import type { Principal } from '../../domain/accounts/authentication.ts'

/** `Cache-Control` of public responses (docs/protocol.md#D4). */
const FOR_ALL = 'public, max-age=300'

/** `Cross-Origin-Resource-Policy` of private responses: pages of other origins may not load them as script or image. */
export const OWN_PAGES_ONLY = 'same-origin'
/** `Cross-Origin-Resource-Policy` of public responses, which JSONP requires. */
export const ALL_PAGES = 'cross-origin'

// podstep uses none of these features, so no script may.
const PERMISSIONS = { 'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()' }
// A page of another origin that opens podstep in a window gets no access to that window.
const WITH_OPENER_POLICY = { ...PERMISSIONS, 'cross-origin-opener-policy': 'same-origin' }

/** Headers of pages. Over plain HTTP, the opener policy would only cause warnings in the browser console. */
export function pageHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return isHttps ? WITH_OPENER_POLICY : PERMISSIONS
}

interface ResponseHeaders {
  headers: Record<string, string | number>
}

export interface ResponseSet extends ResponseHeaders {
  status?: number | string
}

/** Lets pages of all sites load the response, which must not depend on the user. Call it once there is a response. */
export function markPublic(set: ResponseHeaders): void {
  set.headers['cross-origin-resource-policy'] = ALL_PAGES
}

export function isPublic(set: ResponseHeaders): boolean {
  return set.headers['cross-origin-resource-policy'] === ALL_PAGES
}

export function allowCaching(set: ResponseHeaders): void {
  markPublic(set)
  set.headers['cache-control'] = FOR_ALL
  // Any response may be compressed.
  set.headers['vary'] = 'Accept-Encoding'
}

/** Allows caching only for anonymous clients: responses to users contain private data. */
export function allowCachingFor(principal: Principal | undefined, set: ResponseHeaders): void {
  if (!principal) allowCaching(set)
  set.headers['vary'] = 'Authorization, Cookie, Accept-Encoding'
}

/** Whether an `If-None-Match` header contains `etag`, given with quotation marks (RFC 9110, 13.1.2). */
export function hasTag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((part) => {
    const tag = part.trim()
    return tag === '*' || tag.replace(/^W\//, '') === etag
  })
}

/** Whether the client's copy is current, by ETag or else by `modifiedAt` in Unix seconds (RFC 9110, 13.2.2). */
export function isNotModified({ headers }: Request, etag: string, modifiedAt: number): boolean {
  const tags = headers.get('if-none-match')
  if (tags !== null) return hasTag(tags, etag)
  const since = headers.get('if-modified-since')
  return since !== null && Date.parse(since) >= modifiedAt * 1000
}
