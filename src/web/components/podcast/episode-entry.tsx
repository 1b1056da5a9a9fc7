import type { ComponentChildren } from 'preact'
import { href } from '../../store/paths.ts'
import { Artwork } from './artwork.tsx'
import { podcastHref } from './podcast-item.tsx'

interface EpisodeEntryProps {
  /** The feed URL of its podcast. */
  readonly podcast: string
  readonly podcastTitle: string
  readonly url: string
  readonly title: string
  /** Whether it has a picture of its own. */
  readonly hasPicture: boolean
  /** A third line, below the titles of the episode and of its podcast. */
  readonly detail: ComponentChildren
  /** What stands behind the text, such as buttons. */
  readonly children: ComponentChildren
}

/** An episode in a list of favorites or of what was played, with links to it and to its podcast. */
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
