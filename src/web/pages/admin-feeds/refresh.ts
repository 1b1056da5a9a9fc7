import { signal } from '@preact/signals'
import { call, requestUrl } from '../../api/client.ts'
import { ADDRESSES } from '../../api/schema.ts'
import { t } from '../../locales/index.ts'
import { toast } from '../../store/toasts.ts'

/** The refresh of all feeds that is under way; undefined if none is, as far as is known here. */
export const refresh = signal<RefreshProgress | undefined>(undefined)

let stopWatching: (() => void) | undefined

/** Follows one that is under way already. Rejects with `ApiError`. */
export async function followRefresh(onEnd: () => void): Promise<void> {
  const status = await call('getFeedsStatus')
  if (status.running) follow(status, onEnd)
}

/** Rejects with `ApiError`. */
export async function startRefresh(onEnd: () => void): Promise<void> {
  const { feeds } = await call('refreshFeeds')
  follow({ running: true, done: 0, failed: 0, total: feeds }, onEnd)
}

/** The server goes on without anybody who looks on. */
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
    ask: () => call('getFeedsStatus'),
    later(milliseconds, work) {
      const timer = setTimeout(work, milliseconds)
      return () => clearTimeout(timer)
    },
    show(progress) {
      refresh.value = progress.running ? progress : undefined
      if (progress.running) return
      toast(outcome(progress))
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

function outcome({ done, failed }: RefreshProgress): string {
  const told = t('admin.feeds.finished', { n: done - failed })
  return failed === 0 ? told : `${told} ${t('admin.feeds.finishedFailed', { n: failed })}`
}

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

export interface WatchOptions {
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
export function watchRefresh({ listen, ask, later, show }: WatchOptions): () => void {
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
