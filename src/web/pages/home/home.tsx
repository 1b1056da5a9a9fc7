import { useSignal } from '@preact/signals'
import { AddPodcast } from '../../components/add/add-podcast.tsx'
import { Checklist } from '../../components/checklist.tsx'
import { attempt, EmptyState, QueryState } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { Checkbox } from '../../components/forms/choice.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { Page } from '../../components/layout/page.tsx'
import { CardSkeleton } from '../../components/layout/skeletons.tsx'
import { Artwork, feedName } from '../../components/podcast/artwork.tsx'
import { PodcastHeading } from '../../components/podcast/podcast-item.tsx'
import { SyncBanner } from '../../components/sync-banner.tsx'
import { setTo, setter } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { ago, date, language, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import type { OwnPodcast } from '../../store/subscriptions.ts'
import {
  applyChanges,
  ensureDevices,
  holders,
  invert,
  loadOwnPodcasts,
  ownPodcasts,
  removeEverywhere,
} from '../../store/subscriptions.ts'
import { toast } from '../../store/toasts.ts'
import { SelectionBar, Tools } from './tools.tsx'
import { chosenDevice, filter, filterAndSort, showAll, sortKey, view } from './view.ts'

const SUBJECT = 'subscriptions'

/** The user's podcasts on all devices. */
export default function Home() {
  const query = useQuery(async () => {
    await Promise.all([loadOwnPodcasts(), ensureDevices()])
    return true
  })
  const selected = useSignal<ReadonlySet<string> | undefined>(undefined)
  const isAdding = useSignal(false)
  // The list may be older than `holders`, which knows what has been unsubscribed meanwhile.
  const podcasts = query.data.value
    ? ownPodcasts.value
        ?.filter(({ url }) => (holders.value?.get(url)?.size ?? 1) > 0)
        .map((podcast) => ({ ...podcast, title: feedName(podcast) }))
    : undefined
  useHints(['subscriptions', 'podcast'], query.reload)
  const shown = filterAndSort(
    podcasts ?? [],
    { sortKey: sortKey.value, filter: filter.value, device: chosenDevice() },
    language.value,
  )

  async function unsubscribe(urls: readonly string[]): Promise<void> {
    const changes = removeEverywhere(urls, holders.value ?? new Map())
    if (!(await attempt(() => applyChanges(changes), SUBJECT))) return
    endSelection()
    toast(t('home.unsubscribed', { n: urls.length }), {
      subject: SUBJECT,
      action: {
        label: t('common.undo'),
        run: () => void attempt(() => applyChanges(invert(changes)).then(query.reload), SUBJECT),
      },
    })
  }

  function endSelection(): void {
    selected.value = undefined
    restoreFocus(document.querySelector('h1'))
  }

  function toggle(url: string): void {
    const next = new Set(selected.value)
    if (!next.delete(url)) next.add(url)
    selected.value = next
  }

  const add = setTo(isAdding, true)
  const actions = (
    <>
      <Button
        icon="check"
        aria-pressed={selected.value !== undefined}
        onClick={() => {
          selected.value = selected.value ? undefined : new Set()
        }}
      >
        {t('home.select')}
      </Button>
      <Button kind="main" icon="plus" onClick={add}>
        {t('home.add')}
      </Button>
    </>
  )
  return (
    <Page title={t('home.title')} actions={podcasts && podcasts.length > 0 && actions}>
      {isAdding.value && <AddPodcast onClose={setTo(isAdding, false)} />}
      <Checklist />
      <SyncBanner />
      {!podcasts && <QueryState query={query} skeleton={<CardSkeleton />} />}
      {podcasts?.length === 0 && <NothingYet onAdd={add} />}
      {podcasts && podcasts.length > 0 && (
        <div class="stack">
          <Tools />
          {selected.value && shown.length > 0 && (
            <SelectionBar
              selected={selected.value}
              urls={shown.map(({ url }) => url)}
              onSelect={setter(selected)}
              onEnd={endSelection}
              onUnsubscribe={unsubscribe}
            />
          )}
          <PodcastList podcasts={shown} selected={selected.value} onToggle={toggle} />
        </div>
      )}
    </Page>
  )
}

/** For users without podcasts: the ways to get some. */
function NothingYet({ onAdd }: { onAdd: () => void }) {
  return (
    <div class="home-empty">
      <EmptyState title={t('home.emptyTitle')} text={t('home.emptyText')}>
        <ButtonLink kind="main" icon="connect" href={href('/connect')}>
          {t('home.emptyConnect')}
        </ButtonLink>
        <ButtonLink icon="discover" href={href('/discover')}>
          {t('home.emptyDiscover')}
        </ButtonLink>
        <ButtonLink icon="transfer" href={href('/transfer')}>
          {t('home.emptyImport')}
        </ButtonLink>
        <Button icon="plus" onClick={onAdd}>
          {t('home.addUrl')}
        </Button>
      </EmptyState>
    </div>
  )
}

interface PodcastListProps {
  readonly podcasts: readonly OwnPodcast[]
  readonly selected: ReadonlySet<string> | undefined
  readonly onToggle: (url: string) => void
}

function PodcastList({ podcasts, selected, onToggle }: PodcastListProps) {
  if (podcasts.length === 0)
    return (
      <EmptyState title={t('home.nothingFound')} text="">
        <Button onClick={showAll}>{t('home.showAll')}</Button>
      </EmptyState>
    )
  return (
    <ul class={`home-${view.value}`}>
      {podcasts.map((podcast) => (
        <PodcastCard
          key={podcast.url}
          podcast={podcast}
          {...(selected && { isSelected: selected.has(podcast.url), onToggle: () => onToggle(podcast.url) })}
        />
      ))}
    </ul>
  )
}

interface PodcastCardProps {
  readonly podcast: OwnPodcast
  /** Undefined unless podcasts are being selected. */
  readonly isSelected?: boolean
  readonly onToggle?: () => void
}

function PodcastCard({ podcast, isSelected, onToggle }: PodcastCardProps) {
  const { url, title, newest_release: newest } = podcast
  const trouble = troubleOf(podcast)
  return (
    <li class="home-card" data-selected={isSelected === true}>
      <Artwork url={url} title={title} size={300} hasPicture={podcast.has_picture} />
      <div class="home-card-text">
        <PodcastHeading as="h2" podcast={podcast} />
        <p class="home-card-notes small">
          {newest !== '' && <span class="muted">{t('home.newest', { when: ago(newest) })}</span>}
          {podcast.private && (
            <span class="chip" title={t('home.privateHint')}>
              {t('home.private')}
            </span>
          )}
          {trouble && (
            <span class={`chip ${trouble.isBad ? 'chip-bad' : ''}`} title={trouble.text}>
              <span class="cut">{trouble.text}</span>
            </span>
          )}
        </p>
      </div>
      {onToggle && (
        <div class="home-card-check">
          <Checkbox
            label={<span class="hidden-text">{t('home.selectPodcast', { title })}</span>}
            checked={isSelected === true}
            onChange={onToggle}
          />
        </div>
      )}
    </li>
  )
}

function troubleOf({ health }: OwnPodcast): { readonly text: string; readonly isBad: boolean } | undefined {
  if (health.state === 'failing') return { text: t('home.failing', { since: date(health.since) }), isBad: true }
  if (health.state === 'gone') return { text: t('home.gone'), isBad: true }
  return health.state === 'new' ? { text: t('home.isNew'), isBad: false } : undefined
}
