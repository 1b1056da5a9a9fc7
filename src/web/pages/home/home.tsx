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
import { begun, newest, reloadEpisodes, unplayed } from '../../store/episodes/lists.ts'
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

/** Milliseconds for which the list waits for what stands above it. */
const PATIENCE = 1500

/** What the user was listening to, what is new, and the podcasts on all devices. */
export default function Home() {
  /** The dialog that adds a podcast, while it is open, and what is shown without podcasts. Most visits need neither. */
  const adding = useSignal<Rest['AddPodcast'] | undefined>(undefined)
  const firstRun = useSignal<Rest['FirstRun'] | undefined>(undefined)
  /** Whether what stands above the list has come. */
  const isSettled = useSignal(begun.value.value !== undefined && newest.value.value !== undefined)
  const query = useQuery(async () => {
    // What stands above the list would move it if it came later; but the list is there without that.
    const above = loadHome()
      .catch(() => undefined)
      .then(setTo(isSettled, true))
    await Promise.all([loadOwnPodcasts(), Promise.race([above, wait(PATIENCE)])])
    // In a task of its own: a slow processor takes as long to sort a thousand titles as to draw the page.
    await wait(0)
    sorted.peek()
    if (podcasts.peek()?.length === 0) firstRun.value = (await rest()).FirstRun
    // The counts stand on the covers and move nothing, so they may come when all else is there.
    unplayed.get().catch(() => undefined)
    return true
  })
  // What was there a moment ago is there at once when the user comes back.
  const isBack = useRef(podcasts.peek() !== undefined)
  const isReady = isBack.current || query.data.value || query.error.value !== undefined
  const list = isReady ? podcasts.value : undefined
  useHints(['subscriptions', 'podcast', 'episodes'], (hints) =>
    // What apps report while they play says nothing about the list.
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
          <RemovalNote left={list.length} onChange={query.reload} />
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
