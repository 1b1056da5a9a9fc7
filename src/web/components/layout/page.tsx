import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { restoreScroll, restoreScrollInPlace } from './scroll-restoration.ts'

interface PageProps {
  readonly title: string
  readonly lead?: ComponentChildren
  /** Beside the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** Characters from which a title would fill a phone's screen. */
const LONG = 70

/** One page of those who are signed in. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useHeading(title)
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1} dir="auto" data-long={title.length > LONG}>
            {title}
          </h1>
          {lead && <p dir="auto">{lead}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </>
  )
}

let hasVisited = false

/**
 * For the heading of a page: its title becomes the document's, and it takes the focus when the page comes, so that screen readers tell
 * where we are. Not on the first page, which the browser announces itself. A page begins at its top, but one that was left and is come
 * back to is where it was.
 */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  const { url, path } = useLocation()
  const own = useRef({ path, url })
  useEffect(() => {
    document.title = `${title} · podstep`
    // A page may learn its title late, and what has the focus already is not told again.
    if (heading.current === document.activeElement) {
      heading.current?.blur()
      focus(heading.current)
    }
  }, [title])
  useEffect(() => {
    if (hasVisited) focus(heading.current)
    hasVisited = true
    restoreScroll(heading.current)
  }, [])
  useEffect(() => {
    // A page that is being left stays until the next one is there, and the address is that one's already.
    if (own.current.path !== path || own.current.url === url) return
    own.current.url = url
    restoreScrollInPlace()
  }, [url])
  return heading
}

function focus(heading: HTMLElement | null): void {
  heading?.focus({ preventScroll: true })
}
