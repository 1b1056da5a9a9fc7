import type { Signal } from '@preact/signals'
import type { Resume } from './progress.ts'
import type { Skips } from './skips.ts'
import type { Sleep } from './sleep.ts'

/** An episode that can be played. */
export interface Playable {
  /** The feed URL. */
  readonly podcast: string
  /** The URL of the media file. */
  readonly url: string
  readonly title: string
  readonly podcastTitle: string
  /** Seconds, as the feed says. */
  readonly duration: number | null
  /** Seconds from which to play in case the server cannot be asked. */
  readonly position?: number | undefined
  readonly mediaType?: string | undefined
  /** What the feed calls the episode. */
  readonly guid?: string | undefined
  /** Whether it has a picture of its own. */
  readonly hasPicture?: boolean | undefined
  /** Whether it was played to its end, when it was listed. */
  readonly isPlayed?: boolean | undefined
}

export type PlayFailure = 'offline' | 'insecure' | 'missing'

export interface Playing {
  readonly episode: Playable
  readonly status: 'loading' | 'playing' | 'paused' | 'failed'
  readonly failure?: PlayFailure
  /** Where another device had stopped, which is shown until playing has gone on for a while. */
  readonly resumed?: Resume
  /** Seconds at which it should have begun, but the publisher sends it from the beginning only. */
  readonly unreached?: number
}

/** The state that pages show. What changes all the time is apart from the rest. */
export interface PlayerState {
  readonly playing: Signal<Playing | undefined>
  /** Seconds. */
  readonly position: Signal<number>
  /** Seconds; 0 while unknown, and of a stream that has no end. */
  readonly total: Signal<number>
  /** Whether another place can be gone to. */
  readonly isSeekable: Signal<boolean>
  /** Seconds up to which the media file has been loaded. */
  readonly buffered: Signal<number>
  readonly speed: Signal<number>
  /** The speed of podcasts that have none of their own. */
  readonly usualSpeed: Signal<number>
  readonly sleep: Signal<Sleep | undefined>
  /** The seconds to skip at both ends of the podcast that plays. */
  readonly skips: Signal<Skips>
}

/** Whether there is something to see: the player plays the sound of it. */
export function isVideo({ mediaType = '', url }: Pick<Playable, 'mediaType' | 'url'>): boolean {
  return (
    mediaType.startsWith('video/') ||
    (!mediaType.startsWith('audio/') && /\.(?:mp4|m4v|mov|webm)$/i.test(URL.parse(url)?.pathname ?? ''))
  )
}
