import { DirectoryFailure, type ExternalPodcast, type PodcastDirectory } from '../domain/external-podcast.ts'
import { sanitizeUrl } from '../domain/feed-url.ts'
import type { Clock } from '../platform/clock.ts'
import { sha1Hex } from '../platform/crypto.ts'
import type { Secret } from '../platform/secret.ts'
import { FetchFailure } from './fetch-failure.ts'
import type { Fetched, GuardedFetch } from './guarded-fetch.ts'

export interface PodcastIndexParts {
  readonly fetcher: GuardedFetch
  /** Without slash at the end. */
  readonly baseUrl: string
  readonly key: Secret
  readonly secret: Secret
  readonly clock: Clock
}

const SOURCE = 'podcastindex'
const TOTAL_MS = 5000
const BYTES_MAX = 4 * 1024 * 1024

type Json = Readonly<Record<string, unknown>>

/** The Podcast Index API 1.0 (protocol.md D79). */
export function createPodcastIndex({ fetcher, baseUrl, key, secret, clock }: PodcastIndexParts): PodcastDirectory {
  /** Signed with the time: a clock that is minutes off looks like wrong credentials. */
  function headers() {
    const date = String(clock.seconds())
    return {
      'x-auth-key': key.reveal(),
      'x-auth-date': date,
      authorization: sha1Hex(key.reveal() + secret.reveal() + date),
    }
  }

  async function fetched(path: string, query: Readonly<Record<string, string>>): Promise<Fetched> {
    try {
      return await fetcher.fetch({
        url: `${baseUrl}${path}?${new URLSearchParams(query)}`,
        headers: headers(),
        limits: { totalMs: TOTAL_MS, answerMs: TOTAL_MS, maxBytes: BYTES_MAX },
        mayReachPrivate: true,
      })
    } catch (error) {
      if (error instanceof FetchFailure) throw new DirectoryFailure('network', error.message, error)
      throw error
    }
  }

  async function ask(path: string, query: Readonly<Record<string, string>>, max: number): Promise<ExternalPodcast[]> {
    const { status, body } = await fetched(path, query)
    if (status === 401 || status === 403)
      throw new DirectoryFailure(
        'credentials',
        `the directory rejects directory_key and directory_secret (${status}); they are wrong, or the clock of this machine is`,
      )
    if (status !== 200) throw new DirectoryFailure('answer', `the directory answers ${status}`)
    const answer = parse(body)
    const feeds: readonly unknown[] = Array.isArray(answer['feeds']) ? answer['feeds'] : []
    return feeds.flatMap((feed) => (isRecord(feed) ? toPodcast(feed) : [])).slice(0, max)
  }

  return {
    search: (query, max) => ask('/search/byterm', { q: query, max: String(max) }, max),
    trending: (language, max) =>
      ask('/podcasts/trending', { max: String(max), ...(language !== undefined && { lang: language }) }, max),
  }
}

function parse(body: Uint8Array): Json {
  try {
    const answer: unknown = JSON.parse(new TextDecoder().decode(body))
    if (isRecord(answer)) return answer
  } catch {
    // Told below.
  }
  throw new DirectoryFailure('answer', 'the answer of the directory cannot be read')
}

function toPodcast(feed: Json): ExternalPodcast[] {
  const url = sanitizeUrl(textOf(feed, 'url'))
  if (url === undefined) return []
  return [
    {
      url,
      title: textOf(feed, 'title') || url,
      description: textOf(feed, 'description'),
      author: textOf(feed, 'author'),
      logoUrl: webAddress(textOf(feed, 'image')) || webAddress(textOf(feed, 'artwork')),
      language: textOf(feed, 'language').toLowerCase(),
      source: SOURCE,
    },
  ]
}

function textOf(node: Json, key: string): string {
  const value = node[key]
  return typeof value === 'string' ? value.trim() : ''
}

function webAddress(text: string): string {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : ''
}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
