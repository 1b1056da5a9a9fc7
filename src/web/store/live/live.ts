/** What may have changed; see the description of `watchAccount`. */
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
  /** `all`: anything, since hints may have been missed. */
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

/** Calls `listen` with each hint that arrives. Returns what ends that. */
export function listenToHints(listen: (hint: Hint) => void): () => void {
  listeners.add(listen)
  return () => void listeners.delete(listen)
}

/** Passes a hint on to all who listen in this tab. */
export function tellListeners(hint: Hint): void {
  for (const listen of [...listeners]) listen(hint)
}

/** What tabs of one browser tell each other, so that one stream of hints is enough for all of them. */
export type TabMessage =
  | { readonly kind: 'hint'; readonly hint: Hint }
  /** Whether the stream of the leading tab is open. */
  | { readonly kind: 'state'; readonly isOpen: boolean }
  /** Asks the leading tab for that. */
  | { readonly kind: 'ask' }

export interface StreamEvents {
  /** The stream has begun. */
  onReady(): void
  onHint(hint: Hint): void
  /** Anything has come, if only a heartbeat. */
  onSign(): void
  /** The stream has broken off, or could not be opened. */
  onEnd(): void
}

/** What the browser does for it; tests do without one. */
export interface LiveParts {
  /** Opens a stream of hints. Returns what closes it. */
  openStream(events: StreamEvents): () => void
  /** Asks the server whether the session goes on; what is to be done if it does not happens elsewhere. */
  checkSession(): Promise<unknown>
  /** Calls `begin` when this tab is to lead: at once where tabs cannot agree on one. Returns what ends its lead. */
  lead(begin: () => void): () => void
  /** Whether tabs can agree on one that leads. */
  readonly isShared: boolean
  tell(message: TabMessage): void
  /** Runs something later. Returns a function that cancels it. */
  later(milliseconds: number, work: () => void): () => void
}

/** Milliseconds until the first event of a stream; a proxy that holds it back that long does so for ever. */
const READY_MAX = 8000
/** Milliseconds after which something may have changed since the page was loaded, just before the stream. */
const READY_SOON = 3000
/** Milliseconds without a heartbeat, which comes every 20 seconds, after which the connection is dead. */
const SILENCE_MAX = 65_000
/** Streams that fail in a row before the tab polls instead. */
const FAILURES_MAX = 2
/** Milliseconds before the next attempt: at first, and at most. */
const RETRY_FIRST = 1000
const RETRY_MAX = 60_000
/** Milliseconds between two polls: at first, when somebody is likely to wait for something, and later. */
const POLL_SOON = 5000
const POLL_LATER = 20_000
const POLLS_SOON = 12
/** Milliseconds in which the leading tab tells whether its stream is open. */
const ANSWER_MAX = 5000
/** Milliseconds after which a hidden tab stops: at once where every tab has a connection of its own. */
const HIDDEN_MAX = 180_000
const HIDDEN_MAX_ALONE = 0

/**
 * Has `deliver` called with each hint of the server. One tab of the browser leads: it keeps the stream open and passes
 * the hints on to the others, since browsers open only six connections to a server over HTTP/1.1. After a gap `all` is
 * delivered once, and again and again as long as there is no stream.
 */
export function createLive(parts: LiveParts, deliver: (hint: Hint) => void) {
  const { openStream, checkSession, lead, isShared, tell, later } = parts
  let isActive = false
  let isLeading = false
  /** Whether another tab has led. */
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
      // The tab that has led until now is gone, and nobody knows since when.
      if (wasLed) hasGap = true
      connect()
    })
    if (isLeading) return
    cancelWait = later(ANSWER_MAX, () => poll())
    tell({ kind: 'ask' })
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
        tell({ kind: 'state', isOpen })
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
      tell({ kind: 'state', isOpen })
      if (!cancelPoll) poll()
    }
    cancelWait = later(Math.min(RETRY_MAX, RETRY_FIRST * 2 ** (failures - 1)), () => {
      // The stream does not say why it failed. Where the session has ended, this tab is told to stop.
      void checkSession()
        .catch(nothing)
        .then(() => {
          if (isActive && isLeading && !isOpen) connect()
        })
    })
  }

  /** To the pages of this tab, and of the others. */
  function spread(hint: Hint): void {
    tell({ kind: 'hint', hint })
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

  /** A message of the tab that leads. */
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

    /** A message of another tab. */
    hear(message: TabMessage): void {
      if (!isActive) return
      if (message.kind !== 'ask') {
        // Two tabs may lead for a moment, while the lead changes.
        if (!isLeading) follow(message)
      } else if (isLeading) tell({ kind: 'state', isOpen: failures < FAILURES_MAX })
    },

    /** The tab is seen again, or not any more. */
    setVisible(isVisible: boolean): void {
      cancelPause()
      if (isVisible) start()
      else if (isActive) cancelPause = later(isShared ? HIDDEN_MAX : HIDDEN_MAX_ALONE, stop)
    },
  }
}

function nothing(): void {}
