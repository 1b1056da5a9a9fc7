import { t } from '../../locales/index.ts'
import { addToQueue, clearQueue, ensureQueue, removeFromQueue, restoreQueue } from '../../store/episodes/queue.ts'
import type { Playable } from '../../store/playback/playable.ts'
import { toast } from '../../store/toasts.ts'
import { attempt } from '../feedback/notice.tsx'

/** Shared subject of messages about the queue, so that a new message replaces the previous one. */
const QUEUE = 'queue'

/** Adds an episode to the start or end of the queue, or moves it there. Never rejects. */
export function enqueue(episode: Playable, at: 'next' | 'last'): Promise<void> {
  const { title } = episode
  const text = at === 'next' ? t('queue.addedNext', { title }) : t('queue.addedLast', { title })
  return offerUndo(text, () => addToQueue([episode], at))
}

/** Never rejects. */
export function dequeue(episode: Playable): Promise<void> {
  return offerUndo(t('queue.removed', { title: episode.title }), () => removeFromQueue(episode))
}

/** Never rejects. */
export function emptyQueue(): Promise<void> {
  return offerUndo(t('queue.cleared'), clearQueue)
}

/** Changes the queue and shows a message with an undo button. Never rejects. */
async function offerUndo(text: string, change: () => Promise<void>): Promise<void> {
  await attempt(async () => {
    const before = await ensureQueue()
    await change()
    toast(text, {
      subject: QUEUE,
      action: { label: t('common.undo'), run: () => void attempt(() => restoreQueue(before), QUEUE) },
    })
  }, QUEUE)
}
