import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, ApiError, call } from '../../api/client.ts'
import {
  attempt,
  EmptyState,
  errorMessage,
  OutboundOff,
  QueryState,
  ServerQuote,
} from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { ButtonChoice } from '../../components/forms/choice.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { MetaLine, Page, Skeleton } from '../../components/layout/page.tsx'
import { Pager } from '../../components/layout/pager.tsx'
import { adminPage } from '../../components/layout/unavailable.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { setter } from '../../hooks/setters.ts'
import { useDebounce } from '../../hooks/use-debounce.ts'
import { useEachHint } from '../../hooks/use-hints.ts'
import { useMutation, useQuery } from '../../hooks/use-query.ts'
import { ago, date, findText, number, t, until } from '../../locales/index.ts'
import { isOutbound } from '../../store/session.ts'
import { toast } from '../../store/toasts.ts'
import { followRefresh, loadRefresh, type RefreshProgress, refresh, startRefresh } from './refresh.ts'

export default adminPage('admin.feeds.title', Feeds)

type FeedPage = Answer<'listFeeds'>

const STATES = ['failing', 'gone', 'new', 'ok'] as const
const PER_PAGE = 50

/** All feeds with a filter by state, and a button to refresh them. */
function Feeds() {
  const state = useSignal<Feed['state'] | ''>('')
  const typed = useSignal('')
  const searched = useSignal('')
  const page = useSignal(0)
  const query = useQuery(
    (signal) =>
      call('listFeeds', {
        query: { state: state.value, q: searched.value, page: page.value, per_page: PER_PAGE },
        signal,
      }),
    [state.value, searched.value, page.value],
  )
  const search = useDebounce(250, (text: string) => {
    searched.value = text.trim()
    page.value = 0
  })
  const isStarting = useSignal(false)
  useEffect(() => {
    // Optional: a refresh can be started without it.
    loadRefresh().catch(() => undefined)
  }, [])
  useEachHint((hint) => void followRefresh(hint, query.reload))

  async function start(): Promise<void> {
    isStarting.value = true
    await attempt(startRefresh)
    isStarting.value = false
  }

  const list = query.data.value
  const isEmpty = list?.total === 0 && state.value === '' && searched.value === ''
  return (
    <Page
      title={t('admin.feeds.title')}
      lead={t('admin.feeds.lead')}
      actions={
        isOutbound() && (
          <Button
            kind="main"
            icon="refresh"
            isBusy={isStarting.value || refresh.value !== undefined}
            disabled={isEmpty}
            onClick={start}
          >
            {t('admin.feeds.refreshAll')}
          </Button>
        )
      }
    >
      <div class="stack">
        {!isOutbound() && <OutboundOff />}
        {refresh.value && <RefreshBar progress={refresh.value} />}
        <QueryState query={query} skeleton={<Skeleton height="6rem" count={6} />} />
        {isEmpty && <EmptyState title={t('admin.feeds.none')} text={t('admin.feeds.noneText')} />}
        {list && !isEmpty && (
          <>
            <div class="stack feed-tools">
              <ButtonChoice
                class="chips"
                label={t('admin.feeds.filter')}
                value={state.value}
                options={stateOptions(list.counts)}
                onChoose={(chosen) => {
                  state.value = chosen
                  page.value = 0
                }}
              />
              <SearchBox label={t('admin.feeds.search')} value={typed} onInput={search} />
            </div>
            <p class="muted" role="status">
              {list.total === 0 ? t('admin.feeds.noMatch') : t('admin.feeds.found', { n: list.total })}
            </p>
            <ul class="admin-list" aria-busy={query.isLoading.value}>
              {list.feeds.map((feed) => (
                <li class="card media feed" key={feed.id} data-state={feed.state}>
                  <FeedItem feed={feed} onChange={query.reload} />
                </li>
              ))}
            </ul>
            {list.feeds.some((feed) => feed.private) && <p class="muted small">{t('admin.feeds.privateText')}</p>}
            <Pager page={list.page} count={list.total_pages} onTurn={setter(page)} />
          </>
        )}
      </div>
    </Page>
  )
}

/** Options for all states, each with its number of feeds. */
function stateOptions(counts: FeedPage['counts']) {
  const total = STATES.reduce((sum, state) => sum + counts[state], 0)
  const all = { value: '' as const, label: <Counted label={t('admin.feeds.all')} count={total} /> }
  const states = STATES.map((value) => ({
    value,
    label: <Counted label={t(`admin.feeds.states.${value}`)} count={counts[value]} />,
  }))
  return [all, ...states]
}

function Counted({ label, count }: { label: string; count: number }) {
  return (
    <>
      {label} <span class="chip-count">{number(count)}</span>
    </>
  )
}

/** Progress of a refresh. It is not a live region, which would announce every step; screen readers can read the bar. */
function RefreshBar({ progress: { done, failed, total } }: { progress: RefreshProgress }) {
  return (
    <div class="card stack-small">
      <div class="row-apart">
        <p class="media-title">{t('admin.feeds.refreshing')}</p>
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

type Feed = Answer<'listFeeds'>['feeds'][number]

const CHIP_CLASSES = { ok: 'chip-good', failing: 'chip-bad', gone: 'chip-warn', new: '' } as const
/** Error codes of a failed refresh of one feed. The message stays general because the list shows the details. */
const FEED_CODES: readonly string[] = ['feed_unreachable', 'feed_invalid', 'feed_forbidden']

/** A feed with its state and, if it fails, the reason. */
function FeedItem({ feed, onChange }: { feed: Feed; onChange: () => Promise<void> }) {
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
      <Artwork url={url} title={isPrivate ? '' : title} size={128} hasPicture={!isPrivate && title !== ''} />
      <div class="media-text">
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
            isOutbound() &&
              feed.next_check !== '' &&
              state !== 'ok' &&
              t('admin.feeds.next', { ago: until(feed.next_check) }),
          ]}
        />
      </div>
      {isOutbound() && (
        <Button kind="quiet" icon="refresh" isBusy={isBusy.value} about={name} onClick={refresh}>
          {t('admin.feeds.refresh')}
        </Button>
      )}
    </>
  )
}

/** The reason why a feed fails, with collapsed details: the number of failures and the server's message. */
function FailureDetails({ feed: { reason, cause, failures, since, last_success } }: { feed: Feed }) {
  const lastGood =
    last_success === '' ? t('admin.feeds.neverGood') : t('admin.feeds.lastGood', { ago: ago(last_success) })
  return (
    <div class="stack-small feed-trouble">
      <p>{findText(`admin.feeds.reasons.${reason}`) ?? t('admin.feeds.reasonUnknown')}</p>
      <details class="small">
        <summary>{t('admin.feeds.since', { date: date(since) })}</summary>
        <p>
          {t('admin.feeds.failures', { n: failures })} {lastGood}
        </p>
        {cause !== '' && (
          <p class="muted">
            <ServerQuote textKey="errors.details" cause={cause} />
          </p>
        )}
      </details>
    </div>
  )
}

function refreshError(error: unknown): string {
  if (error instanceof ApiError && FEED_CODES.includes(error.code)) return t('admin.feeds.reasonUnknown')
  return errorMessage(error, 'admin.feeds')
}
