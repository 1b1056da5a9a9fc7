import {
  bareAddress,
  DirectoryFailure,
  type ExternalPodcast,
  type PodcastDirectory,
} from '../domain/directory/external.ts'
import { sanitizeUrl } from '../domain/shared/feed-url.ts'
import type { Clock } from '../platform/clock.ts'
import { sha1Hex } from '../platform/crypto.ts'
import { htmlToText } from '../platform/html-text.ts'
import type { Secret } from '../platform/secret.ts'
import { isRecord } from '../platform/unknown.ts'
import { FetchFailure } from './fetch-failure.ts'
import type { Fetched, GuardedFetch } from './guarded-fetch.ts'

const SOURCE = 'podcastindex'
const TOTAL_MS = 5000
const BYTES_MAX = 4 * 1024 * 1024

const HTML_MAX = 16 * 1024
const REASON_MAX = 200

interface Json {
  readonly [key: string]: unknown
  readonly status?: unknown
  readonly feeds?: unknown
  readonly feed?: unknown
  readonly description?: unknown
}

export function createPodcastIndex(parts: {
  readonly fetcher: GuardedFetch
  readonly baseUrl: string
  readonly key: Secret
  readonly secret: Secret
  readonly clock: Clock
}): PodcastDirectory {
  const { fetcher, baseUrl, key, secret, clock } = parts
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
    refuseStatus(status)
    return take(feedsOf(parse(body)), max)
  }

  function refuseStatus(status: number): void {
    if (status === 401 || status === 403)
      throw new DirectoryFailure(
        'credentials',
        `the directory rejects directory_key and directory_secret (${status}); they are wrong, or the clock of this machine is`,
      )
    if (status !== 200) throw new DirectoryFailure('answer', `the directory answers ${status}`)
  }

  function feedsOf(answer: Json): readonly unknown[] {
    refuseItself(answer)
    if (!Array.isArray(answer.feeds)) throw unreadable()
    return answer.feeds
  }

  /** Also an answer of 200 may say that it is none. */
  function refuseItself({ status, description }: Json): void {
    if (status === 'false' || status === false)
      throw new DirectoryFailure('answer', `the directory refuses${reasonOf(description)}`)
  }

  function reasonOf(description: unknown): string {
    const isTelling =
      typeof description === 'string' && ![key, secret].some((each) => description.includes(each.reveal()))
    const reason = isTelling
      ? htmlToText(description.slice(0, HTML_MAX)).replaceAll(/\s+/g, ' ').slice(0, REASON_MAX)
      : ''
    return reason && `: ${reason.toWellFormed()}`
  }

  return {
    search: (query, max) => ask('/search/byterm', { q: query, max: String(max) }, max),
    async byAppleId(id) {
      const { status, body } = await fetched('/podcasts/byitunesid', { id })
      // Says that there is none, as a list without anything does in place of the podcast.
      if (status === 400 || status === 404) return []
      refuseStatus(status)
      const answer = parse(body)
      refuseItself(answer)
      return take([answer.feed], 1)
    },
    trending: (language, max) =>
      ask('/podcasts/trending', { max: String(max), ...(language !== undefined && { lang: language }) }, max),
  }
}

function parse(body: Uint8Array): Json {
  try {
    const answer: unknown = JSON.parse(new TextDecoder().decode(body))
    if (isRecord(answer)) return answer
  } catch {
    // What is no JSON is unreadable like JSON of another kind, see below.
  }
  throw unreadable()
}

function unreadable(): DirectoryFailure {
  return new DirectoryFailure('answer', 'the response of the directory cannot be read')
}

function take(feeds: readonly unknown[], max: number): ExternalPodcast[] {
  const podcasts = new Map<string, ExternalPodcast>()
  for (const feed of feeds) {
    const url = isRecord(feed) ? sanitizeUrl(textOf(feed, 'url')) : undefined
    if (podcasts.size >= max) break
    if (!isRecord(feed) || url === undefined || podcasts.has(bareAddress(url))) continue
    podcasts.set(bareAddress(url), toPodcast(feed, url))
  }
  return [...podcasts.values()]
}

function toPodcast(feed: Json, url: string): ExternalPodcast {
  return {
    url,
    title: textOf(feed, 'title'),
    description: htmlToText(textOf(feed, 'description').slice(0, HTML_MAX)),
    author: textOf(feed, 'author'),
    logoUrl: webAddress(textOf(feed, 'image')) || webAddress(textOf(feed, 'artwork')),
    language: textOf(feed, 'language').toLowerCase(),
    source: SOURCE,
  }
}

function textOf(node: Json, key: string): string {
  const value = node[key]
  return typeof value === 'string' ? value.trim() : ''
}

function webAddress(text: string): string {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text : ''
}
