import { signal } from '@preact/signals'
import { call } from '../../api/client.ts'
import { t } from '../../locales/index.ts'
import type { Hint } from '../../store/live/live.ts'
import { toast } from '../../store/toasts.ts'

/** Progress of a refresh of all feeds. */
export interface RefreshProgress {
  readonly running: boolean
  readonly done: number
  /** Number of failures, included in `done`. */
  readonly failed: number
  readonly total: number
}

/** The running refresh; undefined if none is known to be running. */
export const refresh = signal<RefreshProgress | undefined>(undefined)

/** Shows the running refresh, if any. Rejects with `ApiError`. */
export async function loadRefresh(): Promise<void> {
  show(await call('getFeedsStatus'))
}

/** Rejects with `ApiError`. */
export async function startRefresh(): Promise<void> {
  const { feeds } = await call('refreshFeeds')
  show({ running: true, done: 0, failed: 0, total: feeds })
}

/** Shows the progress in a hint, or queries the server if hints may have been missed. Never rejects. */
export async function followRefresh(hint: Hint, onEnd: () => unknown): Promise<void> {
  const wasRunning = refresh.value !== undefined
  const { running, done, failed, total } = hint
  if (running !== undefined && done !== undefined && failed !== undefined && total !== undefined)
    show({ running, done, failed, total })
  // After a failure, the next hint brings the same information.
  else if (hint.topic === 'all') await loadRefresh().catch(() => undefined)
  if (wasRunning && refresh.value === undefined) await onEnd()
}

function show(progress: RefreshProgress): void {
  const wasRunning = refresh.value !== undefined
  refresh.value = progress.running ? progress : undefined
  if (wasRunning && !progress.running) toast(resultText(progress))
}

function resultText({ done, failed }: RefreshProgress): string {
  const finished = t('admin.feeds.finished', { n: done - failed })
  return failed === 0 ? finished : `${finished} ${t('admin.feeds.finishedFailed', { n: failed })}`
}
