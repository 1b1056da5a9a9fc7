import { useSignal } from '@preact/signals'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { ActionButton, Notice, QueryState } from '../../components/feedback/notice.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { CopyField } from '../../components/forms/field.tsx'
import { useFocusAdded } from '../../components/forms/focus.ts'
import { Page, TitledSection } from '../../components/layout/page.tsx'
import { listPages, saveListPages } from '../../components/layout/scroll-restoration.ts'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { NotFound, Unavailable } from '../../components/layout/unavailable.tsx'
import { Notes } from '../../components/notes/notes.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { Subscribe } from '../../components/podcast/subscribe.tsx'
import { isWebUrl, SafeLink } from '../../components/safe-link.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { ago, date, findText, language, number, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { progressOf } from '../../store/playback/progress.ts'
import { ownName } from '../../store/session.ts'
import { ensureSubscriptions, holdersOf } from '../../store/subscriptions.ts'
import { EpisodeItem } from './episode-item.tsx'

/** Characters of the description that are shown at first, so that the episodes stay near. */
const NOTES_SHOWN = 900

/** A podcast. The server fetches the feed if no user has it. */
export default function PodcastPage() {
  const url = useSearchParam('url')
  return url === '' ? <NotFound /> : <Podcast key={url} url={url} />
}

function Podcast({ url }: { url: string }) {
  const query = useQuery((signal) => call('getPodcastPage', { query: { url }, signal }))
  if (!query.data.value) return <Unavailable query={query} title={t('podcast.missingTitle')} />
  return <Known podcast={query.data.value} />
}

function Known({ podcast }: { podcast: Answer<'getPodcastPage'> }) {
  const { url, title, author, subscribers } = podcast
  const own = useQuery((signal) => fetchOwnPodcast(url, signal)).data.value
  return (
    <Page title={title} {...(author !== '' && { lead: t('podcast.by', { author }) })}>
      <div class="podcast-page">
        <aside class="stack">
          <div class="podcast-cover">
            <Artwork url={url} title={title} size={600} hasPicture={podcast.logo_url !== ''} />
            <div class="stack-small">
              <Subscribe url={url} title={title} kind="main" />
              {isWebUrl(podcast.funding_url) && (
                <ButtonLink kind="quiet" icon="heart" href={podcast.funding_url} isExternal>
                  {t('podcast.support')}
                </ButtonLink>
              )}
              {subscribers > 0 && <p class="muted small">{t('podcast.subscribers', { n: subscribers })}</p>}
            </div>
          </div>
          <Facts podcast={podcast} />
          <div class="stack-small">
            <h2 class="podcast-small-heading">{t('podcast.feedUrl')}</h2>
            <CopyField text={url} label={t('podcast.feedUrl')} />
          </div>
          {own && <Health own={own} />}
        </aside>
        <div class="stack podcast-main">
          {(podcast.notes_html !== '' || podcast.tags.length > 0) && (
            <section class="stack" aria-label={t('podcast.about')}>
              <Notes html={podcast.notes_html} above={1} limit={NOTES_SHOWN} />
              <Tags tags={podcast.tags} />
            </section>
          )}
          <Episodes url={url} health={own?.health} />
        </div>
      </div>
    </Page>
  )
}

