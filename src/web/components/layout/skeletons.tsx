import type { ComponentChildren } from 'preact'
import { t } from '../../locales/index.ts'
import { useHeading } from './page.tsx'

// Outlines of loading content, so that the page does not jump when the content arrives.

function Frame({ class: classes, children }: { class: string; children: ComponentChildren }) {
  return (
    <div class={classes} role="status" aria-label={t('common.loading')}>
      {children}
    </div>
  )
}

function times(count: number, outline: () => ComponentChildren) {
  return Array.from({ length: count }, (_, index) => <div key={index}>{outline()}</div>)
}

const line = (width: string) => <div class="skeleton skeleton-line" style={{ width }} />

/** Grid of covers with two lines of text. */
export function CardSkeleton({ count = 12 }: { count?: number }) {
  return (
    <Frame class="home-grid">
      {times(count, () => (
        <>
          <div class="skeleton skeleton-cover" />
          {line('80%')}
          {line('55%')}
        </>
      ))}
    </Frame>
  )
}

function rows(count: number) {
  return times(count, () => (
    <div class="media">
      <div class="artwork skeleton" />
      <div class="media-text">
        {line('60%')}
        {line('35%')}
      </div>
    </div>
  ))
}

/** List of rows; `isWide` arranges them in columns, like lists of podcasts. */
export function RowSkeleton({ count, isWide = false }: { count: number; isWide?: boolean }) {
  return <Frame class={isWide ? 'skeleton-columns' : 'stack-small'}>{rows(count)}</Frame>
}

/** Page with title, cover, text and a list. */
export function ArticleSkeleton() {
  const heading = useHeading('')
  return (
    <>
      <header class="hero">
        <div class="hero-back" />
        <div class="hero-cover">
          <div class="skeleton skeleton-cover" />
        </div>
        <div>
          <h1 class="hidden-text" ref={heading} tabIndex={-1}>
            {t('common.loading')}
          </h1>
          <div class="skeleton skeleton-title" />
          {line('12rem')}
        </div>
      </header>
      <Frame class="stack-small">{rows(6)}</Frame>
    </>
  )
}
