import { type Answer, call } from '../api/client.ts'
import { Artwork } from '../parts/artwork.tsx'
import { ButtonLink } from '../parts/button.tsx'
import { CopyField } from '../parts/copy-field.tsx'
import { Missing } from '../parts/missing.tsx'
import { Notes } from '../parts/notes.tsx'
import { NothingHere } from '../parts/nothing-here.tsx'
import { Page } from '../parts/page.tsx'
import { isWeb } from '../parts/safe-link.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Subscribe } from '../parts/subscribe.tsx'
import { useLoad } from '../state/load.ts'
import { useQuery } from '../state/query.ts'
import { fill, language, plural, t } from '../text/index.ts'
import { Episodes } from './podcast/episodes.tsx'
import { Facts } from './podcast/facts.tsx'
import { askOwn, Health } from './podcast/health.tsx'
import { Tags } from './podcast/tags.tsx'

/** Characters; the episodes below are not to be far away. */
const NOTES_SHOWN = 900

/** Everything about one podcast; the server fetches its feed if nobody here has it. */
export default function PodcastPage() {
  const url = useQuery('url')
  return url === '' ? <NothingHere /> : <Podcast key={url} url={url} />
}

function Podcast({ url }: { url: string }) {
  const texts = t().podcast
  const { data, error, reload } = useLoad((signal) => call('getPodcastPage', { query: { url }, signal }))
  const podcast = data.value
  if (error.value && !podcast)
    return <Missing title={texts.missingTitle} error={error.value} onRetry={() => void reload()} />
  if (!podcast)
    return (
      <Page title={t().common.loading}>
        <Skeleton height="14rem" count={2} />
      </Page>
    )
  return <Known podcast={podcast} />
}

function Known({ podcast }: { podcast: Answer<'getPodcastPage'> }) {
  const texts = t().podcast
  const { url, title, author, subscribers } = podcast
  const own = useLoad((signal) => askOwn(url, signal)).data.value
  return (
    <Page title={title} {...(author !== '' && { lead: fill(texts.by, { author }) })}>
      <div class="podcast-page">
        <aside class="stack">
          <div class="podcast-cover">
            <Artwork url={url} title={title} size={600} hasPicture={podcast.logo_url !== ''} />
            <div class="stack-small">
              <Subscribe url={url} title={title} kind="main" />
              {isWeb(podcast.funding_url) && (
                <ButtonLink kind="quiet" icon="heart" href={podcast.funding_url} isExternal>
                  {texts.support}
                </ButtonLink>
              )}
              {subscribers > 0 && <p class="muted small">{plural(texts.subscribers, subscribers, language.value)}</p>}
            </div>
          </div>
          <Facts podcast={podcast} />
          <div class="stack-small">
            <h2 class="podcast-small-heading">{texts.feedUrl}</h2>
            <CopyField text={url} label={texts.feedUrl} />
          </div>
          {own && <Health own={own} />}
        </aside>
        <div class="stack podcast-main">
          {(podcast.notes_html !== '' || podcast.tags.length > 0) && (
            <section class="stack" aria-label={texts.about}>
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
