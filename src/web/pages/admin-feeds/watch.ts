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
/** Attempts in a row that bring nothing, after which it asks instead. */
const FAILURES_MAX = 2
/** Milliseconds without a first event, after which it asks: some proxies hold back what comes little by little. */
const SILENCE_MAX = 5000

/** Follows a refresh to its end: by events, and where these do not come through by asking. Returns how to look away. */
export function watchRefresh({ listen, ask, later, show }: WatchParts): () => void {
  let isOver = false
  let isAsking = false
  let failures = 0
  const endEvents = listen({
    onProgress(data) {
      const progress = parseProgress(data)
      if (isOver || isAsking || !progress) return
      failures = 0
      callOff()
      tell(progress)
    },
    onFailure(isFinal) {
      failures++
      if (!isOver && !isAsking && (isFinal || failures >= FAILURES_MAX)) askInstead()
    },
  })
  let callOff = later(SILENCE_MAX, askInstead)

  function askInstead(): void {
    isAsking = true
    endEvents()
    callOff()
    void poll()
  }

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
