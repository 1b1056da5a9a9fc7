import { signal } from '@preact/signals'
import { call, requestUrl } from '../../api/client.ts'
import { ADDRESSES } from '../../api/schema.ts'
import { t } from '../../locales/index.ts'
import { toast } from '../../store/toasts.ts'

/** The running refresh of all feeds; undefined if none is known to be running. */
export const refresh = signal<RefreshProgress | undefined>(undefined)

let stopWatching: (() => void) | undefined

/** Watches a refresh that is already running, if there is one. Rejects with `ApiError`. */
export async function followRefresh(onEnd: () => void): Promise<void> {
  const status = await call('getFeedsStatus')
  if (status.running) follow(status, onEnd)
}

/** Starts a refresh and watches it. Rejects with `ApiError`. */
export async function startRefresh(onEnd: () => void): Promise<void> {
  const { feeds } = await call('refreshFeeds')
  follow({ running: true, done: 0, failed: 0, total: feeds }, onEnd)
}

/** Stops watching. The refresh goes on at the server. */
export function leaveRefresh(): void {
  stopWatching?.()
  stopWatching = undefined
  refresh.value = undefined
}

function follow(first: RefreshProgress, onEnd: () => void): void {
  leaveRefresh()
  refresh.value = first
  stopWatching = watchRefresh({
    listen,
    fetchStatus: () => call('getFeedsStatus'),
    later(milliseconds, work) {
      const timer = setTimeout(work, milliseconds)
      return () => clearTimeout(timer)
    },
    show(progress) {
      refresh.value = progress.running ? progress : undefined
      if (progress.running) return
      toast(resultText(progress))
      onEnd()
    },
  })
}

function listen({ onProgress, onFailure }: Listener): () => void {
  const source = new EventSource(requestUrl(ADDRESSES.watchFeeds[1]))
  source.addEventListener('progress', ({ data }) => onProgress(String(data)))
  source.addEventListener('error', () => onFailure(source.readyState === EventSource.CLOSED))
  return () => source.close()
}

function resultText({ done, failed }: RefreshProgress): string {
  const finished = t('admin.feeds.finished', { n: done - failed })
  return failed === 0 ? finished : `${finished} ${t('admin.feeds.finishedFailed', { n: failed })}`
}

/** How far a refresh of all feeds has come. */
export interface RefreshProgress {
  readonly running: boolean
  readonly done: number
  /** How many of those that are done have failed. */
  readonly failed: number
  readonly total: number
}

export interface Listener {
  onProgress(data: string): void
  /** `isFinal` if the browser will not reconnect by itself. */
  onFailure(isFinal: boolean): void
}

export interface WatchOptions {
  /** Listens to events of the server. Returns a function that stops. */
  listen(listener: Listener): () => void
  fetchStatus(): Promise<RefreshProgress>
  /** Runs something later. Returns a function that cancels it. */
  later(milliseconds: number, work: () => void): () => void
  show(progress: RefreshProgress): void
}

/** Milliseconds between two requests when polling. */
const POLL_EVERY = 2000
/** The number of failed connections in a row after which it polls instead. */
const FAILURES_MAX = 2
/** Milliseconds to wait for the first event before polling, since some proxies hold back streamed responses. */
const SILENCE_MAX = 5000

/** Watches a refresh by server-sent events or, where these do not come through, by polling. Returns what stops it. */
export function watchRefresh({ listen, fetchStatus, later, show }: WatchOptions): () => void {
  let isOver = false
  let isPolling = false
  let failures = 0
  const endEvents = listen({
    onProgress(data) {
      const progress = parseProgress(data)
      if (isOver || isPolling || !progress) return
      failures = 0
      cancelTimer()
      report(progress)
    },
    onFailure(isFinal) {
      failures++
      if (!isOver && !isPolling && (isFinal || failures >= FAILURES_MAX)) pollInstead()
    },
  })
  let cancelTimer = later(SILENCE_MAX, pollInstead)

  function pollInstead(): void {
    isPolling = true
    endEvents()
    cancelTimer()
    void poll()
  }

  function report(progress: RefreshProgress): void {
    show(progress)
    if (!progress.running) stop()
  }

  async function poll(): Promise<void> {
    // If the request fails, the next one may succeed.
    const progress = await fetchStatus().catch(() => undefined)
    if (isOver) return
    if (progress) report(progress)
    if (!isOver) cancelTimer = later(POLL_EVERY, () => void poll())
  }

  function stop(): void {
    isOver = true
    endEvents()
    cancelTimer()
  }

  return stop
}

/** Parses an event; undefined if it is malformed. */
function parseProgress(data: string): RefreshProgress | undefined {
  try {
    const { running, done, failed, total } = JSON.parse(data)
    const isWhole = [done, failed, total].every((count) => Number.isInteger(count) && count >= 0)
    return typeof running === 'boolean' && isWhole ? { running, done, failed, total } : undefined
  } catch {
    return undefined
  }
}
