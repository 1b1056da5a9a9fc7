import type { Signal } from '@preact/signals'
import type { Resume } from './progress.ts'
import type { Skips } from './skips.ts'
import type { Sleep } from './sleep.ts'

export interface Playable {
  /** Feed URL. */
  readonly podcast: string
  /** Media URL. */
  readonly url: string
  readonly title: string
  readonly podcastTitle: string
  /** Seconds, from the feed. */
  readonly duration: number | null
  /** Seconds; fallback start position if the server is unreachable. */
  readonly position?: number | undefined
  readonly mediaType?: string | undefined
  readonly guid?: string | undefined
  /** Whether the episode has its own picture. */
  readonly hasPicture?: boolean | undefined
  /** State at the time of listing. */
  readonly isPlayed?: boolean | undefined
}

export type PlayFailure = 'offline' | 'insecure' | 'missing'

export interface Playing {
  readonly episode: Playable
  readonly status: 'loading' | 'playing' | 'paused' | 'failed'
  readonly failure?: PlayFailure
  /** Position of another device, shown for a while after playback resumes from it. */
  readonly resumed?: Resume
  /** Requested start in seconds, if the publisher's server only sends the file from the beginning. */
  readonly unreached?: number
}

/** Player state for pages. Values that change constantly have their own signals. */
export interface PlayerState {
  readonly playing: Signal<Playing | undefined>
  /** Seconds. */
  readonly position: Signal<number>
  /** Seconds; 0 while unknown and for endless streams. */
  readonly total: Signal<number>
  readonly isSeekable: Signal<boolean>
  /** End of the buffered data, in seconds. */
  readonly buffered: Signal<number>
  readonly speed: Signal<number>
  /** Speed of podcasts without one of their own. */
  readonly usualSpeed: Signal<number>
  readonly sleep: Signal<Sleep | undefined>
  readonly skips: Signal<Skips>
}

/** Whether the file is a video, of which the player plays only the sound. */
export function isVideo({ mediaType = '', url }: Pick<Playable, 'mediaType' | 'url'>): boolean {
  return (
    mediaType.startsWith('video/') ||
    (!mediaType.startsWith('audio/') && /\.(?:mp4|m4v|mov|webm)$/i.test(URL.parse(url)?.pathname ?? ''))
  )
}
