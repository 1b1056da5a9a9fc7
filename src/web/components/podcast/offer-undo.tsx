import { t } from '../../locales/index.ts'
import { reloadEpisodes } from '../../store/episodes/lists.ts'
import { type MarkFilter, markAll, undoMarks } from '../../store/episodes/marks.ts'
import { ensureQueue, restoreQueue } from '../../store/episodes/queue.ts'
import { toast } from '../../store/toasts.ts'
import { attempt } from '../feedback/notice.tsx'

/** Shared subject of messages about marks, so that a new message replaces the previous one. */
const MARKS = 'marks'

interface Marking {
  readonly as: 'played' | 'new'
  /** Marks episodes. Resolves to their number and a function that restores them. */
  readonly mark: () => Promise<{ readonly n: number; readonly restore: () => Promise<unknown> }>
}

/** Marks episodes and shows a message with an undo button. Never rejects. */
export async function offerUndo({ as, mark }: Marking): Promise<void> {
  await attempt(async () => {
    const queued = await ensureQueue()
    const { n, restore } = await mark()
    async function undo(): Promise<void> {
      await restore()
      // Marking as played has removed the episodes from the queue.
      if (as === 'played' && queued.length > 0) await restoreQueue(queued)
    }
    if (n === 0) toast(t('episodes.nothingToMark'), { subject: MARKS })
    else
      toast(as === 'played' ? t('episodes.markedPlayed', { n }) : t('episodes.markedNew', { n }), {
        subject: MARKS,
        action: { label: t('common.undo'), run: () => void attempt(undo, MARKS) },
      })
  }, MARKS)
}

/** Marks all episodes of a filter. `onChange` reloads the page. Never rejects. */
export async function markAllWithUndo(
  filter: MarkFilter,
  as: 'played' | 'new',
  onChange: () => Promise<unknown>,
): Promise<void> {
  const reload = () => Promise.all([reloadEpisodes(), onChange()])
  await offerUndo({
    as,
    async mark() {
      const { n, undo } = await markAll(filter, as)
      if (n > 0) await reload()
      return {
        n,
        async restore() {
          await undoMarks(undo)
          await reload()
          toast(t('episodes.restored', { n }), { subject: MARKS })
        },
      }
    },
  })
}
