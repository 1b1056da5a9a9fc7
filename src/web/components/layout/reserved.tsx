import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { BASE } from '../../store/paths.ts'

interface ReservedProps {
  /** Key under which this browser stores the height. */
  readonly name: string
  /** Whether the content has loaded, so that its height is worth storing. */
  readonly isSettled: boolean
  readonly children: ComponentChildren
}

/**
 * Content that may load later than the content below it. Until then it reserves the height of the last visit, so that
 * the page does not jump. The stored height is ignored if the width of the window has changed.
 */
export function Reserved({ name, isSettled, children }: ReservedProps) {
  const key = `podstep.height${BASE}.${name}`
  const box = useRef<HTMLDivElement>(null)
  const height = useMemo(() => heightOf(localStorage.getItem(key)), [key])
  useEffect(() => {
    if (!isSettled || !box.current) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry) localStorage.setItem(key, `${innerWidth} ${Math.round(entry.contentRect.height)}`)
    })
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [isSettled])
  return (
    <div class="reserved" ref={box} {...(!isSettled && height > 0 && { style: { minHeight: `${height}px` } })}>
      {children}
    </div>
  )
}

function heightOf(stored: string | null): number {
  const [width, height] = (stored ?? '').split(' ').map(Number)
  return width === innerWidth && height !== undefined ? height : 0
}