/** The topics of the podcast, as links to more podcasts where there are any. */
function Tags({ tags }: { tags: Answer<'getPodcastPage'>['tags'] }) {
  if (tags.length === 0) return null
  return (
    <ul class="podcast-tags" aria-label={t('discover.topics')}>
      {tags.map(({ tag, title, usage }) => (
        <li key={tag}>
          {usage > 0 ? (
            <a class="chip" href={href('/discover', { tag })} dir="auto">
              {title}
            </a>
          ) : (
            <span class="chip" dir="auto">
              {title}
            </span>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Website, language and feed URL. */
function Facts({ podcast }: { podcast: Answer<'getPodcastPage'> }) {
  const hasWebsite = isWebUrl(podcast.website)
  if (!hasWebsite && podcast.language === '') return null
  return (
    <dl class="podcast-facts small">
      {hasWebsite && (
        <div>
          <dt>{t('podcast.website')}</dt>
          <dd>
            <SafeLink url={podcast.website}>{new URL(podcast.website).host}</SafeLink>
          </dd>
        </div>
      )}
      {podcast.language !== '' && (
        <div>
          <dt>{t('podcast.language')}</dt>
          <dd>{nameOf(podcast.language)}</dd>
        </div>
      )}
    </dl>
  )
}

function nameOf(code: string): string {
  try {
    return new Intl.DisplayNames(language.value, { type: 'language' }).of(code) ?? code
  } catch {
    // Feeds contain codes that are not language tags.
    return code
  }
}

type OwnPodcast = Answer<'getOwnPodcast'>

/** What subscribers get to know about a podcast; undefined for other users. Rejects with `ApiError`. */
async function fetchOwnPodcast(url: string, signal: AbortSignal): Promise<OwnPodcast | undefined> {
  await ensureSubscriptions()
  if (holdersOf(url).size === 0) return undefined
  try {
    return await call('getOwnPodcast', { query: { url }, signal })
  } catch (error) {
    // The user has unsubscribed since `holders` was loaded.
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** The state of the feed and, if it fails, the reason. */
function Health({ own: { health, private: isPrivate } }: { own: OwnPodcast }) {
  const { state, last_checked: checked } = health
  return (
    <section class="stack-small small" aria-label={t('podcast.health')}>
      <h2 class="podcast-small-heading">{t('podcast.health')}</h2>
      {state === 'failing' || state === 'gone' ? (
        <FailureDetails health={health} />
      ) : (
        <p class="muted">
          {state === 'new' ? t('podcast.isNew') : t('podcast.ok')}{' '}
          {checked !== '' && `${pair(t('podcast.checked'), ago(checked))}.`}
        </p>
      )}
      {isPrivate && <p class="muted">{t('home.privateHint')}</p>}
    </section>
  )
}

function FailureDetails({ health: { reason, since, last_success: succeeded } }: { health: OwnPodcast['health'] }) {
  return (
    <Notice kind="warn">
      <p>
        {findText(`podcast.reasons.${reason}`) ??
          findText(`admin.feeds.reasons.${reason}`) ??
          t('admin.feeds.reasonUnknown')}
      </p>
      <p>
        {t('podcast.failingSince')} {date(since)}.{' '}
        {succeeded !== '' && `${pair(t('podcast.succeeded'), ago(succeeded))}.`}
      </p>
    </Notice>
  )
}

function pair(what: string, value: string): string {
  return t('common.pair', { what, value })
}

type Episode = Answer<'listEpisodes'>['episodes'][number]

const PER_PAGE = 30

interface EpisodesProps {
  /** The feed URL. */
  readonly url: string
  /** The state of the feed; only subscribers get to know it. */
  readonly health: OwnPodcast['health'] | undefined
}

/** The episodes, newest first. */
function Episodes({ url, health }: EpisodesProps) {
  const shown = useSignal<readonly Episode[]>([])
  const { list, expect } = useFocusAdded<HTMLOListElement>(shown.value.length)
  const username = ownName()
  const query = useQuery(async (signal) => {
    // A user who returns to the page sees as many pages as before.
    const pages = Array.from({ length: listPages() ?? 1 }, (_, page) =>
      call('listEpisodes', { query: { url, page, per_page: PER_PAGE }, signal }),
    )
    const [answers, actions] = await Promise.all([
      Promise.all(pages),
      call('listEpisodeActions', { path: { username }, query: { podcast: url, aggregated: 'true' }, signal }),
    ])
    shown.value = answers.flatMap(({ episodes }) => episodes)
    return { total: answers[0]?.total ?? 0, heard: progressOf(actions.actions) }
  })

  async function more(): Promise<void> {
    const page = Math.floor(shown.value.length / PER_PAGE)
    const { episodes } = await call('listEpisodes', { query: { url, page, per_page: PER_PAGE } })
    const known = new Set(shown.value.map((episode) => episode.url))
    expect()
    shown.value = [...shown.value, ...episodes.filter((episode) => !known.has(episode.url))]
    saveListPages(page + 1)
  }

  const loaded = query.data.value
  return (
    <TitledSection title={[t('podcast.episodes'), ' ', loaded && <span class="muted">{number(loaded.total)}</span>]}>
      <QueryState query={query} skeleton={<RowSkeleton count={5} />} />
      {loaded?.total === 0 && <p class="muted">{whyNone(health)}</p>}
      {loaded && loaded.total > 0 && (
        <>
          <ol class="episode-list" ref={list}>
            {shown.value.map((episode) => (
              <EpisodeItem key={episode.url} episode={episode} heard={loaded.heard.get(episode.url)} />
            ))}
          </ol>
          {shown.value.length < loaded.total && (
            <p>
              <ActionButton work={more}>{t('podcast.moreEpisodes')}</ActionButton>
            </p>
          )}
        </>
      )}
    </TitledSection>
  )
}

/** Tells apart a feed that could not be fetched yet and one without episodes. */
function whyNone(health: OwnPodcast['health'] | undefined): string {
  if (health?.state === 'new') return t('podcast.isNew')
  return health !== undefined && health.last_success === '' ? t('podcast.notFetched') : t('podcast.noEpisodes')
}
