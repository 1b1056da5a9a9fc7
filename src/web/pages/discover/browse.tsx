import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { type Answer, call } from '../../api/client.ts'
import { callExternal } from '../../api/external.ts'
import { EmptyState, Failure, QueryState } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { Select } from '../../components/forms/choice.tsx'
import { useFolded } from '../../components/forms/folded.tsx'
import { Carousel } from '../../components/layout/carousel.tsx'
import { TitledSection } from '../../components/layout/page.tsx'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { type ListedPodcast, PodcastItem, PodcastList, PodcastTile } from '../../components/podcast/podcast-item.tsx'
import { setter } from '../../hooks/setters.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { language, number, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { hasDirectory, server } from '../../store/session.ts'
import { ensureSubscribedDevices, subscribedDevices } from '../../store/subscriptions.ts'
import { coversOf, newAmong, popularOf, shownListeners } from './order.ts'
import { languageChoices } from './search.ts'

const SUGGESTIONS = 6
const TOPLIST = 50
const TAGS = 40
/** Number of topics requested. Some have nothing new for the user, so fewer are shown. */
const TOPICS_ASKED = 6
const TOPICS_SHOWN = 3

/** The page without a search. Data of this server is shown all at once, so that the page does not jump. */
export function Browse() {
  const { data, error, reload } = useQuery(fetchShelves)
  if (error.value) return <Failure error={error.value} onRetry={() => void reload()} />
  if (!data.value) return <RowSkeleton count={8} isWide />
  const { suggestions, toplist, tags, topics, hasOthers, wasOwn } = data.value
  const popular = popularOf(toplist)
  const isAlone = !hasOthers && suggestions.length === 0 && popular.length === 0
  return (
    <div class="discover-shelves stack">
      {isAlone ? <Alone /> : <Suggestions suggestions={suggestions} />}
      {!isAlone && <Covers title={t('discover.newHere')} podcasts={newAmong(popular, wasOwn)} />}
      {popular.length > 0 && <Popular podcasts={popular} />}
      {!isAlone && topics.map(({ tag, title, podcasts }) => <Covers key={tag} {...{ tag, title, podcasts }} />)}
      {!isAlone && tags.length > 0 && <Topics tags={tags} />}
      <Trending />
    </div>
  )
}

/** Returns the number of listeners as text; false if it is too small to be shown. */
export function listenersNote({ subscribers }: { readonly subscribers: number }): string | false {
  const n = shownListeners(subscribers)
  return n > 0 && t('discover.listeners', { n })
}

async function fetchShelves(signal: AbortSignal) {
  const [suggestions, toplist, tags] = await Promise.all([
    call('listSuggestions', { path: { count: SUGGESTIONS, format: 'json' }, signal }),
    call('listToplist', { path: { count: TOPLIST, format: 'json' }, signal }),
    call('listTags', { path: { count: TAGS }, signal }),
    ensureSubscribedDevices(),
  ])
  // A snapshot, so that covers do not disappear when the user subscribes.
  const has = new Set(
    [...(subscribedDevices.value ?? [])].filter(([, devices]) => devices.size > 0).map(([url]) => url),
  )
  const wasOwn = (url: string) => has.has(url)
  const requestedTags = tags.slice(0, TOPICS_ASKED)
  const lists = await Promise.all(
    requestedTags.map(({ tag }) => call('listPodcastsOfTag', { path: { tag, count: TOPLIST }, signal })),
  )
  const topics = requestedTags
    .map((topic, index) => ({ ...topic, podcasts: coversOf(lists[index] ?? [], wasOwn) }))
    .filter(({ podcasts }) => podcasts.length > 0)
    .slice(0, TOPICS_SHOWN)
  const hasOthers = lists.flat().some(({ url }) => !wasOwn(url))
  return { suggestions, toplist, tags, topics, hasOthers, wasOwn }
}

/** Shown if the server knows no podcasts of other users. */
function Alone() {
  return (
    <EmptyState
      title={t('discover.nothingTitle')}
      text={hasDirectory() ? t('discover.nothing') : t('discover.nothingLink')}
    >
      <ButtonLink kind="main" icon="plus" href={href('/add')}>
        {t('add.title')}
      </ButtonLink>
      <ButtonLink icon="transfer" href={href('/transfer')}>
        {t('discover.import')}
      </ButtonLink>
    </EmptyState>
  )
}

