import { type Answer, ApiError, call } from '../../api/client.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { ago, date } from '../../locales/format.ts'
import { findText, t } from '../../locales/index.ts'
import { ensureSubscriptions, holdersOf } from '../../store/subscriptions.ts'

export type OwnPodcast = Answer<'getOwnPodcast'>

/** What subscribers get to know about a podcast; undefined for other users. Rejects with `ApiError`. */
export async function fetchOwnPodcast(url: string, signal: AbortSignal): Promise<OwnPodcast | undefined> {
  await ensureSubscriptions()
  if (holdersOf(url).size === 0) return undefined
  try {
    return await call('getOwnPodcast', { query: { url }, signal })
  } catch (error) {
    // The user has unsubscribed since `holders` was loaded.
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** The state of the feed and, if it fails, the reason. */
export function Health({ own: { health, private: isPrivate } }: { own: OwnPodcast }) {
  const { state, last_checked: checked } = health
  return (
    <section class="stack-small small" aria-label={t('podcast.health')}>
      <h2 class="podcast-small-heading">{t('podcast.health')}</h2>
      {state === 'failing' || state === 'gone' ? (
        <FailureDetails health={health} />
      ) : (
        <p class="muted">
          {state === 'new' ? t('podcast.isNew') : t('podcast.ok')}{' '}
          {checked !== '' && `${pair(t('podcast.checked'), ago(checked))}.`}
        </p>
      )}
      {isPrivate && <p class="muted">{t('home.privateHint')}</p>}
    </section>
  )
}

function FailureDetails({ health: { reason, since, last_success: succeeded } }: { health: OwnPodcast['health'] }) {
  return (
    <Notice kind="warn">
      <p>
        {findText(`podcast.reasons.${reason}`) ??
          findText(`admin.feeds.reasons.${reason}`) ??
          t('admin.feeds.reasonUnknown')}
      </p>
      <p>
        {t('podcast.failingSince')} {date(since)}.{' '}
        {succeeded !== '' && `${pair(t('podcast.succeeded'), ago(succeeded))}.`}
      </p>
    </Notice>
  )
}

function pair(what: string, value: string): string {
  return t('common.pair', { what, value })
}
