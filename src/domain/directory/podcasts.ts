import type { Clock } from '../../platform/clock.ts'
import { failureOf } from '../feeds/feed-updater.ts'
import type { FeedOnDemand, LookupPrincipal } from '../feeds/on-demand.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import type { DetailedEpisode, EpisodeObject, PodcastDetails, PodcastStore, StoredPodcast } from './ports.ts'
import { isSecretUrl } from './privacy.ts'

export interface EpisodePage {
  /** The feed's, as it is stored. */
  readonly url: string
  readonly total: number
  readonly episodes: readonly EpisodeObject[]
}

/**
 * What the server knows of one podcast, asking its feed if need be (docs/protocol.md#D50, D51). All methods throw `validation_failed` for what
 * is no address, `unknown_podcast` for what is not to be had or not for this person, and `rate_limited`; people with an account are told
 * more: `feed_forbidden`, `feed_unreachable`, `feed_invalid`.
 */
export interface Podcasts {
  podcast(url: string, lookupPrincipal: LookupPrincipal): Promise<PodcastObject>
  /** As `podcast`, with all that its page shows. */
  detailed(url: string, lookupPrincipal: LookupPrincipal): Promise<PodcastObject & PodcastDetails>
  /** What is stored: asks no feed. */
  known(url: string, lookupPrincipal: LookupPrincipal): Promise<StoredPodcast>
  /** As `podcast`, but undefined instead of refusing. */
  findPodcast(url: string, lookupPrincipal: LookupPrincipal): Promise<PodcastObject | undefined>
  /** Throws `unknown_episode` as well. */
  episode(podcastUrl: string, url: string, lookupPrincipal: LookupPrincipal): Promise<DetailedEpisode>
  /** Newest first; `page` counts from 0. */
  episodes(url: string, page: { page: number; perPage: number }, lookupPrincipal: LookupPrincipal): Promise<EpisodePage>
}

export interface PodcastsParts {
  readonly store: PodcastStore
  readonly onDemand: FeedOnDemand
  /** Who may have a feed fetched that nobody here has. */
  readonly mayFetch: 'anyone' | 'users' | 'off'
  readonly clock: Clock
}

/** Seconds after which a podcast that nobody has now, so that no loop refreshes it, is asked for anew. */
const STALE = 24 * 3600

export function createPodcasts({ store, onDemand, mayFetch, clock }: PodcastsParts): Podcasts {
  async function find(url: string, lookupPrincipal: LookupPrincipal): Promise<StoredPodcast | undefined> {
    const entry = await store.find(url, lookupPrincipal.userId)
    if (entry?.isHidden) throw unknownPodcast()
    return entry
  }

  function mayAsk({ userId }: LookupPrincipal): boolean {
    return mayFetch === 'anyone' || (mayFetch === 'users' && userId !== undefined)
  }

  function isWanting({ isFetched, podcast, checkedAt = 0 }: StoredPodcast, lookupPrincipal: LookupPrincipal): boolean {
    const isLeftAlone = podcast.subscribers === 0 && Math.abs(clock.seconds() - checkedAt) > STALE
    return !isFetched || (isLeftAlone && mayAsk(lookupPrincipal))
  }

  /** What is known stays as it is when there is no more to be had. */
  async function refreshed(
    entry: StoredPodcast,
    url: string,
    lookupPrincipal: LookupPrincipal,
  ): Promise<StoredPodcast> {
    try {
      await onDemand.obtain(url, lookupPrincipal)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return entry
    }
    return (await find(url, lookupPrincipal)) ?? entry
  }

  async function fetched(url: string, lookupPrincipal: LookupPrincipal): Promise<StoredPodcast> {
    if (!mayAsk(lookupPrincipal) || isSecretUrl(url)) throw unknownPodcast()
    const answer = await onDemand.obtain(url, lookupPrincipal)
    // Anonymous clients do not learn from us what there is in our network.
    if (answer.kind === 'failed') throw lookupPrincipal.userId === undefined ? unknownPodcast() : failureOf(answer)
    const entry = await find(url, lookupPrincipal)
    if (!entry) throw unknownPodcast()
    return entry
  }

  /** As for a feed that nobody here has and that cannot be had. */
  function withheld(url: string, lookupPrincipal: LookupPrincipal): never {
    if (mayAsk(lookupPrincipal) && !isSecretUrl(url)) onDemand.withhold(url, lookupPrincipal)
    throw unknownPodcast()
  }

  async function resolve(given: string, field: string, lookupPrincipal: LookupPrincipal): Promise<StoredPodcast> {
    const url = parseUrl(given, field)
    const entry = await store.find(url, lookupPrincipal.userId)
    if (entry?.isHidden) return withheld(url, lookupPrincipal)
    if (!entry) return fetched(url, lookupPrincipal)
    return isWanting(entry, lookupPrincipal) ? refreshed(entry, url, lookupPrincipal) : entry
  }

  async function known(given: string, lookupPrincipal: LookupPrincipal): Promise<StoredPodcast> {
    const url = parseUrl(given, 'url')
    const entry = await find(url, lookupPrincipal)
    if (!entry) throw unknownPodcast()
    return entry
  }

  const podcast = async (url: string, lookupPrincipal: LookupPrincipal) =>
    (await resolve(url, 'url', lookupPrincipal)).podcast

  return {
    podcast,
    known,

    async detailed(url, lookupPrincipal) {
      const { id, podcast } = await resolve(url, 'url', lookupPrincipal)
      return { ...podcast, ...(await store.details(id)) }
    },

    async findPodcast(url, lookupPrincipal) {
      try {
        return await podcast(url, lookupPrincipal)
      } catch (error) {
        if (error instanceof DomainError) return undefined
        throw error
      }
    },

    async episode(podcastUrl, given, lookupPrincipal) {
      if (isBlank(podcastUrl) && isBlank(given)) throw invalid('podcast', 'podcast and url are required')
      const url = parseUrl(given, 'url')
      const { id } = await resolve(podcastUrl, 'podcast', lookupPrincipal)
      const episode = await store.episode(id, url)
      if (!episode) throw new DomainError('unknown_episode', 'the podcast has no such episode')
      return episode
    },

    async episodes(given, { page, perPage }, lookupPrincipal) {
      const { id, podcast } = await resolve(given, 'url', lookupPrincipal)
      return { url: podcast.url, ...(await store.episodes(id, { offset: page * perPage, limit: perPage })) }
    },
  }
}

/** The one answer for everything that an anonymous client is not to know. */
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
