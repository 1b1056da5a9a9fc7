import { batch, type Signal } from '@preact/signals'
import type { Outbox } from './outbox.ts'
import type { Resume } from './progress.ts'
import { createSitting, type Report, type Sitting } from './sitting.ts'

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
}

export type PlayFailure = 'offline' | 'insecure' | 'missing'

export interface Playing {
  readonly episode: Playable
  readonly status: 'loading' | 'playing' | 'paused' | 'failed'
  readonly failure?: PlayFailure
  /** Where another device had stopped, which is shown until playing has gone on for a while. */
  readonly resumed?: Resume
}

/** Whether there is something to see: the player plays the sound of it. */
export function isVideo({ mediaType = '', url }: Pick<Playable, 'mediaType' | 'url'>): boolean {
  return (
    mediaType.startsWith('video/') ||
    (!mediaType.startsWith('audio/') && /\.(?:mp4|m4v|mov|webm)$/i.test(URL.parse(url)?.pathname ?? ''))
  )
}

/** The state that pages show. What changes all the time is apart from the rest. */
export interface PlayerState {
  readonly playing: Signal<Playing | undefined>
  /** Seconds. */
  readonly position: Signal<number>
  /** Seconds; 0 while unknown. */
  readonly total: Signal<number>
  /** Seconds up to which the media file has been loaded. */
  readonly buffered: Signal<number>
  readonly speed: Signal<number>
}

/** The part of an audio element that the player uses. */
export interface Media {
  currentTime: number
  playbackRate: number
  readonly duration: number
  readonly paused: boolean
  /** Begins to load an address. Nothing is requested before. */
  load(url: string): void
  /** Forgets the address and stops loading. */
  unload(): void
  play(): Promise<void>
  pause(): void
  /** Seconds up to which there is data from the present position on. */
  bufferedEnd(): number
}

export interface EngineParts {
  readonly state: PlayerState
  readonly media: Media
  readonly outbox: Pick<Outbox, 'add' | 'flush' | 'flushLast' | 'latest'>
  /** Asks the server where any device has stopped. Rejects if it cannot be asked. */
  readonly findResume: (episode: Playable) => Promise<Resume | undefined>
  /** Tells the other tabs that this one plays. */
  readonly announce: () => void
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Does something later. Returns what calls it off. */
  readonly later: (milliseconds: number, work: () => void) => () => void
  readonly isOnline: () => boolean
  /** Whether this page came by https, on which browsers play nothing that comes by http. */
  readonly isSecurePage: boolean
}

/** Milliseconds after which a place that was sought counts as found. */
const SETTLED = 1500
/** Milliseconds for which playing waits to be told where it was left. */
const PATIENCE = 4000
/** Milliseconds of a pause after which the user may have gone on elsewhere. */
const LONG_PAUSE = 60_000
/** Seconds that "from 16:06, on Pixel 8" stays. */
const RESUMED_SHOWN = 20
/** Seconds before the end from which there is nothing left to go on with. */
const END = 5

export type MediaEvent = 'playing' | 'pause' | 'waiting' | 'timeupdate' | 'metadata' | 'progress' | 'ended' | 'error'
export type Engine = ReturnType<typeof createEngine>

