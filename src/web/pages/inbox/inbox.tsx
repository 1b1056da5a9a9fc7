import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { type Answer, call } from '../../api/client.ts'
import { useDeviceCaptions } from '../../components/device.tsx'
import { attempt, EmptyState, QueryState } from '../../components/feedback/notice.tsx'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { ButtonChoice, Select } from '../../components/forms/choice.tsx'
import { restoreFocus } from '../../components/forms/focus.ts'
import { Page, TitledSection } from '../../components/layout/page.tsx'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { PlayList } from '../../components/player/play-list.ts'
import { EpisodeRow, markWithUndo } from '../../components/podcast/episode-row.tsx'
import { MarkAllButton } from '../../components/podcast/mark-all-button.tsx'
import { SelectButton, toggleSelected } from '../../components/selection.tsx'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { language, t } from '../../locales/index.ts'
import { followersOf } from '../../store/episodes/following.ts'
import {
  type InboxFilter,
  inbox,
  isSameFilter,
  keyOf,
  type ListedEpisode,
  loadInbox,
  loadMoreOfInbox,
  toPlayable,
} from '../../store/episodes/lists.ts'
import { podcastsOf } from '../../store/episodes/marks.ts'
import { href } from '../../store/paths.ts'
import { play } from '../../store/player.ts'
import { shortcuts } from '../../store/preferences.ts'
import { ensureDevices, loadOwnPodcasts, ownPodcasts } from '../../store/subscriptions.ts'
import { ensureFolders, folders, loadFolders } from '../../store/sync/folders.ts'
import { sortPodcasts } from '../home/list.ts'
import { groupByDay } from './days.ts'
import { EpisodeSelection } from './episode-selection.tsx'
import { inboxHref, SHOWN, selected } from './inbox-view.ts'

/** The newest episodes of all podcasts by day, to play or mark as played. */
export default function Inbox() {
  const deviceName = useDeviceCaptions()
  const list = useRef<HTMLDivElement | null>(null)
  const filter = useFilter()
  const query = useQuery(() => loadInbox(filter), [filter.podcast, filter.tag, filter.folder, filter.show])
  useEffect(() => {
    void ensureDevices().catch(() => undefined)
    void ensureFolders().catch(() => undefined)
    // For the names in the filter. Optional: the filter works without them.
    if (!ownPodcasts.value) void loadOwnPodcasts().catch(() => undefined)
  }, [])
  useHints(['subscriptions', 'podcast', 'episodes'], query.reload)
  useHints(['folders'], () => Promise.all([loadFolders(), query.reload()]).catch(() => undefined))
  const shown = inbox.value && isSameFilter(inbox.value.filter, filter) ? inbox.value : undefined
  const days = useMemo(() => groupByDay(shown?.items ?? [], new Date(), language.value), [shown, language.value])

  const playList = () => shown?.items.map(toPlayable) ?? []

  /** The episode whose row has the focus. */
  function focusedItem(): ListedEpisode | undefined {
    const row = document.activeElement?.closest('[data-key]')
    const key = row instanceof HTMLElement ? row.dataset['key'] : undefined
    return shown?.items.find((item) => keyOf(item) === key)
  }

  function press(event: KeyboardEvent): void {
    const { key, ctrlKey, altKey, metaKey, target } = event
    if (shortcuts.value === 'off' || ctrlKey || altKey || metaKey) return
    // Selects and menus handle letters themselves.
    if (target instanceof Element && target.closest('select, [popover]')) return
    const item = focusedItem()
    if (!item) return
    if (key === 'e') markFocused(item)
    else if (key === 'p') play(toPlayable(item), undefined, followersOf(playList(), item.episode.url))
    else if (key === 'x') toggleSelected(selected, keyOf(item))
    else if (key === 'o') focusedLink()?.click()
    else return
    event.preventDefault()
  }

  /** Marks an episode and moves the focus to the one that takes its place. */
  function markFocused(item: ListedEpisode): void {
    const links = [...(list.current?.querySelectorAll<HTMLElement>('a[data-item]') ?? [])]
    const index = links.findIndex((link) => link.closest('[data-key]')?.contains(document.activeElement))
    const next = links[index + 1] ?? links[index - 1]
    if (filter.show !== 'all') next?.focus()
    void markWithUndo([item], item.state === 'played' ? 'new' : 'played')
  }

  return (
    <Page
      title={t('inbox.title')}
      actions={
        (selected.value || (shown && shown.items.length > 0)) && (
          <>
            {!selected.value && filter.show !== 'all' && (
              <MarkAllButton
                filter={{ ...podcastsOf(filter), ...(filter.show === 'new' && { new: true }) }}
                onChange={query.reload}
              />
            )}
            <SelectButton selection={selected} />
          </>
        )
      }
    >
      <div class="stack">
        {ownPodcasts.value?.length !== 0 && <Filters filter={filter} />}
        {selected.value && shown && (
          <EpisodeSelection items={shown.items} filter={filter} onChange={query.reload} onEnd={endSelection} />
        )}
        {!shown && <QueryState query={query} skeleton={<RowSkeleton count={8} />} />}
        {shown?.items.length === 0 && shown.next === null && <Nothing filter={filter} />}
        <div class="inbox-days stack-large" ref={list}>
          <PlayList.Provider value={playList}>
            {days.map(({ key, name, items }) => (
              <TitledSection key={key} title={name} class="inbox-day stack-small">
                <ul class="episode-rows" onKeyDown={press}>
                  {items.map((item) => (
                    <EpisodeRow
                      key={keyOf(item)}
                      item={item}
                      deviceName={deviceName}
                      isInDay
                      onChange={query.reload}
                      {...(selected.value && {
                        isSelected: selected.value.has(keyOf(item)),
                        onSelect: () => toggleSelected(selected, keyOf(item)),
                      })}
                    />
                  ))}
                </ul>
              </TitledSection>
            ))}
          </PlayList.Provider>
        </div>
        {shown && shown.next !== null && <More key={shown.next} />}
      </div>
    </Page>
  )
}

