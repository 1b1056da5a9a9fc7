import { DomainError, serverStopping } from '../../domain/shared/errors.ts'
import type { Hint, Hints } from '../../domain/shared/hints.ts'
import type { UserId } from '../../domain/shared/ids.ts'
import type { Service } from '../../domain/shared/service.ts'
import type { Timer } from '../../platform/clock.ts'
import { single } from '../../platform/metrics.ts'

/** Milliseconds for which hints are collected, so that identical ones are sent once. Too short to be noticed. */
const GATHER_MS = 100
/** Open streams per user: a few browsers, and streams that they failed to close. */
const STREAMS_PER_USER = 20
/** Hints that may wait for a stream. Beyond that, a single hint says that everything may have changed. */
const WAITING_MAX = 50
const RETRY_SECONDS = 60

export interface HintListener {
  /** Returns the next hints, or an empty list as a heartbeat. Null when the server stops or after `end`. */
  next(): Promise<readonly Hint[] | null>
  setAdmin(isAdmin: boolean): void
  end(): void
}

/** Forwards hints to open streams. Users without a stream miss nothing: a page loads everything when it opens. */
export interface HintHub extends Hints, Service {
  /** Throws `rate_limited` if the user has too many streams, `unavailable` if the server is stopping. */
  open(userId: UserId, isAdmin: boolean): HintListener
  stop(): void
}

interface Stream {
  isAdmin: boolean
  push(hint: Hint): void
  heartbeat(): void
  end(): void
}

export function createHintHub(timer: Timer): HintHub {
  const byUser = new Map<UserId, Set<Stream>>()
  let isStopped = false

  const all = () => [...byUser.values()].flatMap((streams) => [...streams])

  function close(userId: UserId, stream: Stream): void {
    const streams = byUser.get(userId)
    streams?.delete(stream)
    if (streams?.size === 0) byUser.delete(userId)
  }

  return {
    isWatched: (userId) => (userId === undefined ? byUser.size > 0 : byUser.has(userId)),

    watching: () => [...byUser.keys()],

    publish(userId, hint) {
      // Called by nearly every request, mostly for users without an open stream.
      const streams = byUser.get(userId)
      if (streams) for (const stream of streams) stream.push(hint)
    },

    publishToAdmins(hint) {
      for (const stream of all()) if (stream.isAdmin) stream.push(hint)
    },

    open(userId, isAdmin) {
      if (isStopped) throw serverStopping()
      const streams = byUser.get(userId) ?? new Set()
      if (streams.size >= STREAMS_PER_USER)
        throw new DomainError('rate_limited', `only ${STREAMS_PER_USER} event streams may be open at a time`, {
          retryAfter: RETRY_SECONDS,
        })
      const { listener, stream } = createStream(timer, isAdmin, () => close(userId, stream))
      byUser.set(userId, streams.add(stream))
      return listener
    },

    jobs: [
      {
        name: 'heartbeat',
        // More often than this server (cli/listening/listener.ts) or a proxy closes idle connections.
        pattern: '*/20 * * * * *',
        run() {
          for (const stream of all()) stream.heartbeat()
        },
      },
    ],

    counters: () => [single('gauge', 'podstep_live_streams', 'Open pages that receive hints.', all().length)],

    stop() {
      isStopped = true
      for (const stream of all()) stream.end()
    },
  }
}

function createStream(timer: Timer, isAdmin: boolean, onEnd: () => void) {
  let waiting = new Map<string, Hint>()
  let isGathered = false
  let isHeartbeatDue = false
  let isOver = false
  let stopTimer: (() => void) | undefined
  let resolveNext: (() => void) | undefined

  function wake(): void {
    resolveNext?.()
    resolveNext = undefined
  }

  const stream: Stream = {
    isAdmin,
    push(hint) {
      if (waiting.has('all')) return
      if (waiting.size === 0)
        stopTimer = timer(GATHER_MS, () => {
          isGathered = true
          wake()
        })
      // Only the latest progress matters, so it replaces the previous one.
      waiting.set(keyOf(hint), hint)
      if (waiting.size > WAITING_MAX) waiting = new Map([['all', { topic: 'all' }]])
    },
    heartbeat() {
      isHeartbeatDue = true
      wake()
    },
    end() {
      isOver = true
      stopTimer?.()
      onEnd()
      wake()
    },
  }

  const listener: HintListener = {
    async next() {
      if (!isGathered && !isHeartbeatDue && !isOver)
        await new Promise<void>((resolve) => {
          resolveNext = resolve
        })
      if (isOver) return null
      isHeartbeatDue = false
      if (!isGathered) return []
      isGathered = false
      const hints = [...waiting.values()]
      waiting = new Map()
      return hints
    },
    setAdmin(granted) {
      stream.isAdmin = granted
    },
    end: stream.end,
  }
  return { listener, stream }
}

function keyOf(hint: Hint): string {
  if (hint.topic === 'podcast') return `podcast ${hint.url}`
  if (hint.topic === 'episodes') return `episodes ${hint.podcast ?? ''}`
  if (hint.topic === 'import') return `import ${hint.id}`
  return hint.topic
}
