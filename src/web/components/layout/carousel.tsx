import { type ComponentChildren, type RefObject, toChildArray } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { t } from '../../locales/index.ts'
import { Button } from '../forms/button.tsx'

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

/** Which ends of its content a list shows: none, one, or both. */
function endsOf({ scrollLeft, scrollWidth, clientWidth }: HTMLElement): string {
  return [scrollLeft < 1 && 'first', scrollLeft + clientWidth > scrollWidth - 1 && 'last'].filter(Boolean).join(' ')
}

/** A section whose list stands on one line, which is scrolled sideways by touch, by keys, and by two buttons for a mouse. */
export function Carousel({ title, more, children }: CarouselProps) {
  const id = useId()
  const list: RefObject<HTMLUListElement | null> = useRef(null)
  const [ends, setEnds] = useState(BOTH)
  const count = toChildArray(children).length

  function measure(): void {
    const { current } = list
    if (current) setEnds(endsOf(current))
  }

  function turn(direction: -1 | 1): void {
    const { current } = list
    current?.scrollBy({ left: direction * TURN * current.clientWidth })
  }

  // Before the first paint: the buttons take room from the title, and could move what stands below it.
  useLayoutEffect(() => {
    const observer = new ResizeObserver(measure)
    const { current } = list
    if (current) for (const element of [current, ...current.children]) observer.observe(element)
    return () => observer.disconnect()
  }, [count])

  return (
    <section class="carousel" aria-labelledby={id}>
      <div class="carousel-head">
        <h2 id={id}>{title}</h2>
        {more}
        {ends !== BOTH && (
          <div class="carousel-turn">
            {/* Not `disabled`, by which the button that has been pressed would lose the focus. */}
            <Button
              kind="quiet"
              icon="back"
              label={t('common.previous')}
              aria-disabled={ends === 'first'}
              onClick={() => turn(-1)}
            />
            <Button
              kind="quiet"
              icon="forward"
              label={t('common.next')}
              aria-disabled={ends === 'last'}
              onClick={() => turn(1)}
            />
          </div>
        )}
      </div>
      <ul class="carousel-list" data-ends={ends} ref={list} onScroll={measure}>
        {children}
      </ul>
    </section>
  )
}
