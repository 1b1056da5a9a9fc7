import { useEffect, useRef } from 'preact/hooks'
import { followHints } from '../store/live/browser.tsx'
import { type Hint, listenToHints, type Topic } from '../store/live/live.ts'
import { createReloader } from './reloader.ts'

export type { Topic } from '../store/live/live.ts'

/**
 * Calls `reload` when data of these topics may have changed, and after a gap in the hints. `reload` receives the hints,
 * for pages that react to some of them only, and should not reject.
 */
export function useHints(topics: readonly Topic[], reload: (hints: readonly Hint[]) => unknown): void {
  const latest = useRef({ topics, reload })
  latest.current = { topics, reload }

  useEffect(() => {
    const reloader = createReloader({
      reload: (hints) => latest.current.reload(hints),
      isVisible: () => document.visibilityState === 'visible',
      now: () => performance.now(),
      later(milliseconds, work) {
        const timer = setTimeout(work, milliseconds)
        return () => clearTimeout(timer)
      },
    })
    followHints()
    const endHints = listenToHints((hint) => {
      if (hint.topic === 'all' || latest.current.topics.includes(hint.topic)) reloader.note(hint)
    })
    document.addEventListener('visibilitychange', reloader.wake)
    return () => {
      endHints()
      document.removeEventListener('visibilitychange', reloader.wake)
      reloader.end()
    }
  }, [])
}

/** Calls `listen` with each hint at once, for pages that use the data in hints. */
export function useEachHint(listen: (hint: Hint) => void): void {
  const latest = useRef(listen)
  latest.current = listen
  useEffect(() => {
    followHints()
    return listenToHints((hint) => latest.current(hint))
  }, [])
}