interface CoversProps {
  /** Topic to link to for more podcasts. */
  readonly tag?: string
  readonly title: string
  readonly podcasts: readonly ListedPodcast[]
}

/** A row of covers. Renders nothing without podcasts. */
function Covers({ tag, title, podcasts }: CoversProps) {
  if (podcasts.length === 0) return null
  return (
    <Carousel
      title={title}
      more={
        tag !== undefined && (
          <a
            class="small"
            href={href('/discover', { tag })}
            aria-label={t('common.pair', { what: t('home.allNew'), value: title })}
          >
            {t('home.allNew')}
          </a>
        )
      }
    >
      {podcasts.map((podcast) => (
        <PodcastTile key={podcast.url} podcast={podcast} />
      ))}
    </Carousel>
  )
}

type Ranked = Answer<'listToplist'>[number]

const UNFOLDED = 8

function Popular({ podcasts }: { podcasts: readonly Ranked[] }) {
  const { shown, list, more } = useFolded<Ranked, HTMLOListElement>(podcasts, UNFOLDED)
  return (
    <TitledSection title={t('discover.popular')}>
      <ol class="podcast-list podcast-list-ranked" ref={list}>
        {shown.map((podcast, index) => (
          <li class="media podcast-item" data-rank={index + 1} key={podcast.url}>
            <PodcastItem
              podcast={podcast}
              hasDescription={false}
              note={t('discover.listeners', { n: podcast.subscribers })}
            />
          </li>
        ))}
      </ol>
      {more && <p>{more}</p>}
    </TitledSection>
  )
}

/** Suggested podcasts, with the topics they share with the user's podcasts. */
function Suggestions({ suggestions }: { suggestions: Answer<'listSuggestions'> }) {
  return (
    <TitledSection title={t('discover.forYou')}>
      {suggestions.length === 0 ? (
        <p class="muted">{subscribedDevices.value?.size ? t('discover.forYouNone') : t('discover.forYouFirst')}</p>
      ) : (
        <ul class="podcast-cards">
          {suggestions.map((podcast) => (
            <li class="card media podcast-item" key={podcast.url}>
              <PodcastItem podcast={podcast} hasDescription={false} note={reason(podcast.because)} />
            </li>
          ))}
        </ul>
      )}
    </TitledSection>
  )
}

function reason(topics: readonly string[]): string {
  const list = new Intl.ListFormat(language.value, { type: 'conjunction' }).format(topics)
  return t('discover.because', { topics: list })
}

/** Links to the podcasts of each topic. */
function Topics({ tags }: { tags: Answer<'listTags'> }) {
  return (
    <TitledSection title={t('discover.topics')}>
      <ul class="topics">
        {tags.map(({ tag, title, usage }) => (
          <li key={tag}>
            <a class="chip chip-choice" href={href('/discover', { tag })}>
              {title} <span class="muted">{number(usage)}</span>
            </a>
          </li>
        ))}
      </ul>
    </TitledSection>
  )
}

const COUNT = 20

/** Trending podcasts of the external directory. Renders nothing without a directory. */
function Trending() {
  return server.value?.external_directory ? <TrendingList /> : null
}

function TrendingList() {
  const chosen = useSignal<string>(language.value)
  const id = useId()
  const query = useQuery(
    (signal) =>
      callExternal('listTrending', {
        query: { max: COUNT, ...(chosen.value !== '' && { lang: chosen.value }) },
        signal,
      }),
    [chosen.value],
  )
  const found = query.data.value
  return (
    <section class="stack" aria-labelledby={id}>
      <div class="row-apart">
        <h2 id={id}>{t('discover.trending')}</h2>
        <Select
          class="select discover-language"
          label={t('discover.trendingLanguage')}
          value={chosen.value}
          options={[{ value: '', label: t('discover.allLanguages') }, ...languageChoices(language.value)]}
          onChoose={setter(chosen)}
        />
      </div>
      <QueryState query={query} skeleton={<RowSkeleton count={8} isWide />} />
      {found?.answer.length === 0 && (
        <p class="muted">{found.state === 'error' ? t('discover.elsewhereError') : t('discover.trendingNone')}</p>
      )}
      <PodcastList podcasts={found?.answer ?? []} isExternal isBusy={query.isLoading.value} />
    </section>
  )
}
