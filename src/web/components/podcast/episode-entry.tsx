import type { ComponentChildren } from 'preact'
import { href } from '../../store/paths.ts'
import { Artwork } from './artwork.tsx'
import { podcastHref } from './podcast-item.tsx'

interface EpisodeEntryProps {
  /** Feed URL. */
  readonly podcast: string
  readonly podcastTitle: string
  readonly url: string
  readonly title: string
  /** Whether the episode has its own picture. */
  readonly hasPicture: boolean
  /** Third line, below the titles of the episode and the podcast. */
  readonly detail: ComponentChildren
  /** Content after the text, such as buttons. */
  readonly children: ComponentChildren
}

/** Episode in the list of favorites or the listening history, with links to the episode and the podcast. */
export function EpisodeEntry(props: EpisodeEntryProps) {
  const { podcast, podcastTitle, url, title, hasPicture, detail, children } = props
  return (
    <li class="media">
      <Artwork url={podcast} title={podcastTitle} size={128} episode={hasPicture ? url : undefined} />
      <div class="media-text">
        <p class="media-title clamp">
          <a href={href('/episode', { podcast, url })} dir="auto" data-item="">
            {title}
          </a>
        </p>
        <p class="cut small muted" dir="auto">
          <a class="episode-entry-podcast" href={podcastHref(podcast)}>
            {podcastTitle}
          </a>
        </p>
        {detail && <p class="small muted">{detail}</p>}
      </div>
      {children}
    </li>
  )
}
