import { number, t } from '../../locales/index.ts'
import { Button } from '../forms/button.tsx'

interface PagerProps {
  /** Current page, counted from 0. */
  readonly page: number
  readonly count: number
  readonly onTurn: (page: number) => void
}

/** Buttons for the previous and next page of a list. Renders nothing if there is only one page. */
export function Pager({ page, count, onTurn }: PagerProps) {
  if (count < 2) return null
  return (
    <nav class="row pager" aria-label={t('admin.pager.label')}>
      <Button icon="back" disabled={page === 0} onClick={() => onTurn(page - 1)}>
        {t('common.previous')}
      </Button>
      <span class="muted" role="status">
        {t('admin.pager.where', { page: number(page + 1), count: number(count) })}
      </span>
      <Button icon="forward" disabled={page >= count - 1} onClick={() => onTurn(page + 1)}>
        {t('common.next')}
      </Button>
    </nav>
  )
}
