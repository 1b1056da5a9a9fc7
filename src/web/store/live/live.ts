/** Kind of data that may have changed; see the description of `watchAccount`. */
export type Topic =
  | 'subscriptions'
  | 'podcast'
  | 'devices'
  | 'episodes'
  | 'queue'
  | 'folders'
  | 'settings'
  | 'account'
  | 'import'
  | 'refresh'
  | 'app-passwords'

export interface Hint {
  /** `all` if hints may have been missed, so that anything may have changed. */
  readonly topic: Topic | 'all'
  readonly url?: string
  readonly podcast?: string
  readonly id?: number
  readonly running?: boolean
  readonly done?: number
  readonly failed?: number
  readonly total?: number
}

const listeners = new Set<(hint: Hint) => void>()

/** Calls `listen` with each hint. Returns a function that unsubscribes it. */
export function listenToHints(listen: (hint: Hint) => void): () => void {
  listeners.add(listen)
  return () => void listeners.delete(listen)
}

/** Passes a hint to all listeners in this tab. */
export function notifyListeners(hint: Hint): void {
  for (const listen of [...listeners]) listen(hint)
}

/** Message between the tabs of a browser, which share one stream of hints. */
export type TabMessage =
  | { readonly kind: 'hint'; readonly hint: Hint }
  /** Whether the stream of the leading tab is open. */
  | { readonly kind: 'state'; readonly isOpen: boolean }
  /** Asks the leading tab for `state`. */
  | { readonly kind: 'ask' }

export interface StreamEvents {
  onReady(): void
  onHint(hint: Hint): void
  /** Called for any data, including heartbeats. */
  onSign(): void
  /** Called when the stream breaks off or cannot be opened. */
  onEnd(): void
}

/** Browser functions that `createLive` needs; tests replace them. */
export interface LiveParts {
  /** Opens a stream of hints. Returns a function that closes it. */
  openStream(events: StreamEvents): () => void
  /** Asks the server whether the session is still valid. If not, sign-out is handled elsewhere (`onSignOut`). */
  checkSession(): Promise<unknown>
  /** Calls `begin` when this tab becomes the leader, at once if tabs cannot elect one. Returns a resign function. */
  lead(begin: () => void): () => void
  /** Whether tabs can elect a leader. */
  readonly isShared: boolean
  broadcast(message: TabMessage): void
  /** Schedules `work`. Returns a function that cancels it. */
  later(milliseconds: number, work: () => void): () => void
}

/** Milliseconds to wait for the first event of a stream. A proxy that delays it longer is buffering the stream. */
const READY_MAX = 8000
/** Milliseconds to the first event above which data may have changed between page load and the stream. */
const READY_SOON = 3000
/** Milliseconds without a heartbeat (one every 20 seconds) after which the connection counts as dead. */
const SILENCE_MAX = 65_000
/** Consecutive stream failures before the tab falls back to polling. */
const FAILURES_MAX = 2
/** Milliseconds before the next attempt: initial and maximum backoff. */
const RETRY_FIRST = 1000
const RETRY_MAX = 60_000
/** Milliseconds between polls: for the first few, while the user is likely to be waiting, and then. */
const POLL_SOON = 5000
const POLL_LATER = 20_000
const POLLS_SOON = 12
/** Milliseconds to wait for the leading tab's `state` before polling. */
const ANSWER_MAX = 5000
/** Milliseconds until a hidden tab stops; none if each tab has its own connection. */
const HIDDEN_MAX = 180_000
const HIDDEN_MAX_ALONE = 0

/**
 * Calls `deliver` with each hint from the server. One tab of the browser leads: it keeps the stream open and passes
 * hints to the others, since browsers allow only six connections to a server over HTTP/1.1. Delivers `all` once after a
 * gap, and on every poll while there is no stream.
 */
