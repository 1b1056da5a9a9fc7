import { DirectoryFailure, type ExternalPodcast, type PodcastDirectory } from '../domain/directory/external.ts'
import type { Clock } from '../platform/clock.ts'
import { sha1Hex } from '../platform/crypto.ts'
import { htmlToText } from '../platform/html-text.ts'
import type { Secret } from '../platform/secret.ts'
import { askDirectory, type Json, type PodcastKeys, parseAnswer, podcastsIn, unreadable } from './directory-answers.ts'
import type { Fetched, GuardedFetch } from './guarded-fetch.ts'

const SOURCE = 'podcastindex'
const KEYS: PodcastKeys = {
  ...{ url: 'url', title: 'title', author: 'author', description: 'description', language: 'language' },
  logos: ['image', 'artwork'],
}

interface Answer extends Json {
  readonly status?: unknown
  readonly feeds?: unknown
  readonly feed?: unknown
  readonly description?: unknown
}

const HTML_MAX = 16 * 1024
const REASON_MAX = 200

export function createPodcastIndex(parts: {
  readonly fetcher: GuardedFetch
  readonly baseUrl: string
  readonly key: Secret
  readonly secret: Secret
  readonly clock: Clock
}): PodcastDirectory {
  const { fetcher, baseUrl, key, secret, clock } = parts
  /** The signature includes the time, so a clock that is minutes off looks like wrong credentials. */
  function headers() {
    const date = String(clock.seconds())
    return {
      'x-auth-key': key.reveal(),
      'x-auth-date': date,
      authorization: sha1Hex(key.reveal() + secret.reveal() + date),
    }
  }

  const fetched = (path: string, query: Readonly<Record<string, string>>): Promise<Fetched> =>
    askDirectory(fetcher, `${baseUrl}${path}?${new URLSearchParams(query)}`, headers())

  async function ask(path: string, query: Readonly<Record<string, string>>, max: number): Promise<ExternalPodcast[]> {
    const { status, body } = await fetched(path, query)
    refuseStatus(status)
    return podcastsIn(feedsOf(parseAnswer(body)), KEYS, SOURCE, max)
  }

  function refuseStatus(status: number): void {
    if (status === 401 || status === 403)
      throw new DirectoryFailure(
        'credentials',
        `the directory rejects directory_key and directory_secret (${status}); they are wrong, or the clock of this machine is`,
      )
    if (status !== 200) throw new DirectoryFailure('answer', `the directory answers ${status}`)
  }

  function feedsOf(answer: Answer): readonly unknown[] {
    refuseItself(answer)
    const { feeds } = answer
    if (!Array.isArray(feeds)) throw unreadable()
    return feeds
  }

  /** Throws `DirectoryFailure` for an error reported with status 200. */
  function refuseItself({ status, description }: Answer): void {
    if (status === 'false' || status === false)
      throw new DirectoryFailure('answer', `the directory rejects the request${reasonOf(description)}`)
  }

  function reasonOf(description: unknown): string {
    const hasReason =
      typeof description === 'string' && ![key, secret].some((each) => description.includes(each.reveal()))
    const reason = hasReason
      ? htmlToText(description.slice(0, HTML_MAX)).replaceAll(/\s+/g, ' ').slice(0, REASON_MAX)
      : ''
    return reason && `: ${reason.toWellFormed()}`
  }

  return {
    search: (query, max) => ask('/search/byterm', { q: query, max: String(max) }, max),
    async byAppleId(id) {
      const { status, body } = await fetched('/podcasts/byitunesid', { id })
      // Unknown podcast, which may also be reported as an empty list in place of the podcast.
      if (status === 400 || status === 404) return []
      refuseStatus(status)
      const answer: Answer = parseAnswer(body)
      refuseItself(answer)
      return podcastsIn([answer.feed], KEYS, SOURCE, 1)
    },
    trending: (language, max) =>
      ask('/podcasts/trending', { max: String(max), ...(language !== undefined && { lang: language }) }, max),
  }
}
