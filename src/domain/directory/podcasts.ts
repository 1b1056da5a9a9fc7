import type { Clock } from '../../platform/clock.ts'
import { failureOf } from '../feeds/feed-updater.ts'
import type { FeedOnDemand, LookupPrincipal } from '../feeds/on-demand.ts'
import type { Feeds, RefreshedPodcast } from '../feeds/refresh.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { timeOf } from '../sync/cursors.ts'
import type { DeviceOfPodcast, MyPodcastsStore, SubscribedPodcast } from './ports/my-podcasts.ts'
import type {
  DetailedEpisode,
  EpisodeObject,
  OwnEpisodeFilter,
  OwnEpisodes,
  OwnPodcast,
  PodcastDetails,
  PodcastStore,
  StoredPodcast,
} from './ports/podcasts.ts'
import { isSecretUrl } from './privacy.ts'

export interface EpisodePage {
  readonly url: string
  readonly total: number
  readonly episodes: readonly EpisodeObject[]
}

/** Seconds after which a lookup fetches a podcast without subscribers again, since no schedule refreshes it. */
const STALE_SECONDS = 24 * 3600

export type Podcasts = ReturnType<typeof createPodcasts>

/** Looks up single podcasts, fetching if necessary (docs/protocol.md#D50, D51). Only users get detailed errors. */
export function createPodcasts(parts: {
  readonly store: PodcastStore
  readonly onDemand: FeedOnDemand
  readonly mayFetch: 'anyone' | 'users' | 'off'
  readonly keptEpisodes: number
  readonly clock: Clock
}) {
  const { store, onDemand, mayFetch, keptEpisodes, clock } = parts
  async function find(url: string, lookupPrincipal: LookupPrincipal): Promise<StoredPodcast | undefined> {
    const stored = await store.find(url, lookupPrincipal.userId)
    if (stored?.isHidden) throw unknownPodcast()
    return stored
  }

  function mayAsk({ userId }: LookupPrincipal): boolean {
    return mayFetch === 'anyone' || (mayFetch === 'users' && userId !== undefined)
  }

  function shouldRefresh(
    { isFetched, isWanted, checkedAt = 0 }: StoredPodcast,
    lookupPrincipal: LookupPrincipal,
  ): boolean {
    const isLeftAlone = !isWanted && Math.abs(clock.seconds() - checkedAt) > STALE_SECONDS
    return !isFetched || (isLeftAlone && mayAsk(lookupPrincipal))
  }

  async function tryRefresh(
    stored: StoredPodcast,
    url: string,
    lookupPrincipal: LookupPrincipal,
  ): Promise<StoredPodcast> {
    try {
      await onDemand.obtain(url, lookupPrincipal)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return stored
    }
    return (await find(url, lookupPrincipal)) ?? stored
  }

  async function fetchNew(url: string, lookupPrincipal: LookupPrincipal): Promise<StoredPodcast> {
    if (!mayAsk(lookupPrincipal) || isSecretUrl(url)) throw unknownPodcast()
    const answer = await onDemand.obtain(url, lookupPrincipal)
    if (answer.kind === 'failed') throw lookupPrincipal.userId === undefined ? unknownPodcast() : failureOf(answer)
    const stored = await find(url, lookupPrincipal)
    if (!stored) throw unknownPodcast()
    return stored
  }

  function withhold(url: string, lookupPrincipal: LookupPrincipal): never {
    if (mayAsk(lookupPrincipal) && !isSecretUrl(url)) onDemand.withhold(url, lookupPrincipal)
    throw unknownPodcast()
  }

  async function resolve(rawUrl: string, field: string, lookupPrincipal: LookupPrincipal): Promise<StoredPodcast> {
    const url = parseUrl(rawUrl, field)
    const stored = await store.find(url, lookupPrincipal.userId)
    if (stored?.isHidden) return withhold(url, lookupPrincipal)
    if (!stored) return fetchNew(url, lookupPrincipal)
    return shouldRefresh(stored, lookupPrincipal) ? tryRefresh(stored, url, lookupPrincipal) : stored
  }

  async function get(rawUrl: string, lookupPrincipal: LookupPrincipal): Promise<StoredPodcast> {
    const url = parseUrl(rawUrl, 'url')
    const stored = await find(url, lookupPrincipal)
    if (!stored) throw unknownPodcast()
    return stored
  }

  const podcast = async (url: string, lookupPrincipal: LookupPrincipal) =>
    (await resolve(url, 'url', lookupPrincipal)).podcast

  return {
    podcast,
    get,

    async episodePicture({ id }: StoredPodcast, episodeUrl: string): Promise<string> {
      const imageUrl = await store.episodePicture(id, parseUrl(episodeUrl, 'episode'))
      if (imageUrl === undefined) throw unknownEpisode()
      return imageUrl
    },

    /** Returns an episode of a podcast that `get` has returned. Throws `unknown_episode`. */
    async getEpisode({ id }: StoredPodcast, episodeUrl: string): Promise<DetailedEpisode> {
      const episode = await store.episode(id, parseUrl(episodeUrl, 'episode'))
      if (!episode) throw unknownEpisode()
      return episode
    },

    async detailed(url: string, lookupPrincipal: LookupPrincipal): Promise<PodcastObject & PodcastDetails> {
      const { id, podcast } = await resolve(url, 'url', lookupPrincipal)
      return { ...podcast, ...(await store.details(id)) }
    },

    async findPodcast(url: string, lookupPrincipal: LookupPrincipal): Promise<PodcastObject | undefined> {
      try {
        return await podcast(url, lookupPrincipal)
      } catch (error) {
        if (error instanceof DomainError) return undefined
        throw error
      }
    },

    /** Throws `unknown_episode`, and as `podcast` does. */
    async episode(
      podcastUrl: string,
      episodeUrl: string,
      lookupPrincipal: LookupPrincipal,
      field = 'url',
    ): Promise<DetailedEpisode> {
      if (isBlank(podcastUrl) && isBlank(episodeUrl)) throw invalid('podcast', `podcast and ${field} are required`)
      const url = parseUrl(episodeUrl, field)
      const { id } = await resolve(podcastUrl, 'podcast', lookupPrincipal)
      const episode = await store.episode(id, url)
      if (!episode) throw unknownEpisode()
      return episode
    },

    async episodes(
      podcastUrl: string,
      { page, perPage }: { page: number; perPage: number },
      lookupPrincipal: LookupPrincipal,
    ): Promise<EpisodePage> {
      const { id, podcast } = await resolve(podcastUrl, 'url', lookupPrincipal)
      return { url: podcast.url, ...(await store.episodes(id, { offset: page * perPage, limit: perPage })) }
    },

    async ownEpisodes(
      userId: UserId,
      podcastUrl: string,
      filter: OwnEpisodeFilter,
      { page, perPage }: { page: number; perPage: number },
      lookupPrincipal: LookupPrincipal,
    ): Promise<OwnEpisodes & { readonly url: string; readonly max: number }> {
      const { id, podcast } = await resolve(podcastUrl, 'url', lookupPrincipal)
      const found = await store.ownEpisodes(userId, id, filter, { offset: page * perPage, limit: perPage })
      return { url: podcast.url, max: keptEpisodes, ...found }
    },
  }
}

