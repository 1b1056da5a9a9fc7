/** How far a refresh of all feeds has come. */
export interface FeedProgress {
  readonly isRunning: boolean
  readonly done: number
  /** Of those that are done. */
  readonly failed: number
  readonly total: number
}

/** Of somebody who looks on. */
export interface ProgressWatcher {
  /**
   * The latest that was not told yet, when there is one: at first what it is now. `undefined` says that there is nothing new, but that the
   * server is still there. Ends, with null, when the server stops.
   */
  next(): Promise<FeedProgress | undefined | null>
  end(): void
}

export interface ProgressBoard {
  latest(): FeedProgress
  publish(progress: FeedProgress): void
  /** Undefined when too many look on already. */
  watch(): ProgressWatcher | undefined
  /** A sign of life for connections on which nothing happens. Called every some seconds. */
  heartbeat(): void
  close(): void
}

const WATCHERS_MAX = 50
const NOTHING: FeedProgress = { isRunning: false, done: 0, failed: 0, total: 0 }

/** Whoever is slow misses what was in between, and is kept waiting by nobody. */
export function createProgressBoard(): ProgressBoard {
  let latest = NOTHING
  let version = 0
  let isClosed = false
  const waiting = new Set<() => void>()
  const watchers = new Set<ProgressWatcher>()

  function wake(): void {
    const all = [...waiting]
    waiting.clear()
    for (const resolve of all) resolve()
  }

  function watch(): ProgressWatcher {
    let told = -1
    const watcher: ProgressWatcher = {
      async next() {
        if (told === version && !isClosed) await new Promise<void>((resolve) => waiting.add(resolve))
        if (isClosed || !watchers.has(watcher)) return null
        if (told === version) return undefined
        told = version
        return latest
      },
      end() {
        watchers.delete(watcher)
      },
    }
    return watcher
  }

  return {
    latest: () => latest,
    publish(progress) {
      latest = progress
      version++
      wake()
    },
    watch() {
      if (watchers.size >= WATCHERS_MAX) return undefined
      const watcher = watch()
      watchers.add(watcher)
      return watcher
    },
    heartbeat: wake,
    close() {
      isClosed = true
      wake()
    },
  }
}
