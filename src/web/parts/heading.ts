import type { RefObject } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

let hasVisited = false

/**
 * For the heading of a page: its title becomes the document's, and it takes the focus when the page comes, so that screen readers tell
 * where we are. Not on the first page, which the browser announces itself.
 */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
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
    window.scrollTo(0, 0)
  }, [])
  return heading
}

function focus(heading: HTMLElement | null): void {
  heading?.focus({ preventScroll: true })
}
