import type { LookupPrincipal } from '../feeds/on-demand.ts'
import { invalid } from '../shared/errors.ts'
import type { UserId } from '../shared/ids.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import { slugOf } from '../shared/text.ts'
import { bareAddress, type ExternalAnswer, type ExternalDirectory } from './external.ts'
import type { Podcasts } from './podcasts.ts'
import type { DirectoryStore, RankedPodcast, Suggestion, Tag } from './ports/directory.ts'
import type { OwnHits, OwnSearchStore } from './ports/own-search.ts'
import { queryWords } from './words.ts'

/** docs/protocol.md#directory and #suggestions. Private podcasts are omitted, even for their subscribers (D56). */
export function createDirectory(store: DirectoryStore) {
  return {
    toplist: (count: number): Promise<RankedPodcast[]> => store.toplist(count),
    tags: (count: number): Promise<Tag[]> => store.tags(count),
    podcastsOfTag: (tag: string, count: number): Promise<PodcastObject[]> => store.podcastsOfTag(slugOf(tag), count),
    suggestions: (userId: UserId, count: number): Promise<Suggestion[]> => store.suggestions(userId, count),
  }
}

const RESULTS = 20

export function createSearch(parts: {
  readonly store: DirectoryStore
  readonly lookup: Podcasts
  readonly external: ExternalDirectory
}) {
  const { store, lookup, external } = parts
  async function local(query: string, lookupPrincipal: LookupPrincipal): Promise<PodcastObject[]> {
    const text = query.trim()
    if (text === '') throw invalid('q', 'q is required')
    if (isFeedAddress(text)) {
      const podcast = await lookup.findPodcast(text, lookupPrincipal)
      return podcast ? [podcast] : []
    }
    const words = queryWords(text)
    return words.length === 0 ? [] : store.search({ text, words }, lookupPrincipal.userId, RESULTS)
  }

  async function withoutKnown(answer: ExternalAnswer, lookupPrincipal: LookupPrincipal): Promise<ExternalAnswer> {
    const spellings = answer.podcasts.map(({ url }) => spellingsOf(url))
    const listed = await store.findListed(spellings.flat(), lookupPrincipal.userId)
    const podcasts = answer.podcasts.filter((_, index) => !spellings[index]?.some((url) => listed.has(url)))
    return { ...answer, podcasts }
  }

  return {
    /** Searches this server, best match first, or looks up a feed URL. Throws `validation_failed` for a blank query. */
    local,
    /** Searches here and in the external directory, without duplicates. Throws `validation_failed`, `rate_limited`. */
    async everywhere(
      query: string,
      lookupPrincipal: LookupPrincipal,
    ): Promise<{ local: PodcastObject[]; external: ExternalAnswer }> {
      const [found, answer] = await Promise.all([
        local(query, lookupPrincipal),
        external.search(query, lookupPrincipal.address),
      ])
      return { local: found, external: await withoutKnown(answer, lookupPrincipal) }
    },
  }
}

const OWN_RESULTS = { podcasts: 20, episodes: 50, history: 20 }
const NO_HITS: OwnHits = { podcasts: [], episodes: [], history: [] }

/** Search in the user's podcasts, episodes and history (docs/protocol.md#D115). */
export function createOwnSearch(store: OwnSearchStore) {
  return {
    /** Throws `validation_failed` for a blank query. */
    async find(userId: UserId, query: string): Promise<OwnHits> {
      const text = query.trim()
      if (text === '') throw invalid('q', 'q is required')
      const words = queryWords(text)
      return words.length === 0 ? NO_HITS : store.find(userId, { text, words }, OWN_RESULTS)
    },
  }
}

export function isFeedAddress(query: string): boolean {
  return /^\s*https?:\/\//i.test(query)
}

function spellingsOf(url: string): string[] {
  const bare = bareAddress(url)
  return ['http://', 'https://', 'http://www.', 'https://www.'].flatMap((start) => [start + bare, `${start}${bare}/`])
}
