import { DomainError } from '../domain/errors.ts'
import { type FingerprintedEpisode, NotAFeed } from '../domain/feed-document.ts'
import type { FeedAnswer, FeedSource, OpenFeed } from '../domain/feed-ports.ts'
import { systemTimer, type Timer } from '../platform/timer.ts'
import type { FeedOrder, FeedReply, FeedSettings, FeedSources } from './feed-messages.ts'
import { EPISODES_AT_ONCE } from './unknown-episodes.ts'

/** The other end. */
export interface RunningProcess {
  send(order: FeedOrder): void
  /** At once, whatever it does. */
  end(): void
}

export interface ProcessEvents {
  onReply(reply: FeedReply): void
  /** It has ended, by itself or because it was told to, and why. */
  onEnd(cause: string): void
}

export type StartProcess = (events: ProcessEvents) => RunningProcess

/** The memory of a process that nobody needs is worth more than the time it takes to begin. */
const IDLE_MS = 20_000

/** A feed that is being asked for. */
interface Flight {
  readonly number: number
  readonly read: (feed: OpenFeed) => Promise<void>
  readonly answer: PromiseWithResolvers<FeedAnswer>
  /** What came of the last wish for episodes. */
  slice: PromiseWithResolvers<readonly FingerprintedEpisode[]> | undefined
  /** Why nothing comes any more. */
  lost: Error | undefined
}

/**
 * Has feeds fetched and read in a process beside ours, so that whoever syncs waits for neither. It is there while it is needed; should it
 * end over a feed, those that are under way fail by a fault of ours, and the next one gets another process.
 */
export function createFeedProcess(
  startProcess: StartProcess,
  settings: FeedSettings,
  timer: Timer = systemTimer,
): FeedSources {
  const flights = new Map<number, Flight>()
  let running: RunningProcess | undefined
  let stopIdling: (() => void) | undefined
  let count = 0
  let isClosed = false

  function end(): void {
    stopIdling?.()
    running?.end()
    running = undefined
  }

  function start(): RunningProcess {
    const started = startProcess({
      onReply: take,
      onEnd(cause) {
        // One that we ended ourselves tells later.
        if (running !== started) return
        end()
        loseAll(new Error(`the program that reads feeds ended: ${cause}`))
      },
    })
    started.send({ settings })
    return started
  }

  function send(order: FeedOrder): void {
    running ??= start()
    running.send(order)
  }

  function loseAll(error: Error): void {
    for (const flight of flights.values()) {
      flight.lost = error
      flight.slice?.reject(error)
      flight.answer.reject(error)
    }
    flights.clear()
  }

  function take(reply: FeedReply): void {
    const flight = flights.get(reply.number)
    // Of one that was given up.
    if (!flight) return
    if ('open' in reply) void readIn(flight, reply.open)
    else if ('episodes' in reply) flight.slice?.resolve(reply.episodes)
    else if ('notAFeed' in reply) flight.slice?.reject(new NotAFeed(reply.notAFeed))
    else if ('answer' in reply) flight.answer.resolve(reply.answer)
    else {
      const error = new Error(reply.broken)
      flight.slice?.reject(error)
      flight.answer.reject(error)
    }
  }

  async function readIn(flight: Flight, open: Omit<OpenFeed, 'episodesBut'>): Promise<void> {
    const { number } = flight
    try {
      await flight.read({ ...open, episodesBut: (known, order = 'newest first') => episodesBut(flight, known, order) })
    } catch (error) {
      if (error instanceof NotAFeed) flight.answer.resolve(notAFeed(error))
      else flight.answer.reject(error)
    }
    if (!flight.lost) send({ number, isRead: true })
  }

  async function* episodesBut(
    flight: Flight,
    known: string,
    order: 'newest first' | 'oldest first',
  ): AsyncGenerator<readonly FingerprintedEpisode[], undefined> {
    const { number } = flight
    for (let wish: string | undefined = known; ; wish = undefined) {
      if (flight.lost) throw flight.lost
      flight.slice = Promise.withResolvers()
      send({ number, known: wish, order })
      const episodes = await flight.slice.promise
      if (episodes.length > 0) yield episodes
      if (episodes.length < EPISODES_AT_ONCE) return
    }
  }

  function close(): void {
    isClosed = true
    end()
    loseAll(stopping())
  }

  const sourceOf = (of: keyof FeedSources): FeedSource => ({
    async ask(feed, at, read) {
      if (isClosed) throw stopping()
      const number = count++
      const flight: Flight = { number, read, answer: Promise.withResolvers(), slice: undefined, lost: undefined }
      flights.set(number, flight)
      stopIdling?.()
      try {
        send({ number, of, feed, at })
        return await flight.answer.promise
      } finally {
        flights.delete(number)
        if (flights.size === 0 && running) stopIdling = timer(IDLE_MS, end)
      }
    },
    close,
  })

  return { loop: sourceOf('loop'), users: sourceOf('users'), anyone: sourceOf('anyone') }
}

function stopping(): DomainError {
  return new DomainError('unavailable', 'the server is stopping')
}

function notAFeed({ message }: NotAFeed): FeedAnswer {
  return { kind: 'failed', reason: 'not_a_feed', message, retryAfter: undefined }
}
