import { type Answer, call } from '../../api/client.ts'
import { useDeviceCaptions } from '../../components/device.tsx'
import { ButtonLink } from '../../components/forms/button.tsx'
import { Page } from '../../components/layout/page.tsx'
import { NotFound, Unavailable } from '../../components/layout/unavailable.tsx'
import { Notes } from '../../components/notes.tsx'
import { ChapterList } from '../../components/player/chapter-list.tsx'
import { PlayButton } from '../../components/player/play-button.tsx'
import { EpisodeMenu } from '../../components/podcast/episode-menu.tsx'
import { FavoriteButton } from '../../components/podcast/favorite-button.tsx'
import { MarkButton } from '../../components/podcast/mark-button.tsx'
import { offerUndo } from '../../components/podcast/offer-undo.tsx'
import { podcastHref } from '../../components/podcast/podcast-item.tsx'
import { isWebUrl } from '../../components/safe-link.tsx'
import { Transcript } from '../../components/transcript/transcript.tsx'
import { useHints } from '../../hooks/use-hints.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { date, duration, findText, t, timeLeft } from '../../locales/index.ts'
import { sendMarks, undoMarks } from '../../store/episodes/marks.ts'
import { loadChapters } from '../../store/playback/chapters.ts'
import { currentProgress } from '../../store/playback/now-playing.ts'
import { chapterAt, clock, progressOf } from '../../store/playback/progress.ts'
import { timeIn } from '../../store/playback/share.ts'
import { isInPlayer, play, player } from '../../store/player.ts'
import { ownName } from '../../store/session.ts'
import { EpisodeNumber, ProgressMark, playableOf, toMarkable } from './episode-item.tsx'
import { PublisherFiles } from './publisher-files.tsx'

/** Characters of notes shown initially, about several screens. */
const NOTES_SHOWN = 6000

/** The page of an episode, with its notes and the actions reported by the user's apps. */
export default function EpisodePage() {
  const podcast = useSearchParam('podcast')
  const url = useSearchParam('url')
  return podcast === '' || url === '' ? <NotFound /> : <Episode key={url} podcast={podcast} url={url} />
}

function Episode({ podcast, url }: { podcast: string; url: string }) {
  const username = ownName()
  const query = useQuery(async (signal) => {
    const [episode, { actions }] = await Promise.all([
      call('getEpisodePage', { query: { podcast, url }, signal }),
      call('listEpisodeActions', { path: { username }, query: { podcast }, signal }),
    ])
    return { episode, actions: actions.filter((action) => action.episode === episode.url).toReversed() }
  })
  // Optional: the page does not wait for the chapters.
  const fetched = useQuery((signal) => loadChapters(podcast, url, signal))
  const settings = useQuery((signal) =>
    call('getSettings', { path: { username, scope: 'episode' }, query: { podcast, episode: url }, signal }),
  )
  useHints(['episodes', 'settings'], () => Promise.all([query.reload(), settings.reload()]))
  if (!query.data.value)
    return (
      <Unavailable query={query} title={t('podcast.missingEpisode')}>
        <ButtonLink href={podcastHref(podcast)}>{t('podcast.toPodcast')}</ButtonLink>
      </Unavailable>
    )
  const { episode, actions } = query.data.value
  const chapters = fetched.data.value ?? episode.chapters
  const stored = progressOf(actions).get(episode.url)
  const progress = currentProgress(episode.url) ?? stored
  const playable = playableOf(episode, progress)
  const sharedFrom = timeIn(location.hash)

  async function mark(isPlayed: boolean): Promise<void> {
    const as = isPlayed ? 'played' : 'new'
    await offerUndo({
      as,
      async mark() {
        const undo = await sendMarks([toMarkable(episode)], as)
        await query.reload()
        return { n: 1, restore: () => undoMarks(undo).then(query.reload) }
      },
    })
  }

  return (
    <Page
      title={episode.title}
      lead={<a href={podcastHref(episode.podcast_url)}>{episode.podcast_title}</a>}
      cover={{
        url: episode.podcast_url,
        title: episode.podcast_title,
        episode: episode.has_picture ? episode.url : undefined,
      }}
      facts={
        <div class="row small">
          {episode.released !== '' && <time dateTime={`${episode.released}Z`}>{date(episode.released)}</time>}
          {episode.duration !== null && <span>{duration(episode.duration)}</span>}
          <EpisodeNumber episode={episode} />
          {episode.explicit && <span class="chip">{t('podcast.explicit')}</span>}
          {progress && <ProgressMark playback={progress} duration={episode.duration} />}
        </div>
      }
      actions={
        <>
          {isWebUrl(episode.url) && <PlayButton kind="main" episode={playable} from={sharedFrom} />}
          <MarkButton title={episode.title} isPlayed={progress?.isDone === true} onMark={mark} />
          <FavoriteButton
            episode={{ podcast, url: episode.url, title: episode.title }}
            loaded={settings.data.value?.['is_favorite'] === true}
          />
          <EpisodeMenu episode={playable} />
        </>
      }
    >
      <div class="podcast-page">
        {chapters.length > 0 && (
          <section class="stack-small podcast-side">
            <h2>{t('podcast.chapters')}</h2>
            <ChapterList
              podcast={podcast}
              episode={episode.url}
              chapters={chapters}
              current={isInPlayer(episode.url) ? chapterAt(chapters, player.position.value) : undefined}
              onPlay={(seconds) => play(playable, seconds)}
            />
          </section>
        )}
        <div class="stack podcast-main">
          {episode.notes.length > 0 && (
            <section class="stack">
              <h2>{t('podcast.notes')}</h2>
              <Notes
                blocks={episode.notes}
                limit={NOTES_SHOWN}
                times={{
                  length: progress?.total ?? episode.duration ?? 0,
                  onPlay: (seconds) => play(playable, seconds),
                }}
              />
            </section>
          )}
          <Transcript
            podcast={podcast}
            url={episode.url}
            file={episode.transcript_url}
            level={2}
            onPlay={(seconds) => play(playable, seconds)}
          />
          <History actions={actions} />
        </div>
        <aside class="stack podcast-details">
          <PublisherFiles url={episode.url} mediaType={playable.mediaType} website={episode.website} />
        </aside>
      </div>
    </Page>
  )
}

type Action = Answer<'listEpisodeActions'>['actions'][number]

const SHOWN = 50

/** Actions that the user's apps have reported, latest first. */
function History({ actions }: { actions: readonly Action[] }) {
  const captionOf = useDeviceCaptions()
  if (actions.length === 0) return null
  return (
    <section class="stack">
      <h2>{t('podcast.history')}</h2>
      <ul class="episode-history stack-small small">
        {actions.slice(0, SHOWN).map((action) => (
          <li key={`${action.timestamp} ${action.device ?? ''} ${action.position ?? ''}`} class="row">
            <time class="muted" dateTime={`${action.timestamp}Z`}>
              {date(action.timestamp, 'time')}
            </time>
            <span class="chip">{action.device ? captionOf(action.device) : t('common.unknown')}</span>
            <span>{describe(action)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function describe({ action, position, total }: Action): string {
  if (position === undefined) return findText(`podcast.actions.${action}`) ?? action
  if (!total) return t('podcast.playedUpTo', { position: clock(position) })
  if (position >= total) return t('podcast.finished')
  return t('podcast.left', { left: timeLeft(total - position), position: clock(position), total: clock(total) })
}
