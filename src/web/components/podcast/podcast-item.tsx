import type { ComponentChildren } from 'preact'
import { langAttribute } from '../../locales/index.ts'
import { href } from '../../store/paths.ts'
import { Artwork, feedName } from './artwork.tsx'
import { Subscribe } from './subscribe.tsx'

/** Fields common to podcasts of this server and of external directories. */
export interface ListedPodcast {
  readonly url: string
  readonly title: string
  readonly author: string
  readonly description: string
  readonly logo_url: string
  readonly language: string
}

interface PodcastItemProps {
  readonly podcast: ListedPodcast
  /** Whether only an external directory has the podcast, so that the server has no picture. */
  readonly isExternal?: boolean
  /** Reason for being in the list, or rank. */
  readonly note?: ComponentChildren
  /** Whether there is room for the description. */
  readonly hasDescription?: boolean
}

/** Mark that the server puts before the name of a picture. */
const PICTURE_MARK = /🖼\s*/gu
/** Maximum length of a description, in characters; lists have room for a line or two. */
const DESCRIPTION_MAX = 700

interface PodcastHeadingProps {
  readonly as: 'h2' | 'h3'
  readonly podcast: Pick<ListedPodcast, 'url' | 'title' | 'author' | 'language'>
}

/** Title of a podcast, with a link to its page, and author. */
export function PodcastHeading({ as: Heading, podcast: { url, title, author, language } }: PodcastHeadingProps) {
  return (
    <>
      <Heading class="clamp media-title" {...textAttributes(language)}>
        <a href={podcastHref(url)} data-item="">
          {title}
        </a>
      </Heading>
      {author !== '' && (
        <p class="cut muted small" {...textAttributes(language)}>
          {author}
        </p>
      )}
    </>
  )
}

/** Returns the attributes for text of a feed in its declared language. */
function textAttributes(language: string) {
  const lang = langAttribute(language)
  return { dir: 'auto' as const, ...(lang !== undefined && { lang }) }
}

/** Podcast in a list: picture, title with a link to its page, and a button to subscribe. */
export function PodcastItem({ podcast, isExternal = false, note, hasDescription = true }: PodcastItemProps) {
  const { url } = podcast
  const title = feedName(podcast)
  const about = hasDescription ? podcast.description.replaceAll(PICTURE_MARK, '').slice(0, DESCRIPTION_MAX) : ''
  return (
    <>
      <Artwork url={url} title={title} size={128} hasPicture={!isExternal && podcast.logo_url !== ''} />
      <div class="media-text">
        <PodcastHeading as="h3" podcast={{ ...podcast, title }} />
        {note && <p class="row podcast-item-note small">{note}</p>}
        {about !== '' && (
          <p class="clamp muted small" {...textAttributes(podcast.language)}>
            {about}
          </p>
        )}
      </div>
      <Subscribe url={url} title={title} isCompact />
    </>
  )
}

/** Podcast in a row of covers. */
export function PodcastTile({ podcast }: { podcast: ListedPodcast }) {
  const title = feedName(podcast)
  return (
    <li class="podcast-tile">
      <Artwork url={podcast.url} title={title} size={300} hasPicture={podcast.logo_url !== ''} />
      <PodcastHeading as="h3" podcast={{ ...podcast, title }} />
      <Subscribe url={podcast.url} title={title} isCompact />
    </li>
  )
}

interface PodcastListProps<P extends ListedPodcast> {
  readonly podcasts: readonly P[]
  readonly isExternal?: boolean
  readonly isBusy?: boolean
  readonly noteOf?: (podcast: P) => ComponentChildren
}

export function PodcastList<P extends ListedPodcast>({ podcasts, isExternal, isBusy, noteOf }: PodcastListProps<P>) {
  return (
    <ul class="podcast-list" aria-busy={isBusy}>
      {podcasts.map((podcast) => (
        <li class="media podcast-item" key={podcast.url}>
          <PodcastItem podcast={podcast} isExternal={isExternal ?? false} note={noteOf?.(podcast)} />
        </li>
      ))}
    </ul>
  )
}

export function podcastHref(url: string): string {
  return href('/podcast', { url })
}
