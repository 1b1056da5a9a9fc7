import { number } from '../../locales/format.ts'
import { t } from '../../locales/index.ts'
import type { RefreshProgress } from './refresh.ts'

/** How far the refresh of all feeds has come. Screen readers ask the bar; told step by step it would be noise. */
export function RefreshBar({ progress: { done, failed, total } }: { progress: RefreshProgress }) {
  return (
    <div class="card stack-small">
      <div class="row-apart">
        <p class="refresh-title">{t('admin.feeds.refreshing')}</p>
        <p class="muted">
          {t('admin.feeds.progress', { done: number(done), total: number(total) })}
          {failed > 0 && ` · ${t('admin.feeds.progressFailed', { n: failed })}`}
        </p>
      </div>
      <progress class="progress" aria-label={t('admin.feeds.refreshing')} max={Math.max(1, total)} value={done} />
      <p class="muted small">{t('admin.feeds.leave')}</p>
    </div>
  )
}
