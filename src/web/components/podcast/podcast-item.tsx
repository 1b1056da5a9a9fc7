import type { ComponentChildren } from 'preact'
import { langAttribute } from '../../locales/format.ts'
import { href } from '../../store/paths.ts'
import { Artwork } from './artwork.tsx'
import { Subscribe } from './subscribe.tsx'

/** What lists of podcasts have in common, of this server and of others. */
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
  /** Known to another directory only: its picture is nowhere to be had from. */
  readonly isExternal?: boolean
  /** Why it stands here, or how it does. */
  readonly note?: ComponentChildren
  /** What it is about, where there is room for it. */
  readonly hasDescription?: boolean
}

/** Characters of a description in a list, where there is room for a line or two. */
const SHOWN_MAX = 700

/** A podcast in a list: what it looks like and is called, the way to its page, and subscribing. */
export function PodcastItem({ podcast, isExternal = false, note, hasDescription = true }: PodcastItemProps) {
  const { url, author, language } = podcast
  // A directory elsewhere may not know what it is called.
  const title = podcast.title === '' ? url : podcast.title
  const about = hasDescription ? podcast.description.slice(0, SHOWN_MAX) : ''
  const lang = langAttribute(language)
  const said = { dir: 'auto' as const, ...(lang !== undefined && { lang }) }
  return (
    <>
      <Artwork url={url} title={title} size={128} hasPicture={!isExternal && podcast.logo_url !== ''} />
      <div class="podcast-item-text">
        <h3 {...said}>
          <a href={podcastHref(url)} data-item="">
            {title}
          </a>
        </h3>
        {author !== '' && (
          <p class="muted small" {...said}>
            {author}
          </p>
        )}
        {note && <p class="podcast-item-note small">{note}</p>}
        {about !== '' && (
          <p class="podcast-item-about muted small" {...said}>
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
