import { batch } from '@preact/signals'
import type { Outbox } from './outbox.ts'
import type { Playable, PlayerState, PlayFailure, Playing } from './playable.ts'
import type { PodcastMemory } from './podcast-memory.ts'
import { createResuming, type ResumingParts } from './resuming.ts'
import { createSitting, type Report, type Sitting } from './sitting.ts'
import { isOutroReached, NO_SKIPS, type Skips, startAfter } from './skips.ts'
import { createSleepTimer, type SleepChoice } from './sleep.ts'
import type { SpeedMemory } from './speeds.ts'

/** Subset of `HTMLAudioElement` that the player needs, with helpers. */
export interface Media {
  currentTime: number
  playbackRate: number
  /** Seconds; NaN while unknown, `Infinity` for a stream without a known end. */
  readonly duration: number
  readonly paused: boolean
  /** Starts loading a URL. The element makes no request before this call. */
  load(url: string): void
  /** Stops loading and clears the URL. */
  unload(): void
  play(): Promise<void>
  pause(): void
  /** Scales the user's volume: 1 leaves it unchanged, 0 is silent. */
  fade(part: number): void
  /** End, in seconds, of the data buffered from the current position. */
  bufferedEnd(): number
  /** Whether the publisher's server supports range requests. */
  isSeekable(): boolean
}

export interface EngineParts extends Pick<ResumingParts, 'findResume' | 'later'> {
  readonly state: PlayerState
  readonly media: Media
  readonly outbox: Pick<Outbox, 'add' | 'keep' | 'flush' | 'finish' | 'flushLast' | 'latest'>
  readonly speeds: SpeedMemory
  readonly skips: PodcastMemory<Skips>
  /** Returns the episode to play next, if any. Never rejects. */
  readonly findNext: (episode: Playable) => Promise<Playable | undefined>
  /** Called when an episode has played to its end. */
  readonly onFinished: (episode: Playable) => void
  /** Tells the other tabs that this one is playing. */
  readonly announce: () => void
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  readonly isOnline: () => boolean
  /** Whether this page was loaded over HTTPS, where browsers refuse to play HTTP media. */
  readonly isSecurePage: boolean
}

/** Milliseconds after the last seek until its position is reported. */
const SETTLE_MS = 1500
/** Milliseconds of pause after which the user may have continued on another device. */
const LONG_PAUSE = 60_000
/** Seconds of playback for which "from 16:06, on Pixel 8" stays visible. */
const RESUMED_SHOWN = 20
/** Seconds before the end within which an episode restarts instead of resuming. */
const END = 5
/** Seconds by which playback may start before the requested position. */
const EARLY_SECONDS_MAX = 5
/** Fraction of the feed's duration; a stream that ends earlier was cut off. */
const WHOLE = 0.5

export type MediaEvent = 'playing' | 'pause' | 'waiting' | 'timeupdate' | 'metadata' | 'progress' | 'ended' | 'error'
export type Engine = ReturnType<typeof createEngine>

