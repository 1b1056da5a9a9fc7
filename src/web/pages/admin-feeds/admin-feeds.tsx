import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, call } from '../../api/client.ts'
import { errorMessage } from '../../components/feedback/error-message.ts'
import { EmptyState, Failure } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { AdminOnly } from '../../components/layout/admin-only.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Pager } from '../../components/layout/pager.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { useDebounce } from '../../hooks/use-debounce.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { number } from '../../locales/format.ts'
import { t } from '../../locales/index.ts'
import { toast } from '../../store/toasts.ts'
import { type Feed, FeedItem } from './item.tsx'
import { followRefresh, leaveRefresh, type RefreshProgress, refresh, startRefresh } from './refresh.ts'

export default function AdminFeeds() {
  return (
    <AdminOnly title={t('admin.feeds.title')}>
      <Feeds />
    </AdminOnly>
  )
}

type FeedPage = Answer<'listFeeds'>

const STATES = ['failing', 'gone', 'new', 'ok'] as const
const PER_PAGE = 50

/** All feeds by state, with a button to refresh them. */
function Feeds() {
  const state = useSignal<Feed['state'] | ''>('')
  const typed = useSignal('')
  const query = useSignal('')
  const page = useSignal(0)
  const { data, error, isLoading, reload } = useQuery(
    (signal) =>
      call('listFeeds', {
        query: { state: state.value, q: query.value, page: page.value, per_page: PER_PAGE },
        signal,
      }),
    [state.value, query.value, page.value],
  )
  const search = useDebounce(250, (text: string) => {
    query.value = text.trim()
    page.value = 0
  })
  const isStarting = useSignal(false)
  useEffect(() => {
    // If this fails, the refresh can still be started.
    followRefresh(() => void reload()).catch(() => undefined)
    return leaveRefresh
  }, [])

  async function start(): Promise<void> {
    isStarting.value = true
    try {
      await startRefresh(() => void reload())
    } catch (reason) {
      toast(errorMessage(reason), { kind: 'error' })
    }
    isStarting.value = false
  }

  const list = data.value
  const isEmpty = list?.total === 0 && state.value === '' && query.value === ''
  return (
    <Page
      title={t('admin.feeds.title')}
      lead={t('admin.feeds.lead')}
      actions={
        <Button
          kind="main"
          icon="refresh"
          isBusy={isStarting.value || refresh.value !== undefined}
          disabled={isEmpty}
          onClick={start}
        >
          {t('admin.feeds.refreshAll')}
        </Button>
      }
    >
      <div class="stack">
        {refresh.value && <RefreshBar progress={refresh.value} />}
        {Boolean(error.value) && <Failure error={error.value} onRetry={() => void reload()} />}
        {!list && !error.value && <Skeleton height="6rem" count={6} />}
        {isEmpty && <EmptyState title={t('admin.feeds.none')} text={t('admin.feeds.noneText')} />}
        {list && !isEmpty && (
          <>
            <div class="feed-tools">
              <StateChoice
                counts={list.counts}
                value={state.value}
                onChoose={(chosen) => {
                  state.value = chosen
                  page.value = 0
                }}
              />
              <SearchBox
                label={t('admin.feeds.search')}
                value={typed.value}
                onInput={(value) => {
                  typed.value = value
                  search(value)
                }}
              />
            </div>
            <p class="muted" role="status">
              {list.total === 0 ? t('admin.feeds.noMatch') : t('admin.feeds.found', { n: list.total })}
            </p>
            <ul class="admin-list" aria-busy={isLoading.value}>
              {list.feeds.map((feed) => (
                <li class="card feed" key={feed.id} data-state={feed.state}>
                  <FeedItem feed={feed} onChange={reload} />
                </li>
              ))}
            </ul>
            {list.feeds.some((feed) => feed.private) && <p class="muted small">{t('admin.feeds.privateText')}</p>}
            <Pager
              page={list.page}
              count={list.total_pages}
              onTurn={(next) => {
                page.value = next
              }}
            />
          </>
        )}
      </div>
    </Page>
  )
}

interface StateChoiceProps {
  readonly counts: FeedPage['counts']
  readonly value: Feed['state'] | ''
  readonly onChoose: (state: Feed['state'] | '') => void
}

function StateChoice({ counts, value, onChoose }: StateChoiceProps) {
  const total = STATES.reduce((sum, state) => sum + counts[state], 0)
  const choices = [
    { state: '' as const, label: t('admin.feeds.all'), count: total },
    ...STATES.map((state) => ({ state, label: t(`admin.feeds.states.${state}`), count: counts[state] })),
  ]
  return (
    <fieldset class="row feed-states" aria-label={t('admin.feeds.filter')}>
      {choices.map(({ state, label, count }) => (
        <button
          type="button"
          class="chip chip-choice"
          key={state}
          aria-pressed={state === value}
          onClick={() => onChoose(state)}
        >
          {label} <span class="chip-count">{number(count)}</span>
        </button>
      ))}
    </fieldset>
  )
}

/** The progress of a refresh. It is not announced, since every step would be read aloud; screen readers can read the bar. */
function RefreshBar({ progress: { done, failed, total } }: { progress: RefreshProgress }) {
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
