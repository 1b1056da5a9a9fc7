import { useEffect, useRef } from 'preact/hooks'
import { nextWait } from './next-wait.ts'

interface Refresh {
  /** Loads everything anew; does not reject. */
  readonly reload: () => Promise<void>
  /** How many things are still to come. */
  readonly awaited: number
  /** Asks the server how many are still to come: less than loading everything. */
  readonly countAwaited: () => Promise<number>
}

/** Reloads whenever the tab is looked at again, and, as long as it is looked at, when something that is awaited has come. */
export function useRefresh(refresh: Refresh): void {
  const latest = useRef(refresh)
  latest.current = refresh
  const isWaiting = refresh.awaited > 0

  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void latest.current.reload()
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])

  useEffect(() => {
    if (!isWaiting) return undefined
    const start = performance.now()
    let wait = nextWait(0, { since: 0, hasNews: true, awaited: latest.current.awaited })
    let timer = setTimeout(turn, wait)
    let isOver = false

    async function turn(): Promise<void> {
      const hasNews = document.visibilityState === 'visible' && (await look())
      wait = nextWait(wait, { since: performance.now() - start, hasNews, awaited: latest.current.awaited })
      if (!isOver) timer = setTimeout(turn, wait)
    }

    async function look(): Promise<boolean> {
      const { reload, awaited, countAwaited } = latest.current
      // Without an answer the next turn asks again.
      const count = await countAwaited().catch(() => awaited)
      if (isOver || count === awaited) return false
      await reload()
      return true
    }

    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [isWaiting])
}
