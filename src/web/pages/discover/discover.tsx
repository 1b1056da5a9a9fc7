import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { type Answer, call } from '../../api/client.ts'
import { callExternal, type ExternalState } from '../../api/external.ts'
import { DeadEnd } from '../../components/add/add-results.tsx'
import { DirectoryHint } from '../../components/add/directory-hint.tsx'
import { attempt, Failure, OutboundOff, QueryState } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { SearchBox } from '../../components/forms/field.tsx'
import { Page, TitledSection } from '../../components/layout/page.tsx'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { isTyping, SEARCH_PAUSE, typed } from '../../components/own-search.tsx'
import { PodcastList } from '../../components/podcast/podcast-item.tsx'
import { useDebounce } from '../../hooks/use-debounce.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { number, t } from '../../locales/index.ts'
import { addPodcast, looksLikeAddress, resolveText, titleOf } from '../../store/adding.ts'
import { href } from '../../store/paths.ts'
import { hasDirectory, isOutbound } from '../../store/session.ts'
import { ensureSubscribedDevices, holdersOf, loadSubscribedDevices } from '../../store/subscriptions.ts'
import { Browse, listenersNote } from './browse.tsx'
import { OwnResults } from './own-results.tsx'
import { isSearchable } from './search.ts'

/** Finds podcasts: by search (`?q=`), by topic (`?tag=`), or by browsing. */
export default function Discover() {
  const { route } = useLocation()
  const q = useSearchParam('q')
  const tag = useSearchParam('tag')
  const searched = useRef(q)
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    if (isTyping.value) {
      box.current?.querySelector('input')?.focus()
      if (typed.value.trim() !== q) search(typed.value.trim())
    } else typed.value = q
    isTyping.value = false
  }, [])
  useEffect(() => {
    // After going back or forward, the box shows the query in the address.
    if (q !== searched.current) typed.value = q
    searched.current = q
  }, [q])
  const search = useDebounce(SEARCH_PAUSE, (text: string) => {
    searched.current = text
    route(href('/discover', text === '' ? {} : { q: text }), true)
  })

  useHints(['subscriptions'], () => loadSubscribedDevices().catch(() => undefined))
  return (
    <Page title={t('discover.title')} lead={hasDirectory() ? t('discover.lead') : t('discover.leadLink')}>
      <div class="stack">
        <search class="discover-search" ref={box}>
          <SearchBox
            label={t('discover.searchLabel')}
            placeholder={t('discover.placeholder')}
            value={typed}
            onInput={(text) => search(text.trim())}
          />
        </search>
        <Content q={q} tag={tag} />
      </div>
    </Page>
  )
}

function Content({ q, tag }: { q: string; tag: string }) {
  if (looksLikeAddress(q)) return <LinkedPodcast text={q} />
  if (q.trim() !== '') return <Results q={q} />
  return tag === '' ? <Browse /> : <TopicPodcasts tag={tag} />
}

function Results({ q }: { q: string }) {
  return (
    <>
      <OwnResults q={q} />
      {isSearchable(q) && <SearchResults q={q} />}
    </>
  )
}

type Found = Answer<'searchAll'>

/** Podcasts that the user does not have, from this server and the external directory, if any. */
function SearchResults({ q }: { q: string }) {
  const { data, error, isLoading, reload } = useQuery(
    async (signal) => {
      const [found] = await Promise.all([
        callExternal('searchAll', { query: { q }, signal }),
        ensureSubscribedDevices(),
      ])
      // Podcasts that the user adds from now on stay in the list.
      return { ...found, local: found.answer.local.filter(({ url }) => holdersOf(url).size === 0) }
    },
    [q],
  )
  if (error.value) return <Failure error={error.value} onRetry={() => void reload()} />
  const found = data.value
  if (!found)
    return (
      <div class="discover-columns">
        <RowSkeleton count={5} isWide />
      </div>
    )
  const { local } = found
  const { external } = found.answer
  const hasExternal = found.state !== 'off'
  return (
    <div class="discover-columns" aria-busy={isLoading.value}>
      <p class="hidden-text" role="status">
        {[
          counted(t('discover.here'), local),
          ...(hasExternal ? [counted(t('discover.elsewhere'), external)] : []),
        ].join('. ')}
      </p>
      <Column title={t('discover.here')} results={local.length}>
        {local.length > 0 ? (
          <PodcastList podcasts={local} noteOf={listenersNote} />
        ) : (
          <p class="muted">{`${t('discover.hereNone')} ${t('discover.typeAddress')}`}</p>
        )}
        {!hasExternal && (isOutbound() ? <DirectoryHint /> : <OutboundOff />)}
      </Column>
      {hasExternal && (
        <Column title={t('discover.elsewhere')} results={external.length}>
          <Elsewhere podcasts={external} state={found.state} />
        </Column>
      )}
    </div>
  )
}

