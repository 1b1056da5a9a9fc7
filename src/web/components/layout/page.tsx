import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { pageTitle } from '../../hooks/document-title.ts'
import { t } from '../../locales/index.ts'
import { Artwork, type ArtworkProps } from '../podcast/artwork.tsx'
import { restoreScroll, restoreScrollInPlace } from './scroll-restoration.ts'

interface PageProps {
  readonly title: string
  readonly lead?: ComponentChildren
  /** Buttons next to the title. */
  readonly actions?: ComponentChildren
  /** Picture in the head of the page; a blurred copy is its background. */
  readonly cover?: Omit<ArtworkProps, 'size'>
  /** Short facts below the lead. */
  readonly facts?: ComponentChildren
  readonly children: ComponentChildren
}

/** Titles longer than this, in characters, use a smaller font so that they do not fill the screen of a phone. */
const SMALL_FONT_ABOVE = 70

/** Titles up to this length leave room for a button on the same line, even on phones. */
const ONE_LINE_MAX = 14

/** Layout of pages for signed-in users. */
export function Page({ title, lead, actions, cover, facts, children }: PageProps) {
  const heading = useHeading(title)
  return (
    <>
      <header class={cover ? 'hero' : 'page-head'} data-short={title.length <= ONE_LINE_MAX && !lead}>
        {cover && (
          <>
            <div class="hero-back">
              <Artwork {...cover} size={600} />
            </div>
            <div class="hero-cover">
              <Artwork {...cover} size={600} />
            </div>
          </>
        )}
        <div>
          <h1 ref={heading} tabIndex={-1} dir="auto" data-long={title.length > SMALL_FONT_ABOVE}>
            {title}
          </h1>
          {lead && <p dir="auto">{lead}</p>}
          {facts}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </>
  )
}

/** Address at which the client was opened. The heading of that page is not focused until the user has left it. */
let landing: string | undefined
let hasNavigated = false

/**
 * Returns the ref for the heading of a page. Sets the document title (an empty one means not loaded yet), focuses the
 * heading of a new page so that screen readers announce it (browsers announce the first page), and restores the scroll
 * position when the user returns to a page.
 */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  const { url, path } = useLocation()
  const own = useRef({ path, url })
  useEffect(() => {
    pageTitle.value = title
    // Titles may load late, and screen readers do not announce changes to the focused element.
    if (heading.current === document.activeElement) {
      heading.current?.blur()
      focus(heading.current)
    }
  }, [title])
  useEffect(() => {
    // A page may have another heading once it is loaded.
    landing ??= url
    hasNavigated ||= url !== landing
    if (hasNavigated) focus(heading.current)
    restoreScroll(heading.current)
  }, [])
  useEffect(() => {
    // While the next page is loading, the old one is still rendered, but the address has already changed.
    if (own.current.path !== path || own.current.url === url) return
    own.current.url = url
    restoreScrollInPlace()
  }, [url])
  return heading
}

function focus(heading: HTMLElement | null): void {
  heading?.focus({ preventScroll: true })
}

interface SectionProps {
  readonly title: string
  readonly lead?: ComponentChildren
  readonly children: ComponentChildren
}

/** Section of a settings page. On wide screens the heading is next to the content. */
export function Section({ title, lead, children }: SectionProps) {
  const id = useId()
  return (
    <section class="section" aria-labelledby={id}>
      <div class="section-head stack-small">
        <h2 id={id}>{title}</h2>
        {lead && <p class="muted small">{lead}</p>}
      </div>
      <div class="card stack">{children}</div>
    </section>
  )
}

interface TitledSectionProps {
  readonly title: ComponentChildren
  readonly class?: string
  readonly children: ComponentChildren
}

/** Section of other pages. */
export function TitledSection({ title, class: classes = 'stack', children }: TitledSectionProps) {
  const id = useId()
  return (
    <section class={classes} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  )
}

/** Short facts separated by dots. False and empty ones are left out. */
export function MetaLine({ items }: { readonly items: readonly ComponentChildren[] }) {
  return (
    <p class="meta-line muted small">
      {items.filter(Boolean).map((item, index) => (
        <span key={index}>{item} </span>
      ))}
    </p>
  )
}

/** Reserves the space of content that is loading, so that the page does not jump. Lists and pages: skeletons.tsx. */
export function Skeleton({ height, count = 1 }: { height: string; count?: number }) {
  return (
    <div class="stack-small" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} class="skeleton" style={{ height }} />
      ))}
    </div>
  )
}