function focusedLink(): HTMLAnchorElement | null | undefined {
  return document.activeElement?.closest('[data-key]')?.querySelector<HTMLAnchorElement>('a[data-item]')
}

function endSelection(): void {
  selected.value = undefined
  restoreFocus(document.querySelector('h1'))
}

/** Reads the filter from the address of the page. */
function useFilter(): InboxFilter {
  const [podcast, tag, show] = [useSearchParam('podcast'), useSearchParam('tag'), useSearchParam('show')]
  const folder = useSearchParam('folder')
  // A folder that has been removed is ignored.
  const isFolder = folders.value ? folders.value.some(({ id }) => String(id) === folder) : /^\d+$/.test(folder)
  return {
    podcast,
    tag,
    folder: isFolder ? folder : '',
    show: SHOWN.find((each) => each === show) ?? SHOWN[0],
  }
}

function Filters({ filter }: { filter: InboxFilter }) {
  const { route } = useLocation()
  const { podcast, tag, folder, show } = filter
  // Optional: without tags, there is no choice of tags.
  const tags = useQuery((signal) => call('listOwnTags', { signal })).data.value ?? []
  const choose = (change: Partial<InboxFilter>) => route(inboxHref({ ...filter, ...change }), true)
  const named = sortPodcasts(ownPodcasts.value ?? [], 'title', language.value)
  return (
    <div class="inbox-filters">
      <ButtonChoice
        class="segmented"
        label={t('inbox.show')}
        value={show}
        options={SHOWN.map((value) => ({ value, label: t(`inbox.${value}`) }))}
        onChoose={(value) => choose({ show: value })}
      />
      <Select
        label={t('inbox.podcast')}
        title={t('inbox.podcast')}
        value={podcast}
        options={[
          { value: '', label: t('inbox.allPodcasts') },
          ...named.map(({ url, title }) => ({ value: url, label: title })),
        ]}
        onChoose={(url) => choose({ podcast: url, tag: '', folder: '' })}
      />
      {folders.value && folders.value.length > 0 && (
        <Select
          label={t('folders.title')}
          title={t('folders.title')}
          value={folder}
          options={[
            { value: '', label: t('folders.all') },
            ...folders.value.map(({ id, name }) => ({ value: String(id), label: name })),
          ]}
          onChoose={(id) => choose({ podcast: '', tag: '', folder: id })}
        />
      )}
      {(tags.length > 0 || tag !== '') && (
        <Select
          label={t('inbox.topic')}
          title={t('inbox.topic')}
          value={tag}
          options={[{ value: '', label: t('inbox.allTopics') }, ...topicOptions(tags, tag)]}
          onChoose={(slug) => choose({ podcast: '', tag: slug, folder: '' })}
        />
      )}
    </div>
  )
}

/** Topics by name. Includes the chosen one even if no podcast has it; otherwise the field would show another one. */
function topicOptions(tags: Answer<'listOwnTags'>, chosen: string) {
  const options = tags
    .map(({ tag, title }) => ({ value: tag, label: title }))
    .sort((one, other) => one.label.localeCompare(other.label, language.value))
  return chosen === '' || options.some(({ value }) => value === chosen)
    ? options
    : [...options, { value: chosen, label: chosen }]
}

function Nothing({ filter }: { filter: InboxFilter }) {
  const hasPodcasts = ownPodcasts.value === undefined || ownPodcasts.value.length > 0
  if (!hasPodcasts)
    return (
      <EmptyState text={t('inbox.noPodcasts')}>
        <ButtonLink kind="main" href={href('/')}>
          {t('home.add')}
        </ButtonLink>
      </EmptyState>
    )
  return (
    <EmptyState title={t('inbox.emptyTitle')} text={t('inbox.empty')}>
      {filter.show === 'new' && (
        <ButtonLink href={inboxHref({ ...filter, show: 'unplayed' })}>{t('inbox.showOlder')}</ButtonLink>
      )}
    </EmptyState>
  )
}

/** Loads the next page when the end of the list comes near, or on demand. */
function More() {
  const container: RefObject<HTMLDivElement | null> = useRef(null)
  const isBusy = useSignal(false)

  async function load(): Promise<void> {
    if (isBusy.value) return
    isBusy.value = true
    await attempt(loadMoreOfInbox)
    isBusy.value = false
  }

  useEffect(() => {
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) void load()
      },
      { rootMargin: '600px' },
    )
    if (container.current) observer.observe(container.current)
    return () => observer.disconnect()
  }, [])

  return (
    <div class="row inbox-more" ref={container}>
      <Button isBusy={isBusy.value} onClick={load}>
        {t('inbox.more')}
      </Button>
    </div>
  )
}
