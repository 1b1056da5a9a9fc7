import { t } from '../../locales/index.ts'
import { reloadEpisodes } from '../../store/episodes/lists.ts'
import { type MarkFilter, markAll, undoMarks } from '../../store/episodes/marks.ts'
import { ensureQueue, restoreQueue } from '../../store/episodes/queue.ts'
import { toast } from '../../store/toasts.ts'
import { attempt } from '../feedback/notice.tsx'

/** The subject of messages about marks, of which only the last one is true. */
const MARKS = 'marks'

interface Marking {
  readonly as: 'played' | 'new'
  /** Marks, and resolves to how many episodes that were, and what restores them. */
  readonly mark: () => Promise<{ readonly n: number; readonly restore: () => Promise<unknown> }>
}

/** Marks episodes, and shows a message with a button that undoes it. Never rejects. */
export async function offerUndo({ as, mark }: Marking): Promise<void> {
  await attempt(async () => {
    const queued = await ensureQueue()
    const { n, restore } = await mark()
    async function undo(): Promise<void> {
      await restore()
      // Played episodes have left the queue.
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

/** Marks all episodes of a filter. `onChange` loads the page again. Never rejects. */
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
