import { batch } from '@preact/signals'
import type { Outbox } from './outbox.ts'
import type { Playable, PlayerState, PlayFailure, Playing } from './playable.ts'
import type { PodcastMemory } from './podcast-memory.ts'
import { createResuming, type ResumingParts } from './resuming.ts'
import { createSitting, type Report, type Sitting } from './sitting.ts'
import { isOutroReached, NO_SKIPS, type Skips, startAfter } from './skips.ts'
import { createSleepTimer, type SleepChoice } from './sleep.ts'
import type { SpeedMemory } from './speeds.ts'

/** The part of an audio element that the player uses. */
export interface Media {
  currentTime: number
  playbackRate: number
  /** Seconds; NaN while unknown, infinite of a stream whose end is not known. */
  readonly duration: number
  readonly paused: boolean
  /** Begins to load an address. Nothing is requested before. */
  load(url: string): void
  /** Forgets the address and stops loading. */
  unload(): void
  play(): Promise<void>
  pause(): void
  /** Makes the sound softer: 1 is as loud as the user has it, 0 silent. */
  fade(part: number): void
  /** Seconds up to which there is data from the present position on. */
  bufferedEnd(): number
  /** Whether the publisher's server sends any part that is asked for. */
  isSeekable(): boolean
}

export interface EngineParts extends Pick<ResumingParts, 'findResume' | 'later'> {
  readonly state: PlayerState
  readonly media: Media
  readonly outbox: Pick<Outbox, 'add' | 'keep' | 'flush' | 'finish' | 'flushLast' | 'latest'>
  readonly speeds: SpeedMemory
  readonly skips: PodcastMemory<Skips>
  /** Finds the episode to play after another one, if there is any. Never rejects. */
  readonly findNext: (episode: Playable) => Promise<Playable | undefined>
  /** An episode was played to its end. */
  readonly onFinished: (episode: Playable) => void
  /** Tells the other tabs that this one plays. */
  readonly announce: () => void
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  readonly isOnline: () => boolean
  /** Whether this page came by https, on which browsers play nothing that comes by http. */
  readonly isSecurePage: boolean
}

/** Milliseconds after which a place that was sought counts as found. */
const SETTLED = 1500
/** Milliseconds of a pause after which the user may have gone on elsewhere. */
const LONG_PAUSE = 60_000
/** Seconds that "from 16:06, on Pixel 8" stays. */
const RESUMED_SHOWN = 20
/** Seconds before the end from which there is nothing left to go on with. */
const END = 5
/** Seconds by which playing may begin before its place. */
const NEAR = 5
/** The part of the length that the feed tells, before which a stream that ends was broken off. */
const WHOLE = 0.5

export type MediaEvent = 'playing' | 'pause' | 'waiting' | 'timeupdate' | 'metadata' | 'progress' | 'ended' | 'error'
export type Engine = ReturnType<typeof createEngine>

