import { signal } from '@preact/signals'
import { addressOf, call } from '../../api/client.ts'
import { ADDRESSES } from '../../api/schema.ts'
import { toast } from '../../state/toasts.ts'
import { language, plural, t } from '../../text/index.ts'
import { type Listener, type RefreshProgress, watchRefresh } from './watch.ts'

/** The refresh of all feeds that is under way; undefined if none is, as far as is known here. */
export const refresh = signal<RefreshProgress | undefined>(undefined)

let lookAway: (() => void) | undefined

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
  lookAway?.()
  lookAway = undefined
  refresh.value = undefined
}

function follow(first: RefreshProgress, onEnd: () => void): void {
  leaveRefresh()
  refresh.value = first
  lookAway = watchRefresh({
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
  const source = new EventSource(addressOf(ADDRESSES.watchFeeds[1]))
  source.addEventListener('progress', ({ data }) => onProgress(String(data)))
  source.addEventListener('error', () => onFailure(source.readyState === EventSource.CLOSED))
  return () => source.close()
}

function outcome({ done, failed }: RefreshProgress): string {
  const { finished, finishedFailed } = t().admin.feeds
  const told = plural(finished, done - failed, language.value)
  return failed === 0 ? told : `${told} ${plural(finishedFailed, failed, language.value)}`
}
