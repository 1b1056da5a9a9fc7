import { type ComponentChildren, type RefObject, toChildArray } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { afterFrame } from '../../hooks/frames.ts'
import { t } from '../../locales/index.ts'
import { Button } from '../forms/button.tsx'
import { useRovingFocus } from './roving.ts'

interface CarouselProps {
  readonly title: string
  /** What stands beside the title, such as a link to the rest. */
  readonly more?: ComponentChildren
  /** List items, all of one width. */
  readonly children: ComponentChildren
}

/** The part of what can be seen by which a button scrolls: something of it stays, so that nobody loses the place. */
const TURN = 0.9

const BOTH = 'first last'

/** Items that are drawn at once, which on most screens are those that can be seen, and with each further frame. */
const STEP = 3

/** Which ends of its content a list shows: none, one, or both. */
function endsOf({ scrollLeft, scrollWidth, clientWidth }: HTMLElement): string {
  return [scrollLeft < 1 && 'first', scrollLeft + clientWidth > scrollWidth - 1 && 'last'].filter(Boolean).join(' ')
}

/**
 * A section whose list stands on one line, which is scrolled sideways by touch, by two buttons for a mouse, and by the
 * arrow keys. All of the list is one stop of the Tab key.
 */
export function Carousel({ title, more, children }: CarouselProps) {
  const id = useId()
  const list: RefObject<HTMLUListElement | null> = useRef(null)
  const [seen, setSeen] = useState(BOTH)
  const items = toChildArray(children)
  const [drawn, setDrawn] = useState(STEP)
  const count = Math.min(drawn, items.length)
  // What is not drawn yet is most probably out of sight, and the buttons shall not come after the first paint.
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

  // Before the first paint: the buttons take room from the title, and could move what stands below it.
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
            {/* Not `disabled`, by which the button that has been pressed would lose the focus. */}
            {([-1, 1] as const).map((by) => (
              <Button
                key={by}
                kind="quiet"
                icon={by < 0 ? 'back' : 'forward'}
                label={by < 0 ? t('common.previous') : t('common.next')}
                tabIndex={-1}
                aria-disabled={ends === (by < 0 ? 'first' : 'last')}
                onClick={() => turn(by)}
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
