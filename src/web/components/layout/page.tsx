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
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren
  /** The picture that carries the head of the page, which is blurred behind it as well. */
  readonly cover?: Omit<ArtworkProps, 'size'>
  /** Short facts below the lead. */
  readonly facts?: ComponentChildren
  readonly children: ComponentChildren
}

/** Titles longer than this, in characters, are set smaller so that they do not fill a phone's screen. */
const LONG = 70

/** Titles up to this length leave room for a button beside them, also on phones. */
const SHORT = 14

/** The layout of pages for users who are signed in. */
export function Page({ title, lead, actions, cover, facts, children }: PageProps) {
  const heading = useHeading(title)
  return (
    <>
      <header class={cover ? 'hero' : 'page-head'} data-short={title.length <= SHORT && !lead}>
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
          <h1 ref={heading} tabIndex={-1} dir="auto" data-long={title.length > LONG}>
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

/** The address at which the client was opened, until the user has gone on from there. */
let landing: string | undefined
let hasGoneOn = false

/**
 * For the heading of a page. Sets the document's title (none yet if it is empty), focuses the heading of a new page so that screen readers
 * announce it (browsers announce the first page themselves), and restores the scroll position of a page that is
 * returned to.
 */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  const { url, path } = useLocation()
  const own = useRef({ path, url })
  useEffect(() => {
    pageTitle.value = title
    // A title may be loaded late, and screen readers do not announce a change of what already has the focus.
    if (heading.current === document.activeElement) {
      heading.current?.blur()
      focus(heading.current)
    }
  }, [title])
  useEffect(() => {
    // A page may have another heading once it is loaded.
    landing ??= url
    hasGoneOn ||= url !== landing
    if (hasGoneOn) focus(heading.current)
    restoreScroll(heading.current)
  }, [])
  useEffect(() => {
    // While the next page is loading, the old page is still there but the address is already that of the next one.
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

/** A section of a page of settings. On wide screens its heading stands beside its content. */
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

/** A section of any other page. */
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
