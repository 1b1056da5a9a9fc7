import { useSignal } from '@preact/signals'
import { type Answer, ApiError, call } from '../api/client.ts'
import { Artwork } from '../parts/artwork.tsx'
import { Button, ButtonLink } from '../parts/button.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { Notes } from '../parts/notes.tsx'
import { Empty, errorText, Failure, Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { isWeb, SafeLink } from '../parts/safe-link.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Subscribe } from '../parts/subscribe.tsx'
import { useLoad } from '../state/load.ts'
import { useQuery } from '../state/query.ts'
import { account } from '../state/session.ts'
import { holdersOf, knowSubscriptions } from '../state/subscriptions.ts'
import { toast } from '../state/toasts.ts'
import { ago, date, fill, language, plural, t } from '../text/index.ts'
import { EpisodeItem } from './podcast/episode-item.tsx'
import { heardOf } from './podcast/progress.ts'
import { Tags } from './podcast/tags.tsx'

type Episode = Answer<'listEpisodes'>['episodes'][number]

const PER_PAGE = 30
/** Characters; the episodes below are not to be far away. */
const NOTES_SHOWN = 900

/** Everything about one podcast; the server fetches its feed if nobody here has it. */
export default function PodcastPage() {
  const url = useQuery('url')
  return <Podcast key={url} url={url} />
}

function Podcast({ url }: { url: string }) {
  const texts = t().podcast
  const { data, error, reload } = useLoad((signal) => call('getPodcastPage', { query: { url }, signal }))
  const podcast = data.value
  if (error.value && !podcast)
    return (
      <Page title={texts.missingTitle}>
        {error.value instanceof ApiError && error.value.status >= 400 && error.value.status !== 429 ? (
          <Empty title={texts.missingTitle} text={`${texts.missingText} ${errorText(error.value)}`}>
            <Button icon="refresh" onClick={() => reload()}>
              {t().common.retry}
            </Button>
          </Empty>
        ) : (
          <Failure error={error.value} onRetry={() => void reload()} />
        )}
      </Page>
    )
  if (!podcast)
    return (
      <Page title={t().common.loading}>
        <Skeleton height="14rem" count={2} />
      </Page>
    )
  const { title, author } = podcast
  return (
    <Page title={title} {...(author !== '' && { lead: fill(texts.by, { author }) })}>
      <div class="podcast-page">
        <aside class="stack">
          <Artwork url={podcast.url} title={title} size={600} hasPicture={podcast.logo_url !== ''} />
          <Subscribe url={podcast.url} title={title} kind="main" />
          {isWeb(podcast.funding_url) && (
            <ButtonLink icon="heart" href={podcast.funding_url} isExternal>
              {texts.support}
            </ButtonLink>
          )}
          <dl class="podcast-facts small">
            {isWeb(podcast.website) && (
              <div>
                <dt>{texts.website}</dt>
                <dd>
                  <SafeLink url={podcast.website}>{new URL(podcast.website).host}</SafeLink>
                </dd>
              </div>
            )}
            {podcast.language !== '' && (
              <div>
                <dt>{texts.language}</dt>
                <dd>{nameOf(podcast.language)}</dd>
              </div>
            )}
            {podcast.subscribers > 0 && (
              <div>
                <dt class="hidden-text">{plural(texts.subscribers, podcast.subscribers, language.value)}</dt>
                <dd class="muted">{plural(texts.subscribers, podcast.subscribers, language.value)}</dd>
              </div>
            )}
          </dl>
          <div class="stack-small">
            <h2 class="podcast-small-heading">{texts.feedUrl}</h2>
            <CopyField text={podcast.url} label={texts.feedUrl} />
          </div>
          <Own url={podcast.url} />
        </aside>
        <div class="stack podcast-main">
          {(podcast.notes_html !== '' || podcast.tags.length > 0) && (
            <section class="stack" aria-label={texts.about}>
              <Notes html={podcast.notes_html} above={1} limit={NOTES_SHOWN} />
              <Tags tags={podcast.tags} />
            </section>
          )}
          <Episodes url={podcast.url} />
        </div>
      </div>
    </Page>
  )
}

/** What only its subscribers see: on which devices, and how the feed does. */
function Own({ url }: { url: string }) {
  const texts = t().podcast
  const { data } = useLoad(async (signal) => {
    await knowSubscriptions()
    if (holdersOf(url).size === 0) return undefined
    try {
      return await call('getOwnPodcast', { query: { url }, signal })
    } catch (error) {
      // Theirs no more since the list was asked for.
      if (error instanceof ApiError && error.status === 404) return undefined
      throw error
    }
  })
  const own = data.value
  if (!own) return null
  const { state, since, cause, last_checked: checked, last_success: succeeded } = own.health
  return (
    <section class="stack-small small" aria-label={texts.health}>
      <h2 class="podcast-small-heading">{texts.health}</h2>
      {state === 'failing' || state === 'gone' ? (
        <Notice kind="warn">
          <p>
            {texts.failingSince} {date(since)}: {cause}
          </p>
          {succeeded !== '' && (
            <p>
              {texts.succeeded}: {ago(succeeded)}
            </p>
          )}
        </Notice>
      ) : (
        <p class="muted">
          {state === 'new' ? texts.isNew : texts.ok} {checked !== '' && `${texts.checked}: ${ago(checked)}.`}
        </p>
      )}
      {own.private && <p class="muted">{t().home.privateHint}</p>}
    </section>
  )
}

function Episodes({ url }: { url: string }) {
  const texts = t().podcast
  const shown = useSignal<readonly Episode[]>([])
  const isBusy = useSignal(false)
  const username = account.value?.username ?? ''
  const { data, error, reload } = useLoad(async (signal) => {
    const [page, actions] = await Promise.all([
      call('listEpisodes', { query: { url, page: 0, per_page: PER_PAGE }, signal }),
      call('listEpisodeActions', { path: { username }, query: { podcast: url, aggregated: 'true' }, signal }),
    ])
    shown.value = page.episodes
    return { total: page.total, heard: heardOf(actions.actions) }
  })

  async function more(): Promise<void> {
    isBusy.value = true
    try {
      const page = Math.floor(shown.value.length / PER_PAGE)
      const { episodes } = await call('listEpisodes', { query: { url, page, per_page: PER_PAGE } })
      const known = new Set(shown.value.map((episode) => episode.url))
      shown.value = [...shown.value, ...episodes.filter((episode) => !known.has(episode.url))]
    } catch (reason) {
      toast(errorText(reason), { kind: 'error' })
    }
    isBusy.value = false
  }

  const loaded = data.value
  return (
    <section class="stack" aria-labelledby="episodes">
      <h2 id="episodes">
        {texts.episodes}{' '}
        {loaded && <span class="muted">{new Intl.NumberFormat(language.value).format(loaded.total)}</span>}
      </h2>
      {error.value && !loaded ? (
        <Failure error={error.value} onRetry={() => void reload()} />
      ) : !loaded ? (
        <Skeleton height="5rem" count={5} />
      ) : loaded.total === 0 ? (
        <p class="muted">{texts.noEpisodes}</p>
      ) : (
        <>
          <ol class="episode-list">
            {shown.value.map((episode) => (
              <EpisodeItem key={episode.url} episode={episode} heard={loaded.heard.get(episode.url)} />
            ))}
          </ol>
          {shown.value.length < loaded.total && (
            <p>
              <Button isBusy={isBusy.value} onClick={more}>
                {texts.moreEpisodes}
              </Button>
            </p>
          )}
        </>
      )}
    </section>
  )
}

function nameOf(code: string): string {
  try {
    return new Intl.DisplayNames(language.value, { type: 'language' }).of(code) ?? code
  } catch {
    // Feeds write all kinds of things there.
    return code
  }
}