/** Plays one episode at a time, keeps the state up to date, and reports what is heard. */
export function createEngine(parts: EngineParts) {
  const { state, media, outbox, findResume, announce, now, later, isOnline, isSecurePage } = parts
  const { playing, position, total, buffered, speed } = state
  let sitting: Sitting | undefined
  /** Counts what was asked for, so that a late answer changes nothing. */
  let turn = 0
  let callOff: (() => void) | undefined
  /** Whether the user wants to hear it, also while it is not there yet. */
  let isWanted = false
  let isLoaded = false
  /** Whether the media file has begun to play, so that its place is known to be in it. */
  let isPlaced = false
  /** When playing was last paused, in milliseconds since the Unix epoch. */
  let pausedAt = Number.POSITIVE_INFINITY
  /** Set where reports are only stored. */
  let isQuiet = false

  function record(report: Report): void {
    outbox.add(report)
    if (!isQuiet) void outbox.flush()
  }

  function quietly(work: () => void): void {
    isQuiet = true
    work()
    isQuiet = false
  }

  function change(values: Partial<Playing>): void {
    if (playing.value) playing.value = { ...playing.value, ...values }
  }

  function withoutResumed(): void {
    if (!playing.value?.resumed) return
    const { resumed: _, ...rest } = playing.value
    playing.value = rest
  }

  function begin(episode: Playable): void {
    const { podcast, url, guid } = episode
    sitting = createSitting({ podcast, episode: url, guid, now, record })
    if (episode.duration !== null) sitting.setTotal(episode.duration)
  }

  /** Where to go on. A server that does not answer is not waited for. */
  async function resumeFor(episode: Playable): Promise<Resume | undefined> {
    const { position } = episode
    const fallback = position === undefined ? undefined : { position, device: undefined }
    let stop = () => {}
    const patience = new Promise<Resume | undefined>((resolve) => {
      stop = later(PATIENCE, () => resolve(fallback))
    })
    try {
      return await Promise.race([askWhereStopped(episode), patience])
    } catch {
      return fallback
    } finally {
      stop()
    }
  }

  /** Rejects if the server cannot be asked. */
  async function askWhereStopped(episode: Playable): Promise<Resume | undefined> {
    // What this browser has not sent yet is newer than what the server knows.
    await outbox.flush()
    const own = outbox.latest(episode.podcast, episode.url)
    if (own) return own.position === own.total ? undefined : { position: own.position, device: undefined }
    return findResume(episode)
  }

  async function start(): Promise<void> {
    announce()
    if (!isWanted || !isLoaded) return
    try {
      await media.play()
    } catch (error) {
      // Errors of loading come as events. Browsers that want another click for sound reject with this one.
      if (error instanceof Error && error.name === 'NotAllowedError') change({ status: 'paused' })
    }
  }

  /** Ends what was played before. */
  function leave(): void {
    turn += 1
    if (callOff) settle()
    sitting?.pause()
    sitting = undefined
    if (isLoaded) media.unload()
    isLoaded = false
    isPlaced = false
    isWanted = false
    pausedAt = Number.POSITIVE_INFINITY
  }

  function seek(to: number): void {
    if (!playing.value) return
    const end = total.value > 0 ? total.value : Number.POSITIVE_INFINITY
    const place = Math.max(0, Math.min(to, end))
    sitting?.seek(place)
    media.currentTime = place
    position.value = place
    callOff?.()
    callOff = later(SETTLED, settle)
  }

  function settle(): void {
    callOff?.()
    callOff = undefined
    sitting?.settle()
  }

  function resume(): void {
    const current = playing.value
    if (!current || current.status === 'playing') return
    if (current.status === 'failed') return void play(current.episode, position.value)
    if (total.value > 0 && position.value >= total.value) seek(0)
    isWanted = true
    change({ status: 'loading' })
    if (now() - pausedAt < LONG_PAUSE) void start()
    else void goOn(current.episode)
  }

  /** Goes on after a long pause, in which the user may have listened to the rest on another device. */
  async function goOn(episode: Playable): Promise<void> {
    const own = turn
    const before = position.value
    const elsewhere = await resumeFor(episode)
    if (own !== turn) return
    // A place that was sought meanwhile is what the user wants.
    if (elsewhere?.device !== undefined && position.value === before && isElsewhere(elsewhere.position)) {
      media.currentTime = elsewhere.position
      position.value = elsewhere.position
      change({ resumed: elsewhere })
    }
    await start()
  }

  /** Whether that is another place than where the player is, which is reported in whole seconds. */
  function isElsewhere(seconds: number): boolean {
    return Math.abs(seconds - Math.floor(position.value)) > 1
  }

  function pause(): void {
    isWanted = false
    if (isLoaded) media.pause()
    if (playing.value?.status === 'loading') change({ status: 'paused' })
  }

  /** Plays an episode from where any device has stopped, or from a given second. */
  async function play(episode: Playable, from?: number): Promise<void> {
    const isSame = playing.value?.episode.url === episode.url && playing.value.status !== 'failed'
    if (isSame && from !== undefined) seek(from)
    if (isSame) return resume()
    leave()
    const own = turn
    isWanted = true
    batch(() => {
      playing.value = { episode, status: 'loading' }
      position.value = from ?? episode.position ?? 0
      total.value = episode.duration ?? 0
      buffered.value = 0
    })
    const resumed = from === undefined ? await resumeFor(episode) : undefined
    if (own !== turn) return
    const place = from ?? resumed?.position ?? 0
    begin(episode)
    position.value = place
    if (resumed) change({ resumed })
    media.load(episode.url)
    isLoaded = true
    media.playbackRate = speed.value
    if (place > 0) media.currentTime = place
    await start()
  }

  function failureOf(url: string): PlayFailure {
    if (!isOnline()) return 'offline'
    return isSecurePage && url.startsWith('http:') ? 'insecure' : 'missing'
  }

  return {
    play,
    resume,
    pause,

    toggle(): void {
      if (playing.value?.status === 'playing' || playing.value?.status === 'loading') pause()
      else resume()
    },

    seek,

    /** Plays from the beginning what was begun on another device. */
    startOver(): void {
      withoutResumed()
      seek(0)
      resume()
    },

    setSpeed(value: number): void {
      speed.value = value
      media.playbackRate = value
    },

    /** Ends playing and hides the player. What was heard has been sent, if that can be done, when it resolves. */
    async close(): Promise<void> {
      leave()
      playing.value = undefined
      await outbox.flush()
    },

    /** The user has signed out: nothing is sent any more, and what is not sent yet stays stored. */
    abandon(): void {
      quietly(leave)
      playing.value = undefined
    },

    /** The page is about to go, or is put to sleep. */
    hide(): void {
      if (!playing.value) return
      quietly(() => {
        if (callOff) settle()
        else sitting?.report()
      })
      outbox.flushLast()
    },

    /** What the audio element has to say. */
    hear(event: MediaEvent): void {
      if (!playing.value || !sitting) return
      const at = media.currentTime
      switch (event) {
        case 'playing':
          isPlaced = true
          pausedAt = Number.POSITIVE_INFINITY
          sitting.play(at)
          change({ status: 'playing' })
          break
        case 'pause':
          // The end of an episode pauses it, too, and reports by itself.
          if (total.value > 0 && at >= total.value) break
          sitting.pause()
          pausedAt = now()
          change({ status: 'paused' })
          break
        case 'waiting':
          if (!media.paused) change({ status: 'loading' })
          break
        case 'timeupdate': {
          position.value = at
          sitting.progress(at)
          const { resumed } = playing.value
          if (resumed && at > resumed.position + RESUMED_SHOWN) withoutResumed()
          break
        }
        case 'metadata':
          sitting.setTotal(media.duration)
          media.playbackRate = speed.value
          if (!Number.isFinite(media.duration)) break
          total.value = media.duration
          // Of a file without a length the browser learns it while it plays.
          if (isPlaced) break
          // Another file than the one that was heard, or its very end: playing on would only tell that it is finished.
          if (position.value > 0 && position.value > media.duration - END) {
            withoutResumed()
            seek(0)
          }
          break
        case 'progress':
          buffered.value = media.bufferedEnd()
          break
        case 'ended':
          sitting.finish()
          batch(() => {
            position.value = total.value
            change({ status: 'paused' })
          })
          break
        case 'error':
          sitting.pause()
          change({ status: 'failed', failure: failureOf(playing.value.episode.url) })
          break
      }
    },
  }
}
