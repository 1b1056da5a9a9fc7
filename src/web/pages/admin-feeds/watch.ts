/** How far a refresh of all feeds has come. */
export interface RefreshProgress {
  readonly running: boolean
  readonly done: number
  /** Of those that are done. */
  readonly failed: number
  readonly total: number
}

export interface Listener {
  onProgress(data: string): void
  /** `isOver` if the browser will not come back by itself. */
  onFailure(isOver: boolean): void
}

export interface WatchParts {
  /** Begins to listen to the server; returns how to end it. */
  listen(listener: Listener): () => void
  ask(): Promise<RefreshProgress>
  /** Does something later; returns how to call it off. */
  later(milliseconds: number, work: () => void): () => void
  show(progress: RefreshProgress): void
}

/** Milliseconds between two questions, where events do not come through. */
const POLL_EVERY = 2000
/** Attempts in a row that bring nothing, after which it asks instead: proxies may hold back what comes little by little. */
const FAILURES_MAX = 3

/** Follows a refresh to its end: by events, and where these do not come through by asking. Returns how to look away. */
export function watchRefresh({ listen, ask, later, show }: WatchParts): () => void {
  let isOver = false
  let failures = 0
  let callOff: () => void = () => undefined
  const endEvents = listen({
    onProgress(data) {
      const progress = parseProgress(data)
      if (isOver || !progress) return
      failures = 0
      tell(progress)
    },
    onFailure(isFinal) {
      failures++
      if (isOver || (!isFinal && failures < FAILURES_MAX)) return
      endEvents()
      void poll()
    },
  })

  function tell(progress: RefreshProgress): void {
    show(progress)
    if (!progress.running) stop()
  }

  async function poll(): Promise<void> {
    // A server that does not answer now is asked again.
    const progress = await ask().catch(() => undefined)
    if (isOver) return
    if (progress) tell(progress)
    if (!isOver) callOff = later(POLL_EVERY, () => void poll())
  }

  function stop(): void {
    isOver = true
    endEvents()
    callOff()
  }

  return stop
}

/** Undefined for what is no progress. */
export function parseProgress(data: string): RefreshProgress | undefined {
  try {
    const { running, done, failed, total } = JSON.parse(data)
    const isWhole = [done, failed, total].every((count) => Number.isInteger(count) && count >= 0)
    return typeof running === 'boolean' && isWhole ? { running, done, failed, total } : undefined
  } catch {
    return undefined
  }
}
