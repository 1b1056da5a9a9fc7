import { type Answer, ApiError, call } from '../../api/client.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { ago, date } from '../../locales/format.ts'
import { findText, t } from '../../locales/index.ts'
import { holdersOf, knowSubscriptions } from '../../store/subscriptions.ts'

export type Own = Answer<'getOwnPodcast'>

/** What only its subscribers see; undefined for others. Rejects with `ApiError`. */
export async function askOwn(url: string, signal: AbortSignal): Promise<Own | undefined> {
  await knowSubscriptions()
  if (holdersOf(url).size === 0) return undefined
  try {
    return await call('getOwnPodcast', { query: { url }, signal })
  } catch (error) {
    // Theirs no more since the list was asked for.
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** How the feed does, and if it is not well, why. */
export function Health({ own: { health, private: isPrivate } }: { own: Own }) {
  const { state, last_checked: checked } = health
  return (
    <section class="stack-small small" aria-label={t('podcast.health')}>
      <h2 class="podcast-small-heading">{t('podcast.health')}</h2>
      {state === 'failing' || state === 'gone' ? (
        <Trouble health={health} />
      ) : (
        <p class="muted">
          {state === 'new' ? t('podcast.isNew') : t('podcast.ok')}{' '}
          {checked !== '' && `${told(t('podcast.checked'), ago(checked))}.`}
        </p>
      )}
      {isPrivate && <p class="muted">{t('home.privateHint')}</p>}
    </section>
  )
}

function Trouble({ health: { reason, since, last_success: succeeded } }: { health: Own['health'] }) {
  return (
    <Notice kind="warn">
      <p>
        {findText(`podcast.reasons.${reason}`) ??
          findText(`admin.feeds.reasons.${reason}`) ??
          t('admin.feeds.reasonUnknown')}
      </p>
      <p>
        {t('podcast.failingSince')} {date(since)}.{' '}
        {succeeded !== '' && `${told(t('podcast.succeeded'), ago(succeeded))}.`}
      </p>
    </Notice>
  )
}

function told(what: string, value: string): string {
  return t('common.pair', { what, value })
}
