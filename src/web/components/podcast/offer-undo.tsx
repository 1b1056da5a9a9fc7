import { t } from '../../locales/index.ts'
import { toast } from '../../store/toasts.ts'
import { attempt } from '../feedback/notice.tsx'

/** The subject of messages about marks, of which only the last one is true. */
export const MARKS = 'marks'

interface Marking {
  readonly as: 'played' | 'new'
  /** How many episodes are marked. */
  readonly n: number
  readonly mark: () => Promise<unknown>
  readonly restore: () => Promise<unknown>
}

/** Marks episodes, and shows a message with which that is taken back. */
export async function offerUndo({ as, n, mark, restore }: Marking): Promise<void> {
  if (!(await attempt(mark, MARKS))) return
  toast(as === 'played' ? t('episodes.markedPlayed', { n }) : t('episodes.markedNew', { n }), {
    subject: MARKS,
    action: { label: t('common.undo'), run: () => void attempt(restore, MARKS) },
  })
}
