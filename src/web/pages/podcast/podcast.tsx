import { type Answer, call } from '../../api/client.ts'
import { ButtonLink } from '../../components/forms/button.tsx'
import { CopyField } from '../../components/forms/copy-field.tsx'
import { NotFound, Unavailable } from '../../components/layout/not-found.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Skeleton } from '../../components/layout/skeleton.tsx'
import { Notes } from '../../components/notes/notes.tsx'
import { Artwork } from '../../components/podcast/artwork.tsx'
import { Subscribe } from '../../components/podcast/subscribe.tsx'
import { isWebUrl, SafeLink } from '../../components/safe-link.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { useSearchParam } from '../../hooks/use-search-param.ts'
import { language, t } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { Episodes } from './episodes.tsx'
import { fetchOwnPodcast, Health } from './health.tsx'

/** Characters of the description that are shown at first, so that the episodes stay near. */
const NOTES_SHOWN = 900

/** A podcast. The server fetches the feed if no user has it. */
export default function PodcastPage() {
  const url = useSearchParam('url')
  return url === '' ? <NotFound /> : <Podcast key={url} url={url} />
}

function Podcast({ url }: { url: string }) {
  const { data, error, reload } = useQuery((signal) => call('getPodcastPage', { query: { url }, signal }))
  const podcast = data.value
  if (error.value && !podcast)
    return <Unavailable title={t('podcast.missingTitle')} error={error.value} onRetry={() => void reload()} />
  if (!podcast)
    return (
      <Page title={t('common.loading')}>
        <Skeleton height="14rem" count={2} />
      </Page>
    )
  return <Known podcast={podcast} />
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
            <a class="chip" href={`${href('/discover')}?tag=${encodeURIComponent(tag)}`} dir="auto">
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
