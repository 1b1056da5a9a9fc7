import { ApiError, call } from '../../api/client.ts'
import { refusalText } from '../../components/feedback/error-message.ts'
import { ServerWords } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Facts } from '../../components/layout/section.tsx'
import { podcastPage } from '../../components/podcast/podcast-item.tsx'
import { useSending } from '../../hooks/use-mutation.ts'
import { toast } from '../../store/toasts.ts'
import { ago, fill, language, plural, t, until } from '../../text/index.ts'
import type { Feed } from './admin-feeds.tsx'

const LOOKS = { ok: 'chip-good', failing: 'chip-bad', gone: 'chip-warn', new: '' } as const
/** What a refresh of one feed says when the feed cannot be had: the list then has it in better words. */
const FEED_WORDS: readonly string[] = ['feed_unreachable', 'feed_invalid', 'feed_forbidden']

/** A feed: how it is, and if it is not well, why. */
export function FeedItem({ feed, onChange }: { feed: Feed; onChange: () => Promise<void> }) {
  const texts = t().admin.feeds
  const { id, url, title, private: isPrivate, state, subscribers, last_checked, moved_to } = feed
  const { isBusy, error, run } = useSending()
  const name = title === '' ? url : title
  const named = (value: string) => fill(t().common.pair, { what: name, value })

  async function update(): Promise<void> {
    const hasWorked = await run(async () => {
      const { episodes } = await call('refreshFeedById', { path: { id } })
      toast(named(plural(texts.refreshed, episodes, language.value)))
    })
    if (!hasWorked) toast(named(failure(error.value)), { kind: 'error' })
    await onChange()
  }

  return (
    <>
      <div class="feed-text">
        <div class="row feed-head">
          <h2 class="feed-name" dir="auto">
            {isPrivate ? texts.privateFeed : <a href={podcastPage(url)}>{name}</a>}
          </h2>
          <span class={`chip ${LOOKS[state]}`}>{texts.states[state]}</span>
          {isPrivate && <span class="chip">{texts.private}</span>}
        </div>
        {(isPrivate || title !== '') && (
          <p class="feed-url muted small" dir="ltr">
            {url}
          </p>
        )}
        {(state === 'failing' || state === 'gone') && <Trouble feed={feed} />}
        {moved_to !== '' && <p class="small">{fill(texts.moved, { url: moved_to })}</p>}
        <Facts
          facts={[
            plural(texts.subscribers, subscribers, language.value),
            last_checked !== '' && fill(texts.checked, { ago: ago(last_checked) }),
            feed.next_check !== '' && state !== 'ok' && fill(texts.next, { ago: until(feed.next_check) }),
          ]}
        />
      </div>
      <Button kind="quiet" icon="refresh" isBusy={isBusy.value} onClick={update}>
        <span class="feed-refresh">{texts.refresh}</span>
        <span class="hidden-text">: {name}</span>
      </Button>
    </>
  )
}

/** What is wrong in plain words, and what the server says about it. */
function Trouble({ feed: { reason, cause, failures, since, last_success } }: { feed: Feed }) {
  const texts = t().admin.feeds
  const lastGood = last_success === '' ? texts.neverGood : fill(texts.lastGood, { ago: ago(last_success) })
  return (
    <div class="feed-trouble">
      <p>{texts.reasons[reason] ?? texts.reasonUnknown}</p>
      <p class="small">
        {fill(plural(texts.failures, failures, language.value), { ago: ago(since) })} {lastGood}
      </p>
      {cause !== '' && (
        <p class="small muted">
          <ServerWords text={texts.cause} cause={cause} />
        </p>
      )}
    </div>
  )
}

function failure(error: unknown): string {
  const { refusals, reasonUnknown } = t().admin.feeds
  if (error instanceof ApiError && FEED_WORDS.includes(error.word)) return reasonUnknown
  return refusalText(error, refusals)
}
