import { Button } from '../../components/forms/button.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { Page } from '../../components/layout/page.tsx'
import { emptyQueue } from '../../components/queue/queue-actions.ts'
import { KeepPlaying, QueueList, queueSummary } from '../../components/queue/queue-list.tsx'
import { isNarrow } from '../../hooks/narrow.ts'
import { t } from '../../locales/index.ts'
import { queue } from '../../store/episodes/queue.ts'

export default function Queue() {
  const items = queue.value ?? []

  async function clear(): Promise<void> {
    await emptyQueue()
    restoreFocus(document.querySelector('h1'))
  }

  return (
    <Page
      title={t('queue.title')}
      actions={
        items.length > 0 && (
          <Button kind="quiet" icon="trash" {...(isNarrow.value && { label: t('queue.clear') })} onClick={clear}>
            {!isNarrow.value && t('queue.clear')}
          </Button>
        )
      }
    >
      <div class="stack">
        {items.length > 0 && <p class="muted small">{queueSummary(items)}</p>}
        <h2 class="hidden-text">{t('common.nav.queue')}</h2>
        <QueueList />
        <KeepPlaying />
      </div>
    </Page>
  )
}
