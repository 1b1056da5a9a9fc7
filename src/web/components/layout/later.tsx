import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { afterFrame } from '../../hooks/frames.ts'
import { setTo } from '../../hooks/setters.ts'

interface LaterProps {
  /** Renders at once, for content that is already loaded when the user returns to the page. */
  readonly isNow?: boolean
  /** Placeholder until then. */
  readonly before?: ComponentChildren
  readonly children: ComponentChildren
}

/** Renders content a frame after its surroundings, so that slow devices have two short tasks instead of a long one. */
export function Later({ isNow = false, before, children }: LaterProps) {
  const isThere = useSignal(isNow)
  useEffect(() => (isThere.peek() ? undefined : afterFrame(setTo(isThere, true))), [])
  return <>{isThere.value ? children : before}</>
}
