import { type Answer, ApiError, call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { ServerQuote } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { MetaLine } from '../../components/layout/section.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { useMutation } from '../../hooks/use-mutation.ts'
import { ago, until } from '../../locales/format.ts'
import { findText, t } from '../../locales/index.ts'
import { toast } from '../../store/toasts.ts'

export type Feed = Answer<'listFeeds'>['feeds'][number]

const CHIP_CLASSES = { ok: 'chip-good', failing: 'chip-bad', gone: 'chip-warn', new: '' } as const
/** Error codes of a failed refresh of one feed. The list explains them better, so the message stays general. */
const FEED_CODES: readonly string[] = ['feed_unreachable', 'feed_invalid', 'feed_forbidden']

/** A feed with its state and, if it fails, the reason. */
export function FeedItem({ feed, onChange }: { feed: Feed; onChange: () => Promise<void> }) {
  const { id, url, title, private: isPrivate, state, subscribers, last_checked, moved_to } = feed
  const { isBusy, error, run } = useMutation()
  const name = title === '' ? url : title
  const withName = (value: string) => t('common.pair', { what: name, value })

  async function refresh(): Promise<void> {
    const hasWorked = await run(async () => {
      const { episodes } = await call('refreshFeedById', { path: { id } })
      toast(withName(t('admin.feeds.refreshed', { n: episodes })))
    })
    if (!hasWorked) toast(withName(refreshError(error.value)), { kind: 'error' })
    await onChange()
  }

  return (
    <>
      <div class="feed-text">
        <div class="row feed-head">
          <h2 class="feed-name" dir="auto">
            {isPrivate ? t('admin.feeds.privateFeed') : <a href={podcastHref(url)}>{name}</a>}
          </h2>
          <span class={`chip ${CHIP_CLASSES[state]}`}>{t(`admin.feeds.states.${state}`)}</span>
          {isPrivate && <span class="chip">{t('admin.feeds.private')}</span>}
        </div>
        {(isPrivate || title !== '') && (
          <p class="feed-url muted small" dir="ltr">
            {url}
          </p>
        )}
        {(state === 'failing' || state === 'gone') && <FailureDetails feed={feed} />}
        {moved_to !== '' && <p class="small">{t('admin.feeds.moved', { url: moved_to })}</p>}
        <MetaLine
          items={[
            t('admin.feeds.subscribers', { n: subscribers }),
            last_checked !== '' && t('admin.feeds.checked', { ago: ago(last_checked) }),
            feed.next_check !== '' && state !== 'ok' && t('admin.feeds.next', { ago: until(feed.next_check) }),
          ]}
        />
      </div>
      <Button kind="quiet" icon="refresh" isBusy={isBusy.value} onClick={refresh}>
        <span class="feed-refresh">{t('admin.feeds.refresh')}</span>
        <span class="hidden-text">: {name}</span>
      </Button>
    </>
  )
}

/** Why a feed fails, and what its server said. */
function FailureDetails({ feed: { reason, cause, failures, since, last_success } }: { feed: Feed }) {
  const lastGood =
    last_success === '' ? t('admin.feeds.neverGood') : t('admin.feeds.lastGood', { ago: ago(last_success) })
  return (
    <div class="feed-trouble">
      <p>{findText(`admin.feeds.reasons.${reason}`) ?? t('admin.feeds.reasonUnknown')}</p>
      <p class="small">
        {t('admin.feeds.failures', { n: failures, ago: ago(since) })} {lastGood}
      </p>
      {cause !== '' && (
        <p class="small muted">
          <ServerQuote textKey="admin.feeds.cause" cause={cause} />
        </p>
      )}
    </div>
  )
}

function refreshError(error: unknown): string {
  if (error instanceof ApiError && FEED_CODES.includes(error.code)) return t('admin.feeds.reasonUnknown')
  return errorMessage(error, 'admin.feeds')
}
