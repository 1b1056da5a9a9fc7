import { call } from '../api/client.ts'
import { Artwork } from '../parts/artwork.tsx'
import { ButtonLink } from '../parts/button.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { Missing } from '../parts/missing.tsx'
import { Notes } from '../parts/notes.tsx'
import { NothingHere } from '../parts/nothing-here.tsx'
import { Page } from '../parts/page.tsx'
import { podcastPage } from '../parts/podcast-item.tsx'
import { isWeb, SafeLink } from '../parts/safe-link.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { useLoad } from '../state/load.ts'
import { useQuery } from '../state/query.ts'
import { account } from '../state/session.ts'
import { date, fill, number, t } from '../text/index.ts'
import { History } from './episode/history.tsx'
import { HeardMark } from './podcast/episode-item.tsx'
import { heardOf } from './podcast/progress.ts'

/** Characters: several screens. */
const NOTES_SHOWN = 6000

/** One episode: its notes, and what the person's apps have said about it. */
export default function EpisodePage() {
  const podcast = useQuery('podcast')
  const url = useQuery('url')
  return podcast === '' || url === '' ? <NothingHere /> : <Episode key={url} podcast={podcast} url={url} />
}

function Episode({ podcast, url }: { podcast: string; url: string }) {
  const texts = t().podcast
  const username = account.value?.username ?? ''
  const { data, error, reload } = useLoad(async (signal) => {
    const [episode, { actions }] = await Promise.all([
      call('getEpisodePage', { query: { podcast, url }, signal }),
      call('listEpisodeActions', { path: { username }, query: { podcast }, signal }),
    ])
    return { episode, actions: actions.filter((action) => action.episode === episode.url).toReversed() }
  })
  if (error.value && !data.value)
    return (
      <Missing title={texts.missingEpisode} error={error.value} onRetry={() => void reload()}>
        <ButtonLink href={podcastPage(podcast)}>{texts.toPodcast}</ButtonLink>
      </Missing>
    )
  if (!data.value)
    return (
      <Page title={t().common.loading}>
        <Skeleton height="14rem" count={2} />
      </Page>
    )
  const { episode, actions } = data.value
  const heard = heardOf(actions).get(episode.url)
  return (
    <Page title={episode.title} lead={<a href={podcastPage(episode.podcast_url)}>{episode.podcast_title}</a>}>
      <div class="podcast-page">
        <aside class="stack">
          <div class="podcast-cover">
            <Artwork url={episode.podcast_url} title={episode.podcast_title} size={600} />
            <div class="stack-small">
              <p class="row small muted">
                {episode.released !== '' && <time dateTime={`${episode.released}Z`}>{date(episode.released)}</time>}
                {episode.duration !== null && (
                  <span>{fill(texts.minutes, { n: number(Math.max(1, Math.round(episode.duration / 60))) })}</span>
                )}
              </p>
              {heard && (
                <p class="small">
                  <HeardMark heard={heard} duration={episode.duration} />
                </p>
              )}
              {isWeb(episode.url) && (
                <ButtonLink href={episode.url} isExternal>
                  {texts.openMedia}
                </ButtonLink>
              )}
            </div>
          </div>
          {isWeb(episode.website) && (
            <p class="small">
              <SafeLink url={episode.website}>{texts.website}</SafeLink>
            </p>
          )}
          <div class="stack-small">
            <h2 class="podcast-small-heading">{texts.mediaUrl}</h2>
            <CopyField text={episode.url} label={texts.mediaUrl} />
          </div>
        </aside>
        <div class="stack podcast-main">
          {episode.notes_html !== '' && (
            <section class="stack">
              <h2>{texts.notes}</h2>
              <Notes html={episode.notes_html} above={2} limit={NOTES_SHOWN} />
            </section>
          )}
          <History actions={actions} />
        </div>
      </div>
    </Page>
  )
}