/** Plays one episode at a time, updates the player state and reports progress. */
export function createEngine(parts: EngineParts) {
  const { state, media, outbox, speeds, skips, findNext, onFinished, announce, now, later, isOnline, isSecurePage } =
    parts
  const { playing, position, total, isSeekable, buffered, speed, sleep } = state
  const { resumeFor, patiently } = createResuming(parts)
  const sleepTimer = createSleepTimer({ sleep, later, fade: media.fade, onTime: pause })
  let sitting: Sitting | undefined
  /** Incremented for each episode, so that late answers can be ignored. */
  let turn = 0
  let cancelTimer: (() => void) | undefined
  /** Whether the user wants playback, even if the media is still loading. */
  let isWanted = false
  let isLoaded = false
  /** Whether playback has started, so `media.currentTime` is a real position. */
  let isPlaced = false
  /** Whether the browser has reported an infinite duration for this file. */
  let isEndless = false
  /** Time of the last pause, in milliseconds since the Unix epoch. */
  let pausedAt: number | undefined
  /** Set while the player shows an episode restored on page load; `from` is the second the user has sought to since. */
  let restored: { readonly from?: number } | undefined = playing.value && {}
  /** While set, reports are stored but not sent. */
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

  function without(key: 'resumed' | 'unreached'): void {
    if (playing.value?.[key] === undefined) return
    const { [key]: _, ...rest } = playing.value
    playing.value = rest
  }

  /**
   * Holds reports while the position is meaningless (a stream of unknown length), or while playback has not yet reached
   * the stored position because the publisher's server only sends from the beginning.
   */
  function holdReports(): void {
    sitting?.hold((isEndless && total.value === 0) || playing.value?.unreached !== undefined)
  }

  function begin(episode: Playable): void {
    const { podcast, url, guid } = episode
    sitting = createSitting({ podcast, episode: url, guid, now, record, keep: outbox.keep })
    if (episode.duration !== null) sitting.setTotal(episode.duration)
  }

  async function start(): Promise<void> {
    announce()
    if (!isWanted || !isLoaded) return
    try {
      await media.play()
    } catch (error) {
      // Loading errors arrive as events. Browsers reject with this one if they require another click before playing.
      if (error instanceof Error && error.name === 'NotAllowedError') change({ status: 'paused' })
    }
  }

  /** Stops the current episode and resets the state that belongs to it. */
  function leave(): void {
    turn += 1
    if (cancelTimer) settle()
    sitting?.pause()
    sitting = undefined
    if (isLoaded) media.unload()
    isLoaded = false
    isPlaced = false
    isEndless = false
    isWanted = false
    restored = undefined
    pausedAt = undefined
  }

  function seek(to: number): void {
    if (!playing.value || !isSeekable.value) return
    const end = total.value > 0 ? total.value : Number.POSITIVE_INFINITY
    const target = Math.max(0, Math.min(to, end))
    position.value = target
    if (restored) {
      restored = { from: target }
      return
    }
    sitting?.seek(target)
    media.currentTime = target
    cancelTimer?.()
    cancelTimer = later(SETTLE_MS, settle)
  }

  function settle(): void {
    cancelTimer?.()
    cancelTimer = undefined
    sitting?.settle()
  }

  function resume(): void {
    const current = playing.value
    if (!current || current.status === 'playing') return
    if (restored) return void play(current.episode, restored.from)
    if (current.status === 'failed') return void play(current.episode, current.unreached ?? position.value)
    if (total.value > 0 && position.value >= total.value) seek(startAfter(state.skips.value, total.value))
    isWanted = true
    change({ status: 'loading' })
    if (pausedAt === undefined || Math.abs(now() - pausedAt) < LONG_PAUSE) void start()
    else void resumeAfterPause(current.episode)
  }

  /** Resumes after a long pause, during which the user may have listened on another device. */
  async function resumeAfterPause(episode: Playable): Promise<void> {
    const own = turn
    const before = position.value
    const elsewhere = await resumeFor(episode)
    if (own !== turn) return
    // A seek in the meantime takes precedence.
    const isMoved = elsewhere?.device !== undefined && isElsewhere(elsewhere.position)
    if (isMoved && position.value === before && isSeekable.value) {
      media.currentTime = elsewhere.position
      position.value = elsewhere.position
      change({ resumed: elsewhere })
    }
    await start()
  }

  /** Whether a reported position differs from the current one. Reports hold whole seconds. */
  function isElsewhere(seconds: number): boolean {
    return Math.abs(seconds - Math.floor(position.value)) > 1
  }

  function pause(): void {
    isWanted = false
    if (isLoaded) media.pause()
    if (playing.value?.status === 'loading') change({ status: 'paused' })
  }

  /** Plays an episode from the latest position of any device, or from a given second. */
  async function play(episode: Playable, from?: number): Promise<void> {
    const isSame = playing.value?.episode.url === episode.url && playing.value.status !== 'failed' && !restored
    if (isSame && from !== undefined) seek(from)
    if (isSame) return resume()
    leave()
    sleepTimer.endEpisode()
    const own = turn
    isWanted = true
    batch(() => {
      playing.value = { episode, status: 'loading' }
      position.value = from ?? episode.position ?? 0
      total.value = episode.duration ?? 0
      isSeekable.value = true
      buffered.value = 0
      speed.value = speeds.get(episode.podcast)
      state.skips.value = skips.get(episode.podcast) ?? NO_SKIPS
    })
    void findSpeed(episode.podcast)
    const skipped = findSkips(episode.podcast)
    const resumed = from === undefined ? await resumeFor(episode) : undefined
    // Without a position to resume from, playback starts after the intro.
    const target = from ?? resumed?.position ?? startAfter(await skipped, episode.duration ?? 0)
    if (own !== turn) return
    begin(episode)
    position.value = target
    if (resumed) change({ resumed })
    media.load(episode.url)
    isLoaded = true
    media.playbackRate = speed.value
    if (target > 0) media.currentTime = target
    await start()
  }

  /** Plays the next episode, unless the user does something else during the lookup. */
  async function playNext(isStillWanted = () => true): Promise<void> {
    const current = playing.value
    if (!current) return
    const own = turn
    const next = await findNext(current.episode)
    if (next && own === turn && isStillWanted()) await play(next)
  }

  /** Applies the stored speed once it is loaded. Playback does not wait for it. */
  async function findSpeed(podcast: string): Promise<void> {
    const own = turn
    const found = await patiently(speeds.load(podcast), () => speeds.get(podcast))
    if (own === turn) changeSpeed(found)
  }

  async function findSkips(podcast: string): Promise<Skips> {
    const own = turn
    const found = (await patiently(skips.load(podcast), () => skips.get(podcast))) ?? NO_SKIPS
    if (own === turn) state.skips.value = found
    return found
  }

  function changeSpeed(value: number): void {
    speed.value = value
    if (isLoaded) media.playbackRate = value
  }

  function fail(): void {
    const current = playing.value
    if (!current) return
    sitting?.pause()
    change({ status: 'failed', failure: failureOf(current.episode.url) })
  }

  /** Handles the start of playback, which is too early if the publisher's server does not support range requests. */
  function handleStart(at: number): void {
    isPlaced = true
    const expected = position.value
    if (at >= expected - EARLY_SECONDS_MAX) return
    without('resumed')
    position.value = at
    change({ unreached: expected })
    holdReports()
  }

  /** Handles a new or changed duration. */
  function measure(): void {
    const { duration } = media
    if (Number.isNaN(duration)) return
    isEndless = duration === Number.POSITIVE_INFINITY || isEndless
    sitting?.setTotal(duration)
    if (Number.isFinite(duration)) total.value = duration
    isSeekable.value = total.value > 0 && media.isSeekable()
    holdReports()
  }

  function failureOf(url: string): PlayFailure {
    if (!isOnline()) return 'offline'
    return isSecurePage && url.startsWith('http:') ? 'insecure' : 'missing'
  }

  function end(): void {
    leave()
    sleepTimer.choose(undefined)
    playing.value = undefined
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

    /** Plays the next episode, if any. The position in this one is kept. */
    next: (): Promise<void> => playNext(),

    /** Restarts an episode that was resumed from another device. */
    startOver(): void {
      without('resumed')
      seek(0)
      resume()
    },

    /** Sets and remembers the speed of this podcast. */
    setSpeed(value: number): void {
      changeSpeed(value)
      if (playing.value) speeds.choose(playing.value.episode.podcast, value)
    },

    /** Makes this podcast's speed the default for podcasts without a speed of their own. */
    makeSpeedUsual(): void {
      if (playing.value) speeds.makeUsual(playing.value.episode.podcast)
    },

    /** Sets the podcast's intro and outro lengths. In the current episode only the outro is still skipped. */
    setSkips(value: Skips): void {
      state.skips.value = value
      if (playing.value) skips.change(playing.value.episode.podcast, value)
    },

    /** Sets or cancels the sleep timer. */
    setSleep(choice: SleepChoice | undefined): void {
      sleepTimer.choose(choice)
    },

    /** Stops playback and hides the player. Resolves after an attempt to send all reports. */
    async close(): Promise<void> {
      end()
      await outbox.flush()
    },

    /** Closes the player before sign-out. Resolves to whether the server has all reports of this browser. */
    async finish(): Promise<boolean> {
      end()
      return await outbox.finish()
    },

    /** Closes the player after the session has ended. Unsent reports stay stored. */
    abandon(): void {
      quietly(end)
      speeds.forget()
      skips.forget()
    },

    /** Handles a page that is about to be unloaded or frozen. */
    hide(): void {
      if (!playing.value) return
      quietly(() => {
        if (cancelTimer) settle()
        else sitting?.report()
      })
      outbox.flushLast()
    },

    /** Handles an event of the audio element. */
    hear(event: MediaEvent): void {
      if (!playing.value || !sitting) return
      const at = media.currentTime
      switch (event) {
        case 'playing':
          if (!isPlaced) handleStart(at)
          pausedAt = undefined
          sitting.play(at)
          change({ status: 'playing' })
          break
        case 'pause':
          // The browser also sends `pause` at the end of an episode; `ended` reports that.
          if (total.value > 0 && at >= total.value) break
          sitting.pause()
          pausedAt = now()
          change({ status: 'paused' })
          break
        case 'waiting':
          if (!media.paused) change({ status: 'loading' })
          break
        case 'timeupdate': {
          // Before playback starts, `position` holds the requested position.
          if (!isPlaced) break
          if (isSeekable.value && isOutroReached(state.skips.value, position.value, at, total.value)) {
            sitting.progress(at)
            // Seeking to the end makes the browser send `ended`, which does the rest.
            seek(total.value)
            break
          }
          position.value = at
          sitting.progress(at)
          const { resumed, unreached } = playing.value
          if (resumed && at > resumed.position + RESUMED_SHOWN) without('resumed')
          if (unreached !== undefined && at >= unreached) {
            without('unreached')
            holdReports()
          }
          break
        }
        case 'metadata':
          measure()
          media.playbackRate = speed.value
          // The browser learns the duration of a file without one only during playback.
          if (isPlaced || !Number.isFinite(media.duration)) break
          // The file was replaced, or the position is at its end: resuming would only mark the episode as finished.
          if (position.value > 0 && position.value > media.duration - END) {
            without('resumed')
            seek(0)
          }
          break
        case 'progress':
          buffered.value = media.bufferedEnd()
          break
        case 'ended': {
          const { duration } = playing.value.episode
          if (isEndless && duration !== null && at < duration * WHOLE) {
            sitting.setTotal(duration)
            total.value = duration
            fail()
            break
          }
          // The duration is known now, so held reports can be made.
          holdReports()
          sitting.finish()
          const isAsleep = sleep.value?.choice === 'end'
          sleepTimer.endEpisode()
          isWanted = false
          batch(() => {
            if (total.value > 0) position.value = total.value
            change({ status: 'paused' })
          })
          const end = position.value
          // Look up the next episode first: the queue finds it by the episode that has just ended.
          if (!isAsleep) void playNext(() => !isWanted && position.value === end)
          onFinished(playing.value.episode)
          break
        }
        case 'error':
          fail()
          break
      }
    },
  }
}
