import type { DirectoryKeeper } from './directory-keeper.ts'
import type { DirectoryStore } from './directory-ports.ts'
import { invalid } from './errors.ts'
import type { ExternalAnswer, ExternalDirectory } from './external-directory.ts'
import { bareAddress } from './external-podcast.ts'
import type { Asker } from './feed-on-demand.ts'
import type { PodcastObject } from './podcast.ts'
import type { PodcastLookup } from './podcast-lookup.ts'
import { queryWords } from './search-words.ts'

export interface Search {
  /** Podcasts of this server, best first; an address of a feed finds that. Throws `validation_failed` for a blank query. */
  local(query: string, asker: Asker): Promise<PodcastObject[]>
  /**
   * Both at the same time; what the external directory has and this server as well is left out there. Throws `validation_failed`,
   * `rate_limited`.
   */
  everywhere(query: string, asker: Asker): Promise<{ local: PodcastObject[]; external: ExternalAnswer }>
}

export interface SearchParts {
  readonly store: DirectoryStore
  readonly keeper: DirectoryKeeper
  readonly lookup: PodcastLookup
  readonly external: ExternalDirectory
}

const RESULTS = 20

export function createSearch({ store, keeper, lookup, external }: SearchParts): Search {
  async function local(query: string, asker: Asker): Promise<PodcastObject[]> {
    const text = query.trim()
    if (text === '') throw invalid('q', 'q is required')
    if (isFeedAddress(text)) {
      const podcast = await lookup.findPodcast(text, asker)
      return podcast ? [podcast] : []
    }
    await keeper.catchUp()
    const words = queryWords(text)
    return words.length === 0 ? [] : store.search({ text, words }, asker.userId, RESULTS)
  }

  async function withoutKnown(answer: ExternalAnswer, asker: Asker): Promise<ExternalAnswer> {
    const spellings = answer.podcasts.map(({ url }) => spellingsOf(url))
    const known = await store.findListed(spellings.flat(), asker.userId)
    const podcasts = answer.podcasts.filter((_, index) => !spellings[index]?.some((url) => known.has(url)))
    return { ...answer, podcasts }
  }

  return {
    local,
    async everywhere(query, asker) {
      const [found, answer] = await Promise.all([local(query, asker), external.search(query, asker.address)])
      return { local: found, external: await withoutKnown(answer, asker) }
    },
  }
}

/** Whether a query asks for one feed, which is fetched if need be. */
export function isFeedAddress(query: string): boolean {
  return /^\s*https?:\/\//i.test(query)
}

function spellingsOf(url: string): string[] {
  const bare = bareAddress(url)
  return ['http://', 'https://', 'http://www.', 'https://www.'].flatMap((start) => [start + bare, `${start}${bare}/`])
}
