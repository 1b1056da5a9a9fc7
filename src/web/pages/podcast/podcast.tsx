import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { Button, ButtonLink } from '../../components/forms/button.tsx'
import { CopyField } from '../../components/forms/field.tsx'
import { Page } from '../../components/layout/page.tsx'
import { NotFound, Unavailable } from '../../components/layout/unavailable.tsx'
import { Notes } from '../../components/notes.tsx'
import { PlayButton } from '../../components/player/play-button.tsx'
import { FolderDialog } from '../../components/podcast/folder-dialog.tsx'
import { Subscribe } from '../../components/podcast/subscribe.tsx'
import { isWebUrl, SafeLink } from '../../components/safe-link.tsx'
import { setTo, setter } from '../../hooks/setters.ts'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { language, t } from '../../locales/index.ts'
import { inProgressAnywhere } from '../../store/episodes/lists.ts'
import { href } from '../../store/paths.ts'
import { currentProgress } from '../../store/playback/now-playing.ts'
import { progressOfItem } from '../../store/playback/progress.ts'
import { ensureSubscriptions, holdersOf, loadSubscribedDevices } from '../../store/subscriptions.ts'
import { ensureFolders, folders, isInFolder, loadFolders } from '../../store/sync/folders.ts'
import { shownListeners } from '../discover/order.ts'
import { type OwnEpisode, playableOf } from './episode-item.tsx'
import { Episodes } from './episodes.tsx'
import { newText, type OwnPodcast, OwnPodcastSection } from './own-podcast.tsx'

/** Characters of the description shown initially, which keeps the episodes within reach. */
const NOTES_SHOWN = 900

/** The page of a podcast. The server fetches the feed if no user has it. */
export default function PodcastPage() {
  const url = useSearchParam('url')
  return url === '' ? <NotFound /> : <Podcast key={url} url={url} />
}

function Podcast({ url }: { url: string }) {
  const query = useQuery((signal) => call('getPodcastPage', { query: { url }, signal }))
  if (!query.data.value)
    return (
      <Unavailable query={query} title={t('podcast.missingTitle')} address={url}>
        {/* The page explains the failure, and can add the podcast nevertheless. */}
        <ButtonLink href={href('/add', { url })}>{t('add.title')}</ButtonLink>
      </Unavailable>
    )
  return <Known podcast={query.data.value} />
}

function Known({ podcast }: { podcast: Answer<'getPodcastPage'> }) {
  const { url, title, author } = podcast
  const listeners = shownListeners(podcast.subscribers)
  const ownQuery = useQuery((signal) => fetchOwnPodcast(url, signal))
  const own = ownQuery.data.value
  useHints(['podcast', 'subscriptions'], async (hints) => {
    // `ensureSubscriptions` would not reload `subscribedDevices` that were loaded recently.
    if (hints.some(({ topic }) => topic !== 'podcast')) await loadSubscribedDevices().catch(() => undefined)
    await ownQuery.reload()
  })
  const hasPicture = podcast.logo_url !== ''
  const newest = useSignal<readonly OwnEpisode[] | undefined>(undefined)
  return (
    <Page
      title={title}
      {...(author !== '' && { lead: t('podcast.by', { author }) })}
      cover={{ url, title, hasPicture }}
      facts={listeners > 0 && <p class="small">{t('podcast.subscribers', { n: listeners })}</p>}
      actions={
        <>
          <ResumeButton url={url} episodes={newest.value} />
          <Subscribe url={url} title={title} kind="main" />
          {isWebUrl(podcast.funding_url) && (
            <ButtonLink kind="quiet" icon="heart" href={podcast.funding_url} isExternal>
              {t('podcast.support')}
            </ButtonLink>
          )}
        </>
      }
    >
      <div class="podcast-page">
        {podcast.notes.length > 0 && (
          <section class="stack podcast-side" aria-label={t('podcast.about')}>
            <Notes blocks={podcast.notes} limit={NOTES_SHOWN} />
          </section>
        )}
        <div class="stack podcast-main">
          <Episodes url={url} hasCover={hasPicture} whyNone={whyNone(own?.health)} onNewest={setter(newest)} />
        </div>
        <aside class="stack podcast-details">
          {/* On wide screens, the tags are left of the episodes, but the Tab key reaches the episode search first. */}
          <Tags tags={podcast.tags} />
          <Facts podcast={podcast} />
          <div class="stack-small">
            <h2 class="podcast-small-heading">{t('podcast.feedUrl')}</h2>
            <CopyField text={url} label={t('podcast.feedUrl')} />
          </div>
          {own && <Filed url={url} />}
          {own && <OwnPodcastSection own={own} title={title} onChange={ownQuery.reload} />}
        </aside>
      </div>
    </Page>
  )
}

