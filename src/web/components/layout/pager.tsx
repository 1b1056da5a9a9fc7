import { fill, number, t } from '../../text/index.ts'
import { Button } from '../forms/button.tsx'

interface PagerProps {
  /** From 0. */
  readonly page: number
  readonly count: number
  readonly onTurn: (page: number) => void
}

/** The way through a list of many pages; nothing where there is one. */
export function Pager({ page, count, onTurn }: PagerProps) {
  const texts = t().admin.pager
  if (count < 2) return null
  return (
    <nav class="row pager" aria-label={texts.label}>
      <Button icon="back" disabled={page === 0} onClick={() => onTurn(page - 1)}>
        {texts.previous}
      </Button>
      <span class="muted" role="status">
        {fill(texts.where, { page: number(page + 1), count: number(count) })}
      </span>
      <Button icon="forward" disabled={page >= count - 1} onClick={() => onTurn(page + 1)}>
        {texts.next}
      </Button>
    </nav>
  )
}
