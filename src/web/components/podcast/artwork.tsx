import { useState } from 'preact/hooks'
import { Icon } from '../icon.tsx'

interface ArtworkProps {
  /** Feed URL. */
  readonly url: string
  readonly title: string
  readonly size: 64 | 128 | 300 | 600
  /** False where it is known that the server has no picture: the feed names none, or nobody here has the podcast. */
  readonly hasPicture?: boolean
}

/** The podcast's picture, from the server's own thumbnails; until there is one, its initials on a colour of its own, or without a name a sign. */
export function Artwork({ url, title, size, hasPicture = true }: ArtworkProps) {
  const [isMissing, setMissing] = useState(false)
  const initials = hasNoTitle({ title, url }) ? '' : initialsOf(title)
  return (
    <div
      class="artwork"
      aria-hidden="true"
      style={{ backgroundColor: colorOf(url), fontSize: `${Math.max(0.9, size / 110)}rem` }}
    >
      {initials === '' ? <Icon name="feeds" /> : <span>{initials}</span>}
      {hasPicture && !isMissing && (
        <img
          src={`artwork/${size}?url=${encodeURIComponent(url)}`}
          alt=""
          width={size}
          height={size}
          loading="lazy"
          decoding="async"
          onError={() => setMissing(true)}
        />
      )}
    </div>
  )
}

function initialsOf(title: string): string {
  const words = title.match(/[\p{L}\p{N}]+/gu) ?? []
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? '')
    .join('')
}

/** Always the same for one podcast, and light or dark enough for its letters. */
function colorOf(url: string): string {
  let hash = 0
  for (const character of url) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 360
  return `light-dark(hsl(${hash} 40% 91%), hsl(${hash} 22% 20%))`
}

/** What a podcast is called: until the feed has said so, where it is; host and path, for people to read. */
export function feedName({ title, url }: { readonly title: string; readonly url: string }): string {
  return hasNoTitle({ title, url }) ? placeOf(url) : title
}

/** Whether nobody knows yet what the podcast is called. Its name as we make it is none either. */
export function hasNoTitle({ title, url }: { readonly title: string; readonly url: string }): boolean {
  return title === '' || title === url || title === placeOf(url)
}

function placeOf(url: string): string {
  if (!URL.canParse(url)) return url
  const { host, pathname } = new URL(url)
  return `${host.replace(/^www\./, '')}${readable(pathname).replace(/\/$/, '')}`
}

function readable(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    // A percent sign that encodes nothing.
    return path
  }
}
