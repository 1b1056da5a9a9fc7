/**
 * `mygpo_link` (protocol.md 3.1): the page about a podcast on this server. `base` is the public base URL without
 * trailing slash.
 */
export function podcastLink(base: string, url: string): string {
  return `${base}/podcast?url=${encode(url)}`
}

/** The same of an episode (protocol.md 3.2). */
export function episodeLink(base: string, podcastUrl: string, url: string): string {
  return `${base}/episode?podcast=${encode(podcastUrl)}&url=${encode(url)}`
}

function encode(url: string): string {
  return encodeURIComponent(url.toWellFormed())
}
