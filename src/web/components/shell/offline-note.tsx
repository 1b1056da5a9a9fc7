import { ago, t } from '../../locales/index.ts'
import { shownSince } from '../../pwa/offline.ts'

/** Note with the age of the data on the page while the server is unreachable. */
export function OfflineNote() {
  const { value: since } = shownSince
  return (
    <div class="offline-note small" role="status">
      {since !== undefined && (
        <p>{t('common.offlineSince', { when: ago(new Date(since).toISOString().slice(0, 19)) })}</p>
      )}
    </div>
  )
}
