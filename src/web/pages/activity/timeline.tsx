import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ActionButton, EmptyState, QueryState } from '../../components/feedback/notice.tsx'
import { useFocusAdded } from '../../components/forms/focus.ts'
import { RowSkeleton } from '../../components/layout/skeletons.tsx'
import { type Query, useQuery } from '../../hooks/use-query.ts'
import { clockTime, dayName } from '../../locales/calendar.ts'
import { t } from '../../locales/index.ts'
import { byDay } from './changes.ts'

interface TimelinePage<T> {
  readonly items: readonly T[]
  /** The `before` of the next page; null on the last one. */
  readonly next: number | null
}

export interface Timeline<T> {
  readonly query: Query<unknown>
  readonly items: Signal<readonly T[]>
  readonly next: Signal<number | null>
  readonly more: () => Promise<void>
}

/** Loads a timeline page by page, newest first. */
export function useTimeline<T>(fetchPage: (before?: number, signal?: AbortSignal) => Promise<TimelinePage<T>>) {
  const items = useSignal<readonly T[]>([])
  const next = useSignal<number | null>(null)
  const query = useQuery(async (signal) => {
    const page = await fetchPage(undefined, signal)
    items.value = page.items
    next.value = page.next
    return true
  })
  async function more(): Promise<void> {
    if (next.value === null) return
    const page = await fetchPage(next.value)
    items.value = [...items.value, ...page.items]
    next.value = page.next
  }
  return { query, items, next, more } satisfies Timeline<T>
}

/** Whether an item has the same minute as the one above it, which already shows the time. */
function isSameMinute(item: { readonly time: number }, above: { readonly time: number } | undefined): boolean {
  return above !== undefined && Math.floor(item.time / 60) === Math.floor(above.time / 60)
}

interface TimelineListProps<T> {
  readonly timeline: Timeline<T>
  readonly emptyTitle: string
  readonly emptyText: string
  readonly keyOf: (item: T) => string | number
  readonly children: (item: T) => ComponentChildren
}

/** A timeline grouped by day, with a button to load more. */
export function TimelineList<T extends { readonly time: number }>(props: TimelineListProps<T>) {
  const { timeline, emptyTitle, emptyText, keyOf, children } = props
  const { query, items, next } = timeline
  const { list, expect } = useFocusAdded<HTMLDivElement>(items.value.length, 'li')
  if (query.data.value === undefined) return <QueryState query={query} skeleton={<RowSkeleton count={6} />} />
  if (items.value.length === 0) return <EmptyState title={emptyTitle} text={emptyText} />
  return (
    <div class="stack" ref={list}>
      {byDay(items.value, dayName).map(({ day, items: ofDay }) => (
        <section key={day} class="timeline-day stack-small" aria-label={day}>
          <h2>{day}</h2>
          <ol class="framed">
            {ofDay.map((item, index) => (
              <li
                key={keyOf(item)}
                class="timeline-item"
                tabIndex={-1}
                data-follows={isSameMinute(item, ofDay[index - 1])}
              >
                <time class="timeline-time small muted" dateTime={new Date(item.time * 1000).toISOString()}>
                  {clockTime(item.time)}
                </time>
                {children(item)}
              </li>
            ))}
          </ol>
        </section>
      ))}
      {next.value !== null && (
        <p>
          <ActionButton
            work={() => {
              expect()
              return timeline.more()
            }}
          >
            {t('activity.more')}
          </ActionButton>
        </p>
      )}
    </div>
  )
}
