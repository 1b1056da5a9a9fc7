import type { ComponentChildren } from 'preact'
import { langAttribute } from '../../locales/format.ts'
import { href } from '../../store/paths.ts'
import { Artwork } from './artwork.tsx'
import { Subscribe } from './subscribe.tsx'

/** What podcasts of this server and of external directories have in common. */
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
  /** Whether only an external directory knows it. There is no picture of it then. */
  readonly isExternal?: boolean
  /** Why the podcast is in the list, or its rank. */
  readonly note?: ComponentChildren
  /** Whether there is room for the description. */
  readonly hasDescription?: boolean
}

/** Characters of a description in a list, where there is room for a line or two. */
const DESCRIPTION_MAX = 700

/** A podcast in a list: picture, title with a link to its page, and a button to subscribe. */
export function PodcastItem({ podcast, isExternal = false, note, hasDescription = true }: PodcastItemProps) {
  const { url, author, language } = podcast
  // External directories may not know the title.
  const title = podcast.title === '' ? url : podcast.title
  const about = hasDescription ? podcast.description.slice(0, DESCRIPTION_MAX) : ''
  const lang = langAttribute(language)
  const textAttributes = { dir: 'auto' as const, ...(lang !== undefined && { lang }) }
  return (
    <>
      <Artwork url={url} title={title} size={128} hasPicture={!isExternal && podcast.logo_url !== ''} />
      <div class="podcast-item-text">
        <h3 {...textAttributes}>
          <a href={podcastHref(url)} data-item="">
            {title}
          </a>
        </h3>
        {author !== '' && (
          <p class="muted small" {...textAttributes}>
            {author}
          </p>
        )}
        {note && <p class="podcast-item-note small">{note}</p>}
        {about !== '' && (
          <p class="podcast-item-about muted small" {...textAttributes}>
            {about}
          </p>
        )}
      </div>
      <Subscribe url={url} title={title} isCompact />
    </>
  )
}

export function podcastHref(url: string): string {
  return `${href('/podcast')}?url=${encodeURIComponent(url)}`
}
