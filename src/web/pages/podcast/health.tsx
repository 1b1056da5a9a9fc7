import { type Answer, ApiError, call } from '../../api/client.ts'
import { Notice } from '../../components/feedback/notice.tsx'
import { holdersOf, knowSubscriptions } from '../../store/subscriptions.ts'
import { ago, date, fill, t } from '../../text/index.ts'

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
  const texts = t().podcast
  const { state, last_checked: checked } = health
  return (
    <section class="stack-small small" aria-label={texts.health}>
      <h2 class="podcast-small-heading">{texts.health}</h2>
      {state === 'failing' || state === 'gone' ? (
        <Trouble health={health} />
      ) : (
        <p class="muted">
          {state === 'new' ? texts.isNew : texts.ok} {checked !== '' && `${told(texts.checked, ago(checked))}.`}
        </p>
      )}
      {isPrivate && <p class="muted">{t().home.privateHint}</p>}
    </section>
  )
}

function Trouble({ health: { reason, since, last_success: succeeded } }: { health: Own['health'] }) {
  const texts = t().podcast
  const { feeds } = t().admin
  return (
    <Notice kind="warn">
      <p>{texts.reasons[reason] ?? feeds.reasons[reason] ?? feeds.reasonUnknown}</p>
      <p>
        {texts.failingSince} {date(since)}. {succeeded !== '' && `${told(texts.succeeded, ago(succeeded))}.`}
      </p>
    </Notice>
  )
}

function told(what: string, value: string): string {
  return fill(t().common.pair, { what, value })
}
