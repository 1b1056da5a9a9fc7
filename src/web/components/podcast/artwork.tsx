import { useEffect, useState } from 'preact/hooks'
import { listenToHints } from '../../store/live/live.ts'
import { Icon } from '../icon.tsx'
import { type ArtworkSize, artworkAddresses, type PicturedChapter } from './artwork-addresses.ts'

export interface ArtworkProps {
  /** Feed URL. */
  readonly url: string
  readonly title: string
  readonly size: ArtworkSize
  /** False if the server is known to have no picture, because the feed names none or no user has the podcast. */
  readonly hasPicture?: boolean
  /** Media URL of an episode that has its own picture, preferred over the one of the podcast. */
  readonly episode?: string | undefined
  /** Chapter with a picture, preferred over the one of the episode. */
  readonly chapter?: PicturedChapter | undefined
}

/**
 * Thumbnail of a podcast, an episode or a chapter. Falls back to the initials of the podcast's title on a colour, or to
 * an icon if the title is unknown.
 */
export function Artwork({ url, title, size, hasPicture, episode, chapter }: ArtworkProps) {
  const [failed, setFailed] = useState<readonly string[]>([])
  const addresses = artworkAddresses({ podcast: url, episode, chapter, hasCover: hasPicture }, size)
  const shown = addresses.find((address) => !failed.includes(address))
  const isMissing = shown === undefined && addresses.length > 0
  useEffect(() => {
    if (!isMissing) return undefined
    // The picture may become available once the server has read the feed or a user has subscribed.
    return listenToHints(({ topic, url: changed }) => {
      if (topic === 'subscriptions' || topic === 'all' || (topic === 'podcast' && changed === url)) setFailed([])
    })
  }, [isMissing, url])
  const initials = hasNoTitle({ title, url }) ? '' : initialsOf(title)
  return (
    <div class="artwork" aria-hidden="true" style={{ backgroundColor: colorOf(url) }}>
      {initials === '' ? <Icon name="feeds" /> : <span>{initials}</span>}
      {shown !== undefined && (
        <img
          key={shown}
          src={shown}
          alt=""
          width={size}
          height={size}
          loading="lazy"
          decoding="async"
          onError={() => setFailed((before) => [...before, shown])}
        />
      )}
    </div>
  )
}

/** Returns the first letters of the first two words; '' if the text has no words. */
export function initialsOf(title: string): string {
  const words = title.match(/[\p{L}\p{N}]+/gu) ?? []
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('')
}

/** Returns a stable colour for a podcast that contrasts with its initials. */
function colorOf(url: string): string {
  let hash = 0
  for (const character of url) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360
  return `light-dark(hsl(${hash} 40% 91%), hsl(${hash} 22% 20%))`
}

/** Returns the title of a podcast or, until the feed has been read, the host and path of its URL. */
export function feedName({ title, url }: { readonly title: string; readonly url: string }): string {
  return hasNoTitle({ title, url }) ? readableUrl(url) : title
}

/** Whether the title of a podcast is unknown. Names that `feedName` derives from the URL do not count as titles. */
export function hasNoTitle({ title, url }: { readonly title: string; readonly url: string }): boolean {
  if (title === '' || title === url) return true
  // Parsing a URL takes longer than the rest of a card. Most titles have a space, which few URLs can have.
  const cannotBeUrl = title.includes(' ') && !/[%\s]/.test(url)
  return !cannotBeUrl && title === readableUrl(url)
}

function readableUrl(url: string): string {
  if (!URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  return `${host.replace(/^www\./, '')}${decodePath(pathname).replace(/\/$/, '')}`
}

function decodePath(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    // The path contains an invalid percent encoding.
    return path
  }
}