function counted(what: string, found: readonly unknown[]): string {
  const value = t('discover.found', { n: found.length })
  return t('common.pair', { what, value })
}

function Column({ title, results, children }: { title: string; results: number; children: ComponentChildren }) {
  const count = results > 0 && <span class="discover-count">{number(results)}</span>
  return (
    <TitledSection class="stack" title={[title, ' ', count]}>
      {children}
    </TitledSection>
  )
}

function Elsewhere({ podcasts, state }: { podcasts: Found['external']; state: ExternalState }) {
  if (podcasts.length > 0) return <PodcastList podcasts={podcasts} isExternal />
  return <p class="muted">{state === 'error' ? t('discover.elsewhereError') : t('discover.elsewhereNone')}</p>
}

/** The podcast that a pasted link resolves to. */
function LinkedPodcast({ text }: { text: string }) {
  const { data, error, isLoading, reload } = useQuery(
    async (signal) => {
      const [answer] = await Promise.all([resolveText(text, signal), ensureSubscribedDevices()])
      return answer
    },
    [text],
  )
  const { route } = useLocation()
  if (error.value) return <Failure error={error.value} onRetry={() => void reload()} />
  const answer = data.value
  if (!answer) return <RowSkeleton count={1} isWide />
  if (answer.reason === 'words') return <Results q={text} />
  if (answer.candidates.length === 0)
    return (
      <DeadEnd
        answer={answer}
        isBusy={isLoading.value}
        onRetry={() => void reload()}
        onAdd={() => void attempt(() => addPodcast({ url: answer.address, title: '' }))}
        onSearch={() => route(href('/discover'))}
      />
    )
  return (
    <div class="stack" aria-busy={isLoading.value}>
      <h2 class="hidden-text">{t('add.results')}</h2>
      <p class="hidden-text" role="status">
        {t('discover.found', { n: answer.candidates.length })}
      </p>
      <PodcastList
        podcasts={answer.candidates.map((candidate) => ({ ...candidate, title: titleOf(candidate), language: '' }))}
      />
    </div>
  )
}

const COUNT = 100

function TopicPodcasts({ tag }: { tag: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  const query = useQuery(
    async (signal) => {
      const [podcasts, tags] = await Promise.all([
        call('listPodcastsOfTag', { path: { tag, count: COUNT }, signal }),
        call('listTags', { path: { count: COUNT }, signal }),
        ensureSubscribedDevices(),
      ])
      return { podcasts, topic: tags.find((each) => each.tag === tag)?.title ?? tag }
    },
    [tag],
  )
  const found = query.data.value
  useEffect(() => {
    window.scrollTo(0, 0)
    heading.current?.focus({ preventScroll: true })
  }, [tag])

  return (
    <section class="stack">
      <div class="row-apart">
        <h2 ref={heading} tabIndex={-1}>
          {t('discover.about', { topic: found?.topic ?? tag })}
        </h2>
        <ButtonLink kind="quiet" icon="back" href={href('/discover')}>
          {t('discover.allTopics')}
        </ButtonLink>
      </div>
      <QueryState query={query} skeleton={<RowSkeleton count={8} isWide />} />
      {found?.podcasts.length === 0 && <p class="muted">{t('discover.aboutNone')}</p>}
      <PodcastList podcasts={found?.podcasts ?? []} noteOf={listenersNote} />
    </section>
  )
}