function unknownPodcast(): DomainError {
  return new DomainError('unknown_podcast', 'the server knows no such podcast')
}

function unknownEpisode(): DomainError {
  return new DomainError('unknown_episode', 'the podcast has no such episode')
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

function parseUrl(text: string, field: string): string {
  if (isBlank(text)) throw invalid(field, `${field} is required`)
  const url = sanitizeUrl(text)
  if (url === undefined) throw invalid(field, `${field} must be an http or https address`)
  return url
}

export type Dated<T> = T & { readonly addedAt: number | undefined }

export function createMyPodcasts(parts: {
  readonly store: MyPodcastsStore
  readonly feeds: Pick<Feeds, 'refresh'>
  readonly ofUser: RateLimit
  readonly ofFeed: RateLimit
  readonly clock: Clock
}) {
  const { store, feeds, ofUser, ofFeed, clock } = parts
  function withDate<T extends OwnPodcast>(podcast: T): Dated<T> {
    const { addedSeq } = podcast
    return { ...podcast, addedAt: addedSeq === undefined ? undefined : timeOf(addedSeq, clock.seconds()) }
  }

  /** Throws `validation_failed`, and `unknown_podcast` if the user was never subscribed to it. */
  async function find(userId: UserId, rawUrl: string) {
    if (rawUrl.trim() === '') throw invalid('url', 'url is required')
    const url = sanitizeUrl(rawUrl)
    if (url === undefined) throw invalid('url', 'url must be an http or https address')
    const podcast = await store.find(userId, url)
    if (!podcast) throw new DomainError('unknown_podcast', 'you have never had this podcast')
    return withDate<OwnPodcast & { readonly devices: DeviceOfPodcast[] }>(podcast)
  }

  return {
    find,

    async list(userId: UserId, onlyNew?: boolean): Promise<Dated<SubscribedPodcast>[]> {
      return (await store.list(userId, onlyNew)).map((podcast) => withDate(podcast))
    },

    /** Fetches the feed now. Throws `rate_limited`, and as `find` and `Feeds.refresh` do. */
    async refresh(userId: UserId, rawUrl: string): Promise<RefreshedPodcast> {
      const { url, devices } = await find(userId, rawUrl)
      if (!devices.some(({ isSubscribed }) => isSubscribed))
        throw new DomainError('unknown_podcast', 'none of your devices has this podcast')
      ofUser.take(String(userId))
      ofFeed.take(url)
      return feeds.refresh(url)
    },
  }
}
