import { type ComponentChildren, type RefObject, toChildArray } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { afterFrame } from '../../hooks/frames.ts'
import { t } from '../../locales/index.ts'
import { Button } from '../forms/button.tsx'
import { useRovingFocus } from './roving.ts'

interface CarouselProps {
  readonly title: string
  /** Content next to the title, such as a link to the full list. */
  readonly more?: ComponentChildren
  /** List items, all of one width. */
  readonly children: ComponentChildren
}

/** Fraction of the visible width that a button scrolls. The overlap helps users to keep their place. */
const TURN = 0.9

const BOTH = 'first last'

/** Items to render at first (enough to fill most screens), and to add in each further frame. */
const STEP = 3

/** Returns the ends of its content that a list shows: none, one or both. */
function endsOf({ scrollLeft, scrollWidth, clientWidth }: HTMLElement): string {
  return [scrollLeft < 1 && 'first', scrollLeft + clientWidth > scrollWidth - 1 && 'last'].filter(Boolean).join(' ')
}

/**
 * Section with a list on one line that scrolls sideways by touch, by two buttons for a mouse, and by the arrow keys.
 * The whole list is a single tab stop.
 */
export function Carousel({ title, more, children }: CarouselProps) {
  const id = useId()
  const list: RefObject<HTMLUListElement | null> = useRef(null)
  const [seen, setSeen] = useState(BOTH)
  const items = toChildArray(children)
  const [drawn, setDrawn] = useState(STEP)
  const count = Math.min(drawn, items.length)
  // Items not rendered yet are most likely out of sight, and the buttons must not appear after the first paint.
  const ends = count < items.length && seen === BOTH ? 'first' : seen

  function measure(): void {
    const { current } = list
    if (current) setSeen(endsOf(current))
  }

  function turn(direction: -1 | 1): void {
    const { current } = list
    current?.scrollBy({ left: direction * TURN * current.clientWidth })
  }

  useEffect(() => (drawn < items.length ? afterFrame(() => setDrawn(drawn + STEP)) : undefined), [drawn, items.length])

  useRovingFocus(list)

  // Before the first paint, because the buttons take room from the title and could move the content below.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure)
    const { current } = list
    if (current) for (const element of [current, ...current.children]) observer.observe(element)
    return () => observer.disconnect()
  }, [count])

  return (
    <section class="carousel stack-small" aria-labelledby={id}>
      <div class="row carousel-head">
        <h2 id={id}>{title}</h2>
        {more}
        {ends !== BOTH && (
          <div class="carousel-turn">
            {/* Not `disabled`, because the pressed button would lose the focus. */}
            {([-1, 1] as const).map((direction) => (
              <Button
                key={direction}
                kind="quiet"
                icon={direction < 0 ? 'back' : 'forward'}
                label={direction < 0 ? t('common.previous') : t('common.next')}
                tabIndex={-1}
                aria-disabled={ends === (direction < 0 ? 'first' : 'last')}
                onClick={() => turn(direction)}
              />
            ))}
          </div>
        )}
      </div>
      <ul class="carousel-list" data-ends={ends} ref={list} onScroll={measure}>
        {items.slice(0, count)}
      </ul>
    </section>
  )
}