export function createLive(parts: LiveParts, deliver: (hint: Hint) => void) {
  const { openStream, checkSession, lead, isShared, broadcast, later } = parts
  let isActive = false
  let isLeading = false
  /** Whether another tab has been the leader. */
  let wasLed = false
  /** Whether hints may have been missed. */
  let hasGap = false
  let isOpen = false
  let failures = 0
  let closeStream = nothing
  let endLead = nothing
  let cancelWait = nothing
  let cancelPause = nothing
  let cancelPoll: (() => void) | undefined

  function start(): void {
    if (isActive) return
    isActive = true
    failures = 0
    wasLed = false
    endLead = lead(() => {
      if (!isActive) return
      isLeading = true
      // The previous leader is gone, possibly for some time.
      if (wasLed) hasGap = true
      connect()
    })
    if (isLeading) return
    cancelWait = later(ANSWER_MAX, () => poll())
    broadcast({ kind: 'ask' })
  }

  function stop(): void {
    isActive = false
    isLeading = false
    hasGap = true
    disconnect()
    endPolls()
    cancelPause()
    endLead()
  }

  function connect(): void {
    disconnect()
    cancelWait = later(READY_SOON, () => {
      hasGap = true
      cancelWait = later(READY_MAX - READY_SOON, fail)
    })
    closeStream = openStream({
      onReady() {
        failures = 0
        isOpen = true
        endPolls()
        broadcast({ kind: 'state', isOpen })
        if (hasGap) spread({ topic: 'all' })
        hasGap = false
      },
      onHint: spread,
      onSign() {
        cancelWait()
        cancelWait = later(SILENCE_MAX, fail)
      },
      onEnd: fail,
    })
  }

  function disconnect(): void {
    isOpen = false
    cancelWait()
    closeStream()
    closeStream = nothing
  }

  function fail(): void {
    disconnect()
    hasGap = true
    failures++
    if (failures >= FAILURES_MAX) {
      broadcast({ kind: 'state', isOpen })
      if (!cancelPoll) poll()
    }
    cancelWait = later(Math.min(RETRY_MAX, RETRY_FIRST * 2 ** (failures - 1)), () => {
      // The stream gives no reason for its failure. If the session has ended, `stop` is called.
      void checkSession()
        .catch(nothing)
        .then(() => {
          if (isActive && isLeading && !isOpen) connect()
        })
    })
  }

  /** Delivers a hint in this tab and in the others. */
  function spread(hint: Hint): void {
    broadcast({ kind: 'hint', hint })
    deliver(hint)
  }

  function poll(turn = 0): void {
    hasGap = true
    deliver({ topic: 'all' })
    cancelPoll = later(turn < POLLS_SOON ? POLL_SOON : POLL_LATER, () => poll(turn + 1))
  }

  function endPolls(): void {
    cancelPoll?.()
    cancelPoll = undefined
  }

  /** Handles a message from the leading tab. */
  function follow(message: Exclude<TabMessage, { kind: 'ask' }>): void {
    wasLed = true
    cancelWait()
    if (message.kind === 'hint') deliver(message.hint)
    else if (message.isOpen) {
      endPolls()
      if (hasGap) deliver({ topic: 'all' })
      hasGap = false
    } else if (!cancelPoll) poll()
  }

  return {
    start,
    stop,

    /** Handles a message from another tab. */
    hear(message: TabMessage): void {
      if (!isActive) return
      if (message.kind !== 'ask') {
        // There may briefly be two leaders during a handover.
        if (!isLeading) follow(message)
      } else if (isLeading) broadcast({ kind: 'state', isOpen: failures < FAILURES_MAX })
    },

    /** Handles a change of the tab's visibility. */
    setVisible(isVisible: boolean): void {
      cancelPause()
      if (isVisible) start()
      else if (isActive) cancelPause = later(isShared ? HIDDEN_MAX : HIDDEN_MAX_ALONE, stop)
    },
  }
}

function nothing(): void {}