/** Plays one episode at a time, keeps the state up to date, and reports what is heard. */
export function createEngine(parts: EngineParts) {
  const { state, media, outbox, speeds, skips, findNext, onFinished, announce, now, later, isOnline, isSecurePage } =
    parts
  const { playing, position, total, isSeekable, buffered, speed, sleep } = state
  const { resumeFor, patiently } = createResuming(parts)
  const sleepTimer = createSleepTimer({ sleep, later, fade: media.fade, onTime: pause })
  let sitting: Sitting | undefined
  /** Counts what was asked for, so that a late answer changes nothing. */
  let turn = 0
  let callOff: (() => void) | undefined
  /** Whether the user wants to hear it, also while it is not there yet. */
  let isWanted = false
  let isLoaded = false
  /** Whether the media file has begun to play, so that its place is known to be in it. */
  let isPlaced = false
  /** Whether the browser has not been told a length. */
  let isEndless = false
  /** When playing was last paused, in milliseconds since the Unix epoch. */
  let pausedAt: number | undefined
  /** Set while the player shows an episode of before the page was loaded, with the second that was sought since. */
  let restored: { readonly from?: number } | undefined = playing.value && {}
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

  function without(key: 'resumed' | 'unreached'): void {
    if (playing.value?.[key] === undefined) return
    const { [key]: _, ...rest } = playing.value
    playing.value = rest
  }

  /**
   * A stream without any length has no places that could be gone back to. Where the publisher sends from the beginning only,
   * the place that is known stays until it is reached.
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
    isEndless = false
    isWanted = false
    restored = undefined
    pausedAt = undefined
  }

  function seek(to: number): void {
    if (!playing.value || !isSeekable.value) return
    const end = total.value > 0 ? total.value : Number.POSITIVE_INFINITY
    const place = Math.max(0, Math.min(to, end))
    position.value = place
    if (restored) {
      restored = { from: place }
      return
    }
    sitting?.seek(place)
    media.currentTime = place
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
    if (restored) return void play(current.episode, restored.from)
    if (current.status === 'failed') return void play(current.episode, current.unreached ?? position.value)
    if (total.value > 0 && position.value >= total.value) seek(startAfter(state.skips.value, total.value))
    isWanted = true
    change({ status: 'loading' })
    if (pausedAt === undefined || Math.abs(now() - pausedAt) < LONG_PAUSE) void start()
    else void goOn(current.episode)
  }

  /** Goes on after a long pause, in which the user may have listened to the rest on another device. */
  async function goOn(episode: Playable): Promise<void> {
    const own = turn
    const before = position.value
    const elsewhere = await resumeFor(episode)
    if (own !== turn) return
    // A place that was sought meanwhile is what the user wants.
    const isMoved = elsewhere?.device !== undefined && isElsewhere(elsewhere.position)
    if (isMoved && position.value === before && isSeekable.value) {
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
      speed.value = speeds.of(episode.podcast)
      state.skips.value = skips.of(episode.podcast) ?? NO_SKIPS
    })
    void findSpeed(episode.podcast)
    const skipped = findSkips(episode.podcast)
    const resumed = from === undefined ? await resumeFor(episode) : undefined
    // Without a place to go on at, where it begins depends on what is left out.
    const place = from ?? resumed?.position ?? startAfter(await skipped, episode.duration ?? 0)
    if (own !== turn) return
    begin(episode)
    position.value = place
    if (resumed) change({ resumed })
    media.load(episode.url)
    isLoaded = true
    media.playbackRate = speed.value
    if (place > 0) media.currentTime = place
    await start()
  }

  /** Plays what comes after this episode, unless the user does something else while that is found. */
  async function playNext(isStillWanted = () => true): Promise<void> {
    const current = playing.value
    if (!current) return
    const own = turn
    const next = await findNext(current.episode)
    if (next && own === turn && isStillWanted()) await play(next)
  }

  /** The speed comes when it comes: the first second does not have to wait for it. */
  async function findSpeed(podcast: string): Promise<void> {
    const own = turn
    const found = await patiently(speeds.load(podcast), () => speeds.of(podcast))
    if (own === turn) changeSpeed(found)
  }

  async function findSkips(podcast: string): Promise<Skips> {
    const own = turn
    const found = (await patiently(skips.load(podcast), () => skips.of(podcast))) ?? NO_SKIPS
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

  /** The media file has begun to play, at the place that was wanted unless its server knows no places. */
  function begun(at: number): void {
    isPlaced = true
    const wanted = position.value
    if (at >= wanted - NEAR) return
    without('resumed')
    position.value = at
    change({ unreached: wanted })
    holdReports()
  }

  /** The length has become known, or is another one. */
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

    /** Plays what comes after this episode, if anything. Its own place stays. */
    next: (): Promise<void> => playNext(),

    /** Plays from the beginning what was begun on another device. */
    startOver(): void {
      without('resumed')
      seek(0)
      resume()
    },

    /** Plays this podcast at a speed, now and later on. */
    setSpeed(value: number): void {
      changeSpeed(value)
      if (playing.value) speeds.choose(playing.value.episode.podcast, value)
    },

    /** Plays all podcasts that have no speed of their own like this one. */
    makeSpeedUsual(): void {
      if (playing.value) speeds.makeUsual(playing.value.episode.podcast)
    },

    /** Leaves out these ends of the podcast that plays, from the next episode on, and the outro of this one. */
    setSkips(value: Skips): void {
      state.skips.value = value
      if (playing.value) skips.change(playing.value.episode.podcast, value)
    },

    /** Ends playing later on, or not any more. */
    setSleep(choice: SleepChoice | undefined): void {
      sleepTimer.choose(choice)
    },

    /** Ends playing and hides the player. What was heard has been sent, if that can be done, when it resolves. */
    async close(): Promise<void> {
      end()
      await outbox.flush()
    },

    /** Closes the player before signing out. Resolves to whether the server has all reports of this browser. */
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
          if (!isPlaced) begun(at)
          pausedAt = undefined
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
          // Until it plays, the place is the one that is wanted.
          if (!isPlaced) break
          if (isSeekable.value && isOutroReached(state.skips.value, position.value, at, total.value)) {
            sitting.progress(at)
            // The browser ends an episode at its end, and so does everything else.
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
          // Of a file without a length the browser learns it while it plays.
          if (isPlaced || !Number.isFinite(media.duration)) break
          // Another file than the one that was heard, or its very end: playing on would only tell that it is finished.
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
          // Now the length is known, so that what was heard has its place.
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
          // What comes next is looked for first, since the queue tells it by the episode that has ended.
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
