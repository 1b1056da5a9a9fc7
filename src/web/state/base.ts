/** The sub-path the server lives under, '' at the root. */
export const BASE = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** The address of a page of ours, for links. */
export function href(path: string): string {
  return BASE + path
}
