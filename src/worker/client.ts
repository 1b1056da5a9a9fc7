import { type EpisodeRequest, type FingerprintedEpisode, NotAFeed } from '../domain/feeds/document.ts'
import type { FeedAnswer, FeedSource, OpenFeed } from '../domain/feeds/ports.ts'
import { DomainError } from '../domain/shared/errors.ts'
import { systemTimer, type Timer } from '../platform/timer.ts'
import type { FeedRequest, FeedResponse, FeedSettings, FeedSources, Heartbeat } from './protocol.ts'
import { slicesOf } from './unknown-episodes.ts'

/** The other end. */
export interface RunningProcess {
  send(order: FeedRequest): void
  /** At once, whatever it does. */
  end(): void
}

export interface ProcessEvents {
  onReply(reply: FeedResponse | Heartbeat): void
  /** It has ended, by itself or because it was told to, and why. */
  onEnd(cause: string): void
}

export type StartProcess = (events: ProcessEvents) => RunningProcess

/** The memory of a process that nobody needs is worth more than the time it takes to begin. */
const IDLE_MS = 20_000
/** It is stuck when it says nothing for so long; signs of life come six times as often. */
const SILENCE_MS = 60_000
export const HEARTBEAT_MS = 10_000

/** A feed that is being asked for. */
interface Flight {
  readonly number: number
  readonly order: FeedRequest
  /** The process that has been asked. */
  asked: RunningProcess | undefined
  /** Something has come back. */
  isBegun: boolean
  /** It has been told to a second process. */
  isSecond: boolean
  readonly read: (feed: OpenFeed) => Promise<void>
  readonly answer: PromiseWithResolvers<FeedAnswer>
  /** What came of the last wish for episodes. */
  slice: PromiseWithResolvers<readonly FingerprintedEpisode[]> | undefined
  /** Why nothing comes any more. */
  lost: unknown
}

/**
 * Has feeds fetched and read in a process beside ours, so that whoever syncs waits for neither. It is there while it is needed; should it
 * end, feeds of which nothing has come back are asked for once more, by another, and those that are being read fail by a fault of ours.
 */
export function createFeedProcess(
  startProcess: StartProcess,
  settings: FeedSettings,
  timer: Timer = systemTimer,
): FeedSources {
  const inFlight = new Map<number, Flight>()
  let running: RunningProcess | undefined
  let stopIdling: (() => void) | undefined
  let stopListening: (() => void) | undefined
  let hasSpoken = false
  let count = 0
  let isClosed = false

  function end(): void {
    stopIdling?.()
    stopListening?.()
    running?.end()
    running = undefined
  }

  function start(): RunningProcess {
    const started = startProcess({
      // One that we ended ourselves may still have something to say.
      onReply(reply) {
        if (running === started) take(reply)
      },
      onEnd(cause) {
        if (running === started) lose(cause)
      },
    })
    stopListening = timer(SILENCE_MS, listen)
    started.send({ settings })
    return started
  }

  function listen(): void {
    const isStuck = inFlight.size > 0 && !hasSpoken
    hasSpoken = false
    if (isStuck) lose('it is silent')
    else stopListening = timer(SILENCE_MS, listen)
  }

  function lose(cause: string): void {
    end()
    const error = new Error(`the program that reads feeds ended: ${withoutSecrets(cause)}`)
    for (const flight of inFlight.values()) {
      const isToBeTriedAgain = !flight.isBegun && !flight.isSecond
      flight.isSecond = true
      if (isToBeTriedAgain) launch(flight)
      else fail(flight, error)
    }
  }

  function launch(flight: Flight): void {
    try {
      running ??= start()
      flight.asked = running
      running.send(flight.order)
    } catch (error) {
      fail(flight, error)
    }
  }

  function fail(flight: Flight, error: unknown): void {
    flight.lost = error
    flight.slice?.reject(error)
    flight.answer.reject(error)
  }

  function take(reply: FeedResponse | Heartbeat): void {
    hasSpoken = true
    if ('isAlive' in reply) return
    const flight = inFlight.get(reply.number)
    // Of one that was given up.
    if (!flight) return
    flight.isBegun = true
    if ('open' in reply) void readIn(flight, reply.open)
    else if ('episodes' in reply) flight.slice?.resolve(reply.episodes)
    else if ('notAFeed' in reply) flight.slice?.reject(new NotAFeed(reply.notAFeed))
    else if ('answer' in reply) flight.answer.resolve(reply.answer)
    else fail(flight, new Error(withoutSecrets(reply.broken)))
  }

  async function readIn(flight: Flight, open: Omit<OpenFeed, 'episodesBut'>): Promise<void> {
    const { number } = flight
    try {
      await flight.read({ ...open, episodesBut: (known, order = 'newest first') => episodesBut(flight, known, order) })
    } catch (error) {
      if (error instanceof NotAFeed) flight.answer.resolve(notAFeed(error))
      else flight.answer.reject(error)
    }
    flight.asked?.send({ number, isRead: true })
  }

  function episodesBut(
    flight: Flight,
    known: string,
    order: EpisodeRequest,
  ): AsyncIterable<readonly FingerprintedEpisode[]> {
    const { number } = flight
    return slicesOf((isFirst) => {
      if (flight.lost !== undefined) throw flight.lost
      flight.slice = Promise.withResolvers()
      flight.asked?.send({ number, known: isFirst ? known : undefined, order })
      return flight.slice.promise
    })
  }

  function close(): void {
    isClosed = true
    end()
    for (const flight of inFlight.values()) fail(flight, stopping())
  }

  const sourceOf = (of: keyof FeedSources): FeedSource => ({
    async ask(feed, at, read) {
      if (isClosed) throw stopping()
      const number = count++
      const flight: Flight = {
        ...{ number, read, order: { number, of, feed, at }, answer: Promise.withResolvers() },
        ...{ asked: undefined, isBegun: false, isSecond: false, slice: undefined, lost: undefined },
      }
      inFlight.set(number, flight)
      stopIdling?.()
      launch(flight)
      try {
        return await flight.answer.promise
      } finally {
        inFlight.delete(number)
        // Whoever still reads waits for nothing any more.
        flight.lost ??= new Error('the feed has been answered')
        flight.slice?.reject(flight.lost)
        if (inFlight.size === 0 && running) stopIdling = timer(IDLE_MS, end)
      }
    },
    close,
  })

  return { loop: sourceOf('loop'), users: sourceOf('users'), anyone: sourceOf('anyone') }
}

function stopping(): DomainError {
  return new DomainError('unavailable', 'the server is stopping')
}

/** The addresses of feeds may be secrets (docs/protocol.md#D56), and this goes to the log. */
function withoutSecrets(text: string): string {
  return text.replace(/(https?:\/\/)(?:[^\s/@]*@)?([^\s/?#]+)\S*/g, '$1$2/…')
}

function notAFeed({ message }: NotAFeed): FeedAnswer {
  return { kind: 'failed', reason: 'not_a_feed', message, retryAfter: undefined }
}
