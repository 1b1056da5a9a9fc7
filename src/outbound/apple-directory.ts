import { DirectoryFailure, type ExternalPodcast, type PodcastDirectory } from '../domain/directory/external.ts'
import type { RateLimit } from '../domain/shared/rate-limit.ts'
import { isRecord } from '../platform/unknown.ts'
import { askDirectory, type PodcastKeys, parseAnswer, podcastsIn, unreadable } from './directory-answers.ts'
import type { GuardedFetch } from './guarded-fetch.ts'

const KEYS: PodcastKeys = {
  ...{ url: 'feedUrl', title: 'collectionName', author: 'artistName' },
  logos: ['artworkUrl600', 'artworkUrl100'],
}

/** Requests that Apple answers in a minute, for the whole server; it asks for about 20. */
export const APPLE_REQUESTS_PER_MINUTE = 20

const DEFAULT_COUNTRY = 'us'

/** Apple's podcast directory, which needs no key (docs/protocol.md#D116). It has no descriptions or languages. */
export function createAppleDirectory(parts: {
  readonly fetcher: GuardedFetch
  readonly baseUrl: string
  readonly requests: RateLimit
}): PodcastDirectory {
  const { fetcher, baseUrl, requests } = parts

  async function ask(path: string): Promise<unknown> {
    if (!requests.tryTake('apple'))
      throw new DirectoryFailure(
        'answer',
        `Apple answers ${APPLE_REQUESTS_PER_MINUTE} requests a minute, and there were more`,
      )
    const { status, body } = await askDirectory(fetcher, `${baseUrl}${path}`)
    if (status === 403 || status === 429)
      throw new DirectoryFailure('answer', `Apple limits the number of requests (${status})`)
    if (status !== 200) throw new DirectoryFailure('answer', `the directory answers ${status}`)
    return parseAnswer(body)
  }

  async function listed(
    path: string,
    query: Readonly<Record<string, string>>,
    max: number,
  ): Promise<ExternalPodcast[]> {
    const results = memberOf(await ask(`${path}?${new URLSearchParams({ ...query, entity: 'podcast' })}`), 'results')
    if (!Array.isArray(results)) throw unreadable()
    return podcastsIn(results, KEYS, 'apple', max)
  }

  return {
    search: (query, max) => listed('/search', { term: query, media: 'podcast', limit: String(max) }, max),
    byAppleId: (id) => listed('/lookup', { id }, 1),

    /** The charts contain only IDs of podcasts; a second request returns their feed URLs. */
    async trending(language, max) {
      const chart = await ask(`/${countryOf(language)}/rss/toppodcasts/limit=${max}/json`)
      const ids = chartedIds(chart).slice(0, max)
      return ids.length === 0 ? [] : await listed('/lookup', { id: ids.join(',') }, max)
    },
  }
}

/** The country whose charts stand for a language, as Apple writes it: `de` for German, `us` if it is unknown. */
function countryOf(language: string | undefined): string {
  try {
    const region = language === undefined ? undefined : new Intl.Locale(language).maximize().region
    return region && /^[A-Z]{2}$/.test(region) ? region.toLowerCase() : DEFAULT_COUNTRY
  } catch {
    // Not a language.
    return DEFAULT_COUNTRY
  }
}

/** IDs of podcasts in a chart, best first. A chart of one podcast has an object in place of the list. */
function chartedIds(chart: unknown): string[] {
  const entries = memberOf(memberOf(chart, 'feed'), 'entry')
  if (entries === undefined) return []
  return (Array.isArray(entries) ? entries : [entries]).flatMap((entry) => {
    const id = memberOf(memberOf(memberOf(entry, 'id'), 'attributes'), 'im:id')
    return typeof id === 'string' && /^\d{1,20}$/.test(id) ? [id] : []
  })
}

function memberOf(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined
}
