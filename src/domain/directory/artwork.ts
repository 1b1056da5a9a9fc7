import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import { quickHash, sha256 } from '../../platform/crypto.ts'
import type { Log } from '../../platform/log.ts'
import type { Lru } from '../../platform/lru.ts'
import type { LookupPrincipal } from '../feeds/on-demand.ts'
import { createSharedWork, type HostQueue } from '../shared/concurrency.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { hostOf } from '../shared/feed-url.ts'
import type { Podcasts } from './podcasts.ts'

/** What making thumbnails of podcasts' pictures needs from the internet, the processor and the disk. */

export interface Thumbnail {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Names the bytes: other bytes, other tag. Letters and digits. */
  readonly tag: string
}

export type PictureFailureReason =
  /** It is in a private network, and this was not to go there. */
  | 'forbidden'
  /** Its server says that there is no such thing, or not any more. */
  | 'gone'
  /** Unreachable, too large, another answer: it may be better later. */
  | 'unavailable'

export type PictureAnswer =
  | { readonly kind: 'picture'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'failed'
      readonly reason: PictureFailureReason
      /** For administrators; without path and query. */
      readonly message: string
    }

export interface PictureSource {
  /** Whatever is there, of a bounded size, picture or not. Rejects with `unavailable` when it is closed. */
  ask(url: string, mayReachPrivate: boolean): Promise<PictureAnswer>
  close(): void
}

export interface Thumbnailer {
  /**
   * The whole picture, its short side `size` pixels long, or shorter if the picture's is. Undefined for whatever is no
   * picture, or none that is fit to be shown. Works on other threads than the one that calls it.
   */
  make(picture: Uint8Array, size: number): Promise<Uint8Array<ArrayBuffer> | undefined>
}

export interface CachedThumbnail extends Thumbnail {
  /** Unix seconds. */
  readonly madeAt: number
}

/** What is kept may be gone at any time. Names are of lower-case letters, digits and `-`. Nothing here rejects. */
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

/** Made of the picture itself; the others are made of this one. */
const LARGEST = 600

export interface ShownArtwork {
  /** Undefined when there is no picture to show, whatever the reason. */
  readonly thumbnail: Thumbnail | undefined
  /** Whether others may be shown something else. */
  readonly isPrivate: boolean
  /** Whether there may be one in a moment: as soon as the feed has been read, or somebody has subscribed. */
  readonly isComing: boolean
}

type Failure = Extract<PictureAnswer, { readonly kind: 'failed' }>

/** A failure that is not tried again until then, by the monotonic clock. */
export interface RememberedFailure {
  readonly failure: Failure
  readonly until: number
}

export interface ArtworkParts {
  readonly lookup: Podcasts
  readonly pictures: Pictures
  readonly thumbnailer: Thumbnailer
  /** Bounds how many pictures are in memory as a whole. */
  readonly queue: HostQueue
  readonly failures: Lru<RememberedFailure>
  readonly background: Background
  readonly clock: Clock
  readonly log: Log
}

/** More than that is an attack. */
const WAITING_MAX = 200

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Seconds after which a picture may have become another one at the same address. */
const OLD = 14 * 24 * 3600

/** The picture of one podcast, and how far one may go for it. */
interface Picture {
  readonly url: string
  readonly key: string
  readonly mayReachPrivate: boolean
}

type Outcome = Thumbnail | Failure

export function parseArtworkSize(text: string): ArtworkSize {
  const size = ARTWORK_SIZES.find((known) => String(known) === text)
  if (size === undefined) throw invalid('size', `size must be one of ${ARTWORK_SIZES.join(', ')}`)
  return size
}

export type Artwork = ReturnType<typeof createArtwork>