/** Resumes the last played episode, or plays the newest one. Renders nothing if there are no episodes. */
function ResumeButton({ url, episodes }: { url: string; episodes: readonly OwnEpisode[] | undefined }) {
  const hasPodcast = holdersOf(url).size > 0
  if (!episodes)
    return (
      <Button icon="play" disabled>
        {t('podcast.playLatest')}
      </Button>
    )
  const last = inProgressAnywhere.value?.find(({ podcast }) => podcast.url === url)?.episode.url
  const progressFor = (episode: OwnEpisode) => currentProgress(episode.url) ?? progressOfItem(episode)
  const isBegun = (episode: OwnEpisode) => progressFor(episode)?.isDone === false
  const unfinished = episodes.find((episode) => episode.url === last && isBegun(episode)) ?? episodes.find(isBegun)
  const chosen = unfinished ?? episodes[0]
  if (!chosen || !isWebUrl(chosen.url)) return null
  return (
    <PlayButton
      kind={hasPodcast ? 'main' : 'plain'}
      first={t('podcast.playLatest')}
      episode={playableOf(chosen, progressFor(chosen))}
    />
  )
}

/** Folders of the podcast, with a button to change them. */
function Filed({ url }: { readonly url: string }) {
  const isOpen = useSignal(false)
  useEffect(() => {
    void ensureFolders().catch(() => undefined)
  }, [])
  useHints(['folders'], () => loadFolders().catch(() => undefined))
  const list = folders.value?.filter((folder) => isInFolder(folder, url)) ?? []
  return (
    <section class="stack-small" aria-label={t('folders.title')}>
      <h2 class="podcast-small-heading">{t('folders.title')}</h2>
      <div class="row">
        {list.map(({ id, name }) => (
          <a class="chip" key={id} href={href('/inbox', { folder: String(id) })} dir="auto">
            {name}
          </a>
        ))}
        <Button kind="quiet" icon="folder" onClick={setTo(isOpen, true)}>
          {t('folders.assign')}
        </Button>
      </div>
      {isOpen.value && <FolderDialog urls={[url]} onClose={setTo(isOpen, false)} />}
    </section>
  )
}

/** Topics of the podcast, linked if there are more podcasts on the topic. */
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

function Facts({ podcast }: { podcast: Answer<'getPodcastPage'> }) {
  const hasWebsite = isWebUrl(podcast.website)
  if (!hasWebsite && podcast.language === '') return null
  return (
    <dl class="podcast-facts stack-small small">
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
    // Some feeds contain invalid language tags.
    return code
  }
}

/** Fetches the data that only subscribers may see; undefined for other users. Rejects with `ApiError`. */
async function fetchOwnPodcast(url: string, signal: AbortSignal): Promise<OwnPodcast | undefined> {
  await ensureSubscriptions()
  if (holdersOf(url).size === 0) return undefined
  try {
    return await call('getOwnPodcast', { query: { url }, signal })
  } catch (error) {
    // The user has unsubscribed since `subscribedDevices` was loaded.
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

/** Returns the explanation for an empty list: the feed could not be fetched yet, or contains no episodes. */
function whyNone(health: OwnPodcast['health'] | undefined): string {
  if (health?.state === 'new') return newText()
  if (health === undefined) return t('podcast.noEpisodes')
  return health.last_success === '' ? t('podcast.notFetched') : t('podcast.noAudio')
}
