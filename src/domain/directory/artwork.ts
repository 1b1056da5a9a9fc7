import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import { quickHash, sha256 } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import type { Lru } from '../../platform/lru.ts'
import type { Family } from '../../platform/metrics.ts'
import type { FeedChapters } from '../feeds/chapters.ts'
import type { LookupPrincipal } from '../feeds/on-demand.ts'
import { createSharedTurns, createSharedWork, type HostQueue, type Turn } from '../shared/concurrency.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { hostOf } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import type { Podcasts } from './podcasts.ts'
import type { DetailedEpisode } from './ports/podcasts.ts'

export interface Thumbnail {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Hash of the bytes, as letters and digits. */
  readonly tag: string
}

export type PictureFailureReason =
  /** The URL is in a private network that must not be reached, or has a blocked port. */
  'forbidden' | 'gone' | 'unavailable'

export type PictureAnswer =
  | { readonly kind: 'picture'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'failed'
      readonly reason: PictureFailureReason
      readonly message: string
    }

export interface PictureSource {
  /** Fetches a file of limited size, picture or not. Rejects with `unavailable` after `close`. */
  ask(url: string, mayReachPrivate: boolean): Promise<PictureAnswer>
  close(): void
}

export interface Thumbnailer {
  /** Scales to a short side of at most `size` pixels, on other threads. Undefined if the picture cannot be shown. */
  make(picture: Uint8Array, size: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  counters(): Family[]
}

export interface CachedThumbnail extends Thumbnail {
  /** Unix seconds. */
  readonly madeAt: number
}

/** Entries may disappear at any time. Names consist of lower-case letters, digits and `-`. No method rejects. */
export interface ThumbnailCache {
  get(name: string): Promise<CachedThumbnail | undefined>
  set(name: string, thumbnail: Thumbnail): Promise<void>
  delete(name: string): Promise<void>
}

export interface Pictures {
  readonly source: PictureSource
  readonly cache: ThumbnailCache
}

export const ARTWORK_SIZES = [64, 128, 300, 600] as const
export type ArtworkSize = (typeof ARTWORK_SIZES)[number]

const LARGEST = 600

export interface ArtworkRequest {
  readonly podcast: string
  readonly episode?: string | undefined
  /** Start of a chapter of the episode in seconds, to get the chapter's picture. */
  readonly chapter?: number | undefined
  readonly size: ArtworkSize
}

export interface ShownArtwork {
  readonly thumbnail: Thumbnail | undefined
  readonly isPrivate: boolean
  /** True if a picture may follow soon: the feed is unread, has no subscriber yet, or has reached its rate limit. */
  readonly isComing: boolean
}

type Failure = Extract<PictureAnswer, { readonly kind: 'failed' }>

export interface RememberedFailure {
  readonly failure: Failure
  readonly until: number
}

type PictureKind = 'podcast' | 'episode'

/** Covers for users, covers for anonymous clients and episode pictures have separate queues, so none delays another. */
type PictureQueue = PictureKind | 'anonymous'

const WAITING_MAX: Readonly<Record<PictureQueue, { readonly each: number; readonly all: number }>> = {
  podcast: { each: 200, all: 1000 },
  anonymous: { each: 200, all: 200 },
  episode: { each: 100, all: 1000 },
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Seconds after which a requested picture is fetched again, since it may have changed at the same URL. */
const STALE_SECONDS = 14 * 24 * 3600

interface Picture {
  readonly kind: PictureKind
  readonly podcast: string
  readonly url: string
  readonly key: string
  readonly mayReachPrivate: boolean
}

type Outcome = Thumbnail | Failure

export function parseArtworkSize(text: string): ArtworkSize {
  const size = ARTWORK_SIZES.find((candidate) => String(candidate) === text)
  if (size === undefined) throw invalid('size', `size must be one of ${ARTWORK_SIZES.join(', ')}`)
  return size
}

export type Artwork = ReturnType<typeof createArtwork>

export function createArtwork(parts: {
  readonly lookup: Podcasts
  readonly chapters: Pick<FeedChapters, 'list'>
  readonly pictures: Pictures
  readonly thumbnailer: Thumbnailer
  readonly queues: Readonly<Record<PictureQueue, HostQueue>>
  readonly ofPodcast: RateLimit
  readonly failures: Lru<RememberedFailure>
  readonly background: Background
  readonly clock: Clock
  readonly log: Log
}) {
  const { lookup, chapters, pictures, thumbnailer, queues, ofPodcast, failures, background, clock, log } = parts
  const { source, cache } = pictures
  const fetches = createSharedTurns<string, Outcome>()
  const reductions = createSharedWork<string, Outcome>()

  async function keep(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Thumbnail> {
    const thumbnail = { bytes, tag: quickHash(bytes) }
    await cache.set(name, thumbnail)
    return thumbnail
  }

  async function obtain(picture: Picture, size: ArtworkSize, principal: LookupPrincipal): Promise<Outcome> {
    const name = nameOf(picture, size)
    const cached = await cache.get(name)
    if (cached) {
      if (Math.abs(clock.seconds() - cached.madeAt) > STALE_SECONDS) background.run(() => renew(picture, principal))
      return cached
    }
    if (size === LARGEST) return fetchLargest(picture, principal)
    const largest = await obtain(picture, LARGEST, principal)
    return isFailure(largest) ? largest : reductions.run(name, () => reduce(picture, size, largest))
  }

  async function reduce(picture: Picture, size: ArtworkSize, { bytes }: Thumbnail): Promise<Outcome> {
    const thumbnail = await thumbnailer.make(bytes, size)
    return thumbnail ? keep(nameOf(picture, size), thumbnail) : NO_PICTURE
  }

  /** Throws `unavailable` if too many pictures are waiting. */
  async function fetchLargest(picture: Picture, principal: LookupPrincipal): Promise<Outcome> {
    const failure = failures.get(picture.key)
    if (failure && failure.until > clock.monotonic()) return failure.failure
    const [kind, flow] = turnOf(picture, principal)
    const queue = queues[kind]
    const { running, waiting } = queue.counts()
    const isFull = running + waiting >= WAITING_MAX[kind].all || queue.countOf(flow) >= WAITING_MAX[kind].each
    const name = nameOf(picture, LARGEST)
    const fetching = fetches.find(name)
    if (fetching && isFull) return fetching
    if (!fetching) {
      if (isFull)
        throw new DomainError('unavailable', 'too many pictures are being fetched, try again later', { retryAfter: 10 })
      if (picture.kind === 'episode' && !ofPodcast.tryTake(picture.podcast)) return TOO_MANY
    }
    const turn: Turn = { queue, host: hostOf(picture.url), flow }
    return fetches.run(name, turn, async () => {
      const result = await fetchAndMake(picture)
      if ('kind' in result) return remember(picture, result)
      // The smaller sizes were made from the previous picture.
      for (const size of ARTWORK_SIZES) if (size !== LARGEST) await cache.delete(nameOf(picture, size))
      return keep(name, result)
    })
  }

  async function fetchAndMake({ url, mayReachPrivate }: Picture): Promise<Uint8Array<ArrayBuffer> | Failure> {
    const answer = await source.ask(url, mayReachPrivate)
    if (answer.kind === 'failed') return answer
    return (await thumbnailer.make(answer.bytes, LARGEST)) ?? NO_PICTURE
  }

  function remember({ kind, key }: Picture, failure: Failure): Failure {
    const { reason, message } = failure
    failures.set(key, { failure, until: clock.monotonic() + (reason === 'gone' ? DAY_MS : HOUR_MS) })
    log.debug(`no picture of ${kind === 'podcast' ? 'a podcast' : 'an episode'}`, { reason, cause: message })
    return failure
  }

  async function renew(picture: Picture, principal: LookupPrincipal): Promise<void> {
    try {
      await fetchLargest(picture, principal)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }

  /** Returns the URL of a chapter's picture, '' if it has none. */
  async function chapterPicture(userId: UserId, episode: DetailedEpisode, second: number): Promise<string> {
    const found = (await chapters.list(userId, episode)).find(([start]) => start === second)
    return found?.[3] ?? ''
  }

  return {
    counters: (): Family[] => thumbnailer.counters(),

    stop: (): void => source.close(),

    async inherit({
      from,
      to,
      logoUrl,
    }: {
      readonly from: string
      readonly to: string
      readonly logoUrl: string
    }): Promise<void> {
      for (const mayReachPrivate of [false, true])
        for (const size of ARTWORK_SIZES) {
          const thumbnail = await cache.get(nameOf({ key: keyOf(mayReachPrivate, from, logoUrl) }, size))
          if (thumbnail) await cache.set(nameOf({ key: keyOf(mayReachPrivate, to, logoUrl) }, size), thumbnail)
        }
    },

    /** Serves pictures that the feed of a podcast visible to the viewer names. Episode pictures need an account. */
    async thumbnail(
      { podcast: podcastUrl, episode, chapter, size }: ArtworkRequest,
      lookupPrincipal: LookupPrincipal,
    ): Promise<ShownArtwork> {
      const stored = await lookup.get(podcastUrl, lookupPrincipal)
      const { url: podcast, logoUrl } = stored.podcast
      const { userId } = lookupPrincipal
      const isOfEpisode = episode !== undefined
      const isPrivate = stored.isPrivate || isOfEpisode
      if (isOfEpisode && userId === undefined) return { thumbnail: undefined, isPrivate, isComing: false }
      const url =
        !isOfEpisode || userId === undefined
          ? logoUrl
          : chapter === undefined
            ? await lookup.episodePicture(stored, episode)
            : await chapterPicture(userId, await lookup.getEpisode(stored, episode), chapter)
      if (url === '') return { thumbnail: undefined, isPrivate, isComing: !stored.isFetched }
      const pictureFor = (mayReachPrivate: boolean): Picture => ({
        kind: isOfEpisode ? 'episode' : 'podcast',
        ...{ podcast, url, mayReachPrivate },
        key: keyOf(mayReachPrivate, podcast, url),
      })
      const outcome = await obtain(pictureFor(false), size, lookupPrincipal)
      if (!isForbidden(outcome)) return { ...toShown(outcome), isPrivate }
      if (lookupPrincipal.userId === undefined) return { thumbnail: undefined, isPrivate: true, isComing: false }
      if (!stored.isWanted) return { thumbnail: undefined, isPrivate: true, isComing: true }
      // Cached under another key, so that anonymous clients never get a picture from the private network.
      return { ...toShown(await obtain(pictureFor(true), size, lookupPrincipal)), isPrivate: true }
    },
  }
}

/** Returns queue and flow. Each podcast has one cover, so users take turns; for episode pictures, podcasts do. */
function turnOf({ kind, podcast }: Picture, { userId, address }: LookupPrincipal): readonly [PictureQueue, string] {
  if (kind === 'episode') return [kind, podcast]
  return userId === undefined ? ['anonymous', address] : [kind, String(userId)]
}

const NO_PICTURE: Failure = { kind: 'failed', reason: 'unavailable', message: 'it is no picture that can be shown' }

/** Not remembered as a failure: the picture is fetched as soon as the rate limit of the podcast allows. */
const TOO_MANY: Failure = {
  kind: 'failed',
  reason: 'unavailable',
  message: 'too many pictures of episodes of this podcast were fetched',
}

function toShown(outcome: Outcome): Pick<ShownArtwork, 'thumbnail' | 'isComing'> {
  return { thumbnail: isFailure(outcome) ? undefined : outcome, isComing: outcome === TOO_MANY }
}

function isFailure(outcome: Outcome): outcome is Failure {
  return 'kind' in outcome
}

function isForbidden(outcome: Outcome): boolean {
  return isFailure(outcome) && outcome.reason === 'forbidden'
}

/** Includes the podcast, so that a cached picture does not reveal that another podcast uses the same picture. */
function keyOf(mayReachPrivate: boolean, podcast: string, picture: string): string {
  const hash = sha256(`${mayReachPrivate} ${podcast} ${picture}`)
  return Buffer.from(hash).toString('hex').slice(0, 40)
}

function nameOf({ key }: Pick<Picture, 'key'>, size: ArtworkSize): string {
  return `${key}-${size}`
}
