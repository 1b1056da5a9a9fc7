/**
 * `mygpo_link` (protocol.md 3.1): the page about a podcast on this server. `base` is the public base URL without
 * trailing slash.
 */
export function podcastLink(base: string, url: string): string {
  return `${base}/podcast?url=${encodeURIComponent(url.toWellFormed())}`
}