export function createArtwork(parts: ArtworkParts) {
  const { lookup, pictures, thumbnailer, queue, failures, background, clock, log } = parts
  const { source, cache } = pictures
  const inFlight = createSharedWork<string, Outcome>()
  let waiting = 0

  async function keep(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Thumbnail> {
    const thumbnail = { bytes, tag: quickHash(bytes) }
    await cache.set(name, thumbnail)
    return thumbnail
  }

  async function obtain(picture: Picture, size: ArtworkSize): Promise<Outcome> {
    const name = nameOf(picture, size)
    const cached = await cache.get(name)
    if (!cached) return inFlight.run(name, () => (size === LARGEST ? fetchLargest(picture) : shrink(picture, size)))
    if (Math.abs(clock.seconds() - cached.madeAt) > OLD) background.run(() => renew(picture))
    return cached
  }

  async function shrink(picture: Picture, size: ArtworkSize): Promise<Outcome> {
    const largest = await obtain(picture, LARGEST)
    if (isFailure(largest)) return largest
    const bytes = await thumbnailer.make(largest.bytes, size)
    return bytes ? keep(nameOf(picture, size), bytes) : NO_PICTURE
  }

  async function fetchLargest(picture: Picture): Promise<Outcome> {
    const known = failures.get(picture.key)
    if (known && known.until > clock.monotonic()) return known.failure
    const made = await queued(picture)
    if ('kind' in made) return remember(picture, made)
    // The smaller ones were made of the picture before.
    for (const size of ARTWORK_SIZES) if (size !== LARGEST) await cache.delete(nameOf(picture, size))
    return keep(nameOf(picture, LARGEST), made)
  }

  async function queued(picture: Picture): Promise<Uint8Array<ArrayBuffer> | Failure> {
    if (waiting >= WAITING_MAX)
      throw new DomainError('unavailable', 'too many pictures are being fetched, try again later', { retryAfter: 10 })
    waiting++
    try {
      return await queue.run(hostOf(picture.url), () => fetchAndMake(picture))
    } finally {
      waiting--
    }
  }

  async function fetchAndMake({ url, mayReachPrivate }: Picture): Promise<Uint8Array<ArrayBuffer> | Failure> {
    const answer = await source.ask(url, mayReachPrivate)
    if (answer.kind === 'failed') return answer
    return (await thumbnailer.make(answer.bytes, LARGEST)) ?? NO_PICTURE
  }

  function remember({ key }: Picture, failure: Failure): Failure {
    const { reason, message } = failure
    failures.set(key, { failure, until: clock.monotonic() + (reason === 'gone' ? DAY_MS : HOUR_MS) })
    log.debug('no picture of a podcast', { reason, cause: message })
    return failure
  }

  /** What there is stays as it is when there is no more to be had. */
  async function renew(picture: Picture): Promise<void> {
    try {
      await inFlight.run(nameOf(picture, LARGEST), () => fetchLargest(picture))
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
    }
  }

  return {
    /** Lets the podcast at `to` have what is kept of the picture of the one at `from`; both have the same. */
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
          const kept = await cache.get(nameOf({ key: keyOf(mayReachPrivate, from, logoUrl) }, size))
          if (kept) await cache.set(nameOf({ key: keyOf(mayReachPrivate, to, logoUrl) }, size), kept)
        }
    },

    /**
     * The podcast's picture as a small one. Only that of a podcast that is known here is ever fetched, and only where
     * the podcast is no secret to the lookupPrincipal. Throws `validation_failed`, `unknown_podcast`, and `unavailable`
     * when too many wait or the server stops.
     */
    async thumbnail(given: string, size: ArtworkSize, lookupPrincipal: LookupPrincipal): Promise<ShownArtwork> {
      const { podcast, isPrivate, isFetched } = await lookup.known(given, lookupPrincipal)
      const { url, logoUrl, subscribers } = podcast
      if (logoUrl === '') return { thumbnail: undefined, isPrivate, isComing: !isFetched }
      const pictureFor = (mayReachPrivate: boolean) => ({
        url: logoUrl,
        key: keyOf(mayReachPrivate, url, logoUrl),
        mayReachPrivate,
      })
      const outcome = await obtain(pictureFor(false), size)
      if (!isForbidden(outcome)) return { thumbnail: shown(outcome), isPrivate, isComing: false }
      if (lookupPrincipal.userId === undefined) return { thumbnail: undefined, isPrivate: true, isComing: false }
      if (subscribers === 0) return { thumbnail: undefined, isPrivate: true, isComing: true }
      // Kept apart: what is in our network must not be shown to anonymous clients by chance.
      return { thumbnail: shown(await obtain(pictureFor(true), size)), isPrivate: true, isComing: false }
    },
  }
}

const NO_PICTURE: Failure = { kind: 'failed', reason: 'unavailable', message: 'it is no picture that can be shown' }

function shown(outcome: Outcome): Thumbnail | undefined {
  return isFailure(outcome) ? undefined : outcome
}

function isFailure(outcome: Outcome): outcome is Failure {
  return 'kind' in outcome
}

function isForbidden(outcome: Outcome): boolean {
  return isFailure(outcome) && outcome.reason === 'forbidden'
}

/** Of each podcast on its own: whether a picture is kept already must not tell that another podcast has it. */
function keyOf(mayReachPrivate: boolean, podcast: string, logo: string): string {
  const hash = sha256(`${mayReachPrivate} ${podcast} ${logo}`)
  return Buffer.from(hash).toString('hex').slice(0, 40)
}

function nameOf({ key }: Pick<Picture, 'key'>, size: ArtworkSize): string {
  return `${key}-${size}`
}
