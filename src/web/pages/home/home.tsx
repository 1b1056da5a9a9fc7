import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { attempt, EmptyState, QueryState } from '../../components/feedback/notice.tsx'
import { Button } from '../../components/forms/button.tsx'
import { Later } from '../../components/layout/later.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Reserved } from '../../components/layout/reserved.tsx'
import { CardSkeleton } from '../../components/layout/skeletons.tsx'
import { HomeSearch } from '../../components/own-search.tsx'
import { SelectButton } from '../../components/selection.tsx'
import { SyncBanner } from '../../components/sync-banner.tsx'
import { isNarrow } from '../../hooks/narrow.ts'
import { setTo } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { t } from '../../locales/index.ts'
import { shownSince } from '../../pwa/offline.ts'
import { inProgress, newest, reloadEpisodes, unplayed } from '../../store/episodes/lists.ts'
import { loadHome } from '../../store/home.ts'
import { loadOwnPodcasts } from '../../store/subscriptions.ts'
import { loadFolders } from '../../store/sync/folders.ts'
import { ArchiveQuestion } from './archive-question.tsx'
import { ContinueListening, NewEpisodes } from './episodes.tsx'
import { isDrawn, Library } from './library.tsx'
import { RemovalNote } from './removal-note.tsx'
import { ServerHint } from './server-hint.tsx'
import { ToolsButton } from './tools.tsx'
import { UpgradeHint } from './upgrade-hint.tsx'
import { podcasts, selected, sorted } from './view.ts'

type Rest = typeof import('../rest.ts')

const rest = () => import('../rest.ts')

/** Milliseconds that the list waits for the content above it. */
const LIST_DELAY_MS = 1500

/** The home page: episodes in progress, new episodes, and the podcasts of all devices. */
export default function Home() {
  /** Components that most visits do not need: the open dialog to add a podcast, and the page for empty accounts. */
  const adding = useSignal<Rest['AddPodcast'] | undefined>(undefined)
  const firstRun = useSignal<Rest['FirstRun'] | undefined>(undefined)
  /** Whether the content above the list has loaded or failed to load. */
  const isSettled = useSignal(inProgress.value.value !== undefined && newest.value.value !== undefined)
  const query = useQuery(async () => {
    // Content that arrives later would shift the list, but the list does not wait for it indefinitely.
    const above = loadHome()
      .catch(() => undefined)
      .then(setTo(isSettled, true))
    await Promise.all([loadOwnPodcasts(), Promise.race([above, wait(LIST_DELAY_MS)])])
    // Sorts in a separate task: on a slow processor, sorting a thousand titles takes as long as drawing the page.
    await wait(0)
    sorted.peek()
    if (podcasts.peek()?.length === 0) firstRun.value = (await rest()).FirstRun
    // The counts on the covers do not affect the layout, so they load last.
    unplayed.get().catch(() => undefined)
    return true
  })
  // A user who returns sees the known list immediately.
  const isBack = useRef(podcasts.peek() !== undefined)
  const isReady = isBack.current || query.data.value || query.error.value !== undefined
  const list = isReady ? podcasts.value : undefined
  useHints(['subscriptions', 'podcast', 'episodes'], (hints) =>
    // Playback reports do not change the list of podcasts.
    hints.every(({ topic }) => topic === 'episodes') ? reloadEpisodes() : query.reload(),
  )
  useHints(['folders'], () => loadFolders().catch(() => undefined))
  const add = () =>
    attempt(async () => {
      adding.value = (await rest()).AddPodcast
    })

  return (
    <Page
      title={t('home.title')}
      actions={
        list &&
        list.length > 0 && (
          <Button kind="main" icon="plus" {...(isNarrow.value && { label: t('home.add') })} onClick={add}>
            {!isNarrow.value && t('home.add')}
          </Button>
        )
      }
    >
      {adding.value && <adding.value onClose={setTo(adding, undefined)} />}
      {!list && <QueryState query={query} skeleton={<CardSkeleton />} />}
      {list?.length === 0 && shownSince.value !== undefined && <EmptyState text={t('common.errors.offline')} />}
      {list?.length === 0 && shownSince.value === undefined && (
        <div class="stack-large">
          {firstRun.value ? (
            <firstRun.value onChange={query.reload} />
          ) : (
            <QueryState query={query} skeleton={<CardSkeleton />} />
          )}
          <SyncBanner />
        </div>
      )}
      {list && list.length > 0 && (
        <div class="stack-large">
          <HomeSearch />
          <RemovalNote remaining={list.length} onChange={query.reload} />
          <ArchiveQuestion onChange={query.reload} />
          <SyncBanner />
          <Reserved name="home" isSettled={isSettled.value}>
            <Later isNow={isBack.current}>
              <ContinueListening />
            </Later>
            <Later isNow={isBack.current}>
              <NewEpisodes />
            </Later>
          </Reserved>
          <Later isNow={isBack.current}>
            <section class="stack" aria-labelledby="podcasts">
              <div class="row-apart">
                <h2 id="podcasts" tabIndex={-1}>
                  {t('home.podcasts')}
                </h2>
                <div class="row">
                  <ToolsButton />
                  <SelectButton selection={selected} />
                </div>
              </div>
              <Library onChange={query.reload} />
              <UpgradeHint />
            </section>
            {isDrawn.value && <ServerHint />}
          </Later>
        </div>
      )}
      {list?.length === 0 && <ServerHint />}
    </Page>
  )
}

function wait(milliseconds: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
