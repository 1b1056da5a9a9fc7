/** The public address of the server, taken apart once. `path` is empty or starts with a slash; neither part ends with one. */
export interface BaseUrl {
  /** `origin` and `path` joined: what links are built on. */
  readonly href: string
  readonly origin: string
  readonly path: string
}

/** Reads an absolute http(s) address that holds neither query, fragment nor user name; undefined for anything else. */
export function readHttpUrl(text: string): URL | undefined {
  // The URL parser forgives much ("https:host", backslashes, blanks); a setting should say what it means.
  if (!/^https?:\/\/[^\s\\?#]+$/i.test(text) || !URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.username === '' && url.password === '' ? url : undefined
}

export function readBaseUrl(text: string): BaseUrl | undefined {
  const url = readHttpUrl(text)
  if (url === undefined) return undefined
  const path = url.pathname.replace(/\/+$/, '')
  if (path.includes('//')) return undefined
  return Object.freeze({ href: url.origin + path, origin: url.origin, path })
}
