import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { BASE } from '../../store/paths.ts'

interface ReservedProps {
  /** What this browser remembers the height by. */
  readonly name: string
  /** Whether the content is what it will be, as far as anybody knows. */
  readonly isSettled: boolean
  readonly children: ComponentChildren
}

/**
 * Content that comes after what stands below it. Until then it takes the room that it had on the last visit, so that
 * the page does not jump. Only the height is remembered, and it counts as long as the window is as wide as then.
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
