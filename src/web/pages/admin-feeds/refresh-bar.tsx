import { fill, language, number, plural, t } from '../../text/index.ts'
import type { RefreshProgress } from './refresh.ts'

/** How far the refresh of all feeds has come. Screen readers ask the bar; told step by step it would be noise. */
export function RefreshBar({ progress: { done, failed, total } }: { progress: RefreshProgress }) {
  const texts = t().admin.feeds
  return (
    <div class="card stack-small">
      <div class="row-apart">
        <p class="refresh-title">{texts.refreshing}</p>
        <p class="muted">
          {fill(texts.progress, { done: number(done), total: number(total) })}
          {failed > 0 && ` · ${plural(texts.progressFailed, failed, language.value)}`}
        </p>
      </div>
      <progress class="progress" aria-label={texts.refreshing} max={Math.max(1, total)} value={done} />
      <p class="muted small">{texts.leave}</p>
    </div>
  )
}
