import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { afterFrame } from '../../hooks/frames.ts'
import { setTo } from '../../hooks/setters.ts'

interface LaterProps {
  /** Whether not to wait: for what is there already when the user comes back. */
  readonly isNow?: boolean
  /** What stands there until then. */
  readonly before?: ComponentChildren
  readonly children: ComponentChildren
}

/** Content that is drawn a frame after what is around it, so that slow machines have two short tasks and not a long one. */
export function Later({ isNow = false, before, children }: LaterProps) {
  const isThere = useSignal(isNow)
  useEffect(() => (isThere.peek() ? undefined : afterFrame(setTo(isThere, true))), [])
  return <>{isThere.value ? children : before}</>
}
