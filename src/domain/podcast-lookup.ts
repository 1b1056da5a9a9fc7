import type { Clock } from '../platform/clock.ts'
import type {
  CatalogueEntry,
  CatalogueStore,
  DetailedEpisode,
  EpisodeObject,
  PodcastDetails,
} from './catalogue-ports.ts'
import type { DirectoryKeeper } from './directory-keeper.ts'
import { DomainError, invalid } from './errors.ts'
import { failureOf } from './feed-failures.ts'
import type { Asker, FeedOnDemand } from './feed-on-demand.ts'
import { sanitizeUrl } from './feed-url.ts'
import type { PodcastObject } from './podcast.ts'
import { isSecretUrl } from './secret-url.ts'

export interface EpisodePage {
  /** The feed's, as it is stored. */
  readonly url: string
  readonly total: number
  readonly episodes: readonly EpisodeObject[]
}

/**
 * What the server knows of one podcast, asking its feed if need be (protocol.md D50, D51). All methods throw `validation_failed` for what
 * is no address, `unknown_podcast` for what is not to be had or not for this person, and `rate_limited`; people with an account are told
 * more: `feed_forbidden`, `feed_unreachable`, `feed_invalid`.
 */
export interface PodcastLookup {
  podcast(url: string, asker: Asker): Promise<PodcastObject>
  /** As `podcast`, with all that its page shows. */
  detailed(url: string, asker: Asker): Promise<PodcastObject & PodcastDetails>
  /** What is stored: asks no feed. */
  known(url: string, asker: Asker): Promise<CatalogueEntry>
  /** As `podcast`, but undefined instead of refusing. */
  findPodcast(url: string, asker: Asker): Promise<PodcastObject | undefined>
  /** Throws `unknown_episode` as well. */
  episode(podcastUrl: string, url: string, asker: Asker): Promise<DetailedEpisode>
  /** Newest first; `page` counts from 0. */
  episodes(url: string, page: { page: number; perPage: number }, asker: Asker): Promise<EpisodePage>
}

export interface PodcastLookupParts {
  readonly store: CatalogueStore
  readonly keeper: DirectoryKeeper
  readonly onDemand: FeedOnDemand
  /** Who may have a feed fetched that nobody here has. */
  readonly mayFetch: 'anyone' | 'users' | 'off'
  readonly clock: Clock
}

/** Seconds after which a podcast that nobody has now, so that no loop refreshes it, is asked for anew. */
const STALE = 24 * 3600

export function createPodcastLookup({ store, keeper, onDemand, mayFetch, clock }: PodcastLookupParts): PodcastLookup {
  async function find(url: string, asker: Asker): Promise<CatalogueEntry | undefined> {
    const entry = await store.find(url, asker.userId)
    if (entry?.isHidden) throw unknownPodcast()
    return entry
  }

  function mayAsk({ userId }: Asker): boolean {
    return mayFetch === 'anyone' || (mayFetch === 'users' && userId !== undefined)
  }

  function isWanting({ isFetched, podcast, checkedAt = 0 }: CatalogueEntry, asker: Asker): boolean {
    const isLeftAlone = podcast.subscribers === 0 && Math.abs(clock.seconds() - checkedAt) > STALE
    return !isFetched || (isLeftAlone && mayAsk(asker))
  }

  /** What is known stays as it is when there is no more to be had. */
  async function refreshed(entry: CatalogueEntry, url: string, asker: Asker): Promise<CatalogueEntry> {
    try {
      await onDemand.obtain(url, asker)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return entry
    }
    return (await find(url, asker)) ?? entry
  }

  async function fetched(url: string, asker: Asker): Promise<CatalogueEntry> {
    if (!mayAsk(asker) || isSecretUrl(url)) throw unknownPodcast()
    const answer = await onDemand.obtain(url, asker)
    // Strangers do not learn from us what there is in our network.
    if (answer.kind === 'failed') throw asker.userId === undefined ? unknownPodcast() : failureOf(answer)
    const entry = await find(url, asker)
    if (!entry) throw unknownPodcast()
    return entry
  }

  /** As for a feed that nobody here has and that cannot be had. */
  function withheld(url: string, asker: Asker): never {
    if (mayAsk(asker) && !isSecretUrl(url)) onDemand.withhold(url, asker)
    throw unknownPodcast()
  }

  async function resolve(given: string, field: string, asker: Asker): Promise<CatalogueEntry> {
    const url = parseUrl(given, field)
    await keeper.catchUp()
    const entry = await store.find(url, asker.userId)
    if (entry?.isHidden) return withheld(url, asker)
    if (!entry) return fetched(url, asker)
    return isWanting(entry, asker) ? refreshed(entry, url, asker) : entry
  }

  async function known(given: string, asker: Asker): Promise<CatalogueEntry> {
    const url = parseUrl(given, 'url')
    await keeper.catchUp()
    const entry = await find(url, asker)
    if (!entry) throw unknownPodcast()
    return entry
  }

  const podcast = async (url: string, asker: Asker) => (await resolve(url, 'url', asker)).podcast

  return {
    podcast,
    known,

    async detailed(url, asker) {
      const { id, podcast } = await resolve(url, 'url', asker)
      return { ...podcast, ...(await store.details(id)) }
    },

    async findPodcast(url, asker) {
      try {
        return await podcast(url, asker)
      } catch (error) {
        if (error instanceof DomainError) return undefined
        throw error
      }
    },

    async episode(podcastUrl, given, asker) {
      if (isBlank(podcastUrl) && isBlank(given)) throw invalid('podcast', 'podcast and url are required')
      const url = parseUrl(given, 'url')
      const { id } = await resolve(podcastUrl, 'podcast', asker)
      const episode = await store.episode(id, url)
      if (!episode) throw new DomainError('unknown_episode', 'the podcast has no such episode')
      return episode
    },

    async episodes(given, { page, perPage }, asker) {
      const { id, podcast } = await resolve(given, 'url', asker)
      return { url: podcast.url, ...(await store.episodes(id, { offset: page * perPage, limit: perPage })) }
    },
  }
}

/** The one answer for whatever a stranger is not to know. */
function unknownPodcast(): DomainError {
  return new DomainError('unknown_podcast', 'the server knows no such podcast')
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

function parseUrl(given: string, field: string): string {
  if (isBlank(given)) throw invalid(field, `${field} is required`)
  const url = sanitizeUrl(given)
  if (url === undefined) throw invalid(field, `${field} must be an http or https address`)
  return url
}
