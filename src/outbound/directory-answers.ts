import { bareAddress, DirectoryFailure, type ExternalPodcast } from '../domain/directory/external.ts'
import { sanitizeUrl } from '../domain/shared/feed-url.ts'
import { htmlToText } from '../platform/html-text.ts'
import { isRecord } from '../platform/unknown.ts'
import { FetchFailure } from './fetch-failure.ts'
import type { Fetched, GuardedFetch } from './guarded-fetch.ts'

/* What adapters of podcast directories have in common: asking within limits, and reading podcasts from JSON. */

export interface Json {
  readonly [key: string]: unknown
}

const TOTAL_MS = 5000
const BYTES_MAX = 4 * 1024 * 1024

const HTML_MAX = 16 * 1024

/** Rejects with `DirectoryFailure`. */
export async function askDirectory(
  fetcher: GuardedFetch,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Fetched> {
  try {
    return await fetcher.fetch({
      ...{ url, headers },
      limits: { totalMs: TOTAL_MS, answerMs: TOTAL_MS, maxBytes: BYTES_MAX },
      mayReachPrivate: true,
    })
  } catch (error) {
    if (error instanceof FetchFailure) throw new DirectoryFailure('network', error.message, error)
    throw error
  }
}

/** Throws `DirectoryFailure`. */
export function parseAnswer(body: Uint8Array): Json {
  try {
    const answer: unknown = JSON.parse(new TextDecoder().decode(body))
    if (isRecord(answer)) return answer
  } catch {
    // Invalid JSON is reported below, like JSON of the wrong type.
  }
  throw unreadable()
}

export function unreadable(): DirectoryFailure {
  return new DirectoryFailure('answer', 'the response of the directory is invalid')
}

/** Names of a directory's members for the properties of a podcast. */
export interface PodcastKeys {
  readonly url: string
  readonly title: string
  readonly author: string
  readonly logos: readonly string[]
  readonly description?: string
  readonly language?: string
}

/** Podcasts of a list, each once. Entries without a usable address are left out (docs/protocol.md#D79). */
export function podcastsIn(list: readonly unknown[], keys: PodcastKeys, source: string, max: number) {
  const podcasts = new Map<string, ExternalPodcast>()
  for (const entry of list) {
    const url = isRecord(entry) ? sanitizeUrl(textOf(entry, keys.url)) : undefined
    if (podcasts.size >= max) break
    if (!isRecord(entry) || url === undefined || podcasts.has(bareAddress(url))) continue
    podcasts.set(bareAddress(url), {
      ...{ url, source, title: textOf(entry, keys.title), author: textOf(entry, keys.author) },
      description: htmlToText(textOf(entry, keys.description).slice(0, HTML_MAX)),
      logoUrl: keys.logos.map((key) => webAddress(textOf(entry, key))).find((logo) => logo !== '') ?? '',
      language: textOf(entry, keys.language).toLowerCase(),
    })
  }
  return [...podcasts.values()]
}

function textOf(node: Json, key: string | undefined): string {
  const value = key === undefined ? undefined : node[key]
  return typeof value === 'string' ? value.trim() : ''
}

function webAddress(text: string): string {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : ''
}
