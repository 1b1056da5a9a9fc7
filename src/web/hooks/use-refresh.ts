import { useEffect, useRef } from 'preact/hooks'

interface Refresh {
  /** Loads everything again; does not reject. */
  readonly reload: () => Promise<void>
  /** How many items the server is still working on. */
  readonly awaited: number
  /** Asks the server for that number, which costs less than loading everything. */
  readonly countAwaited: () => Promise<number>
}

/** Reloads when the tab becomes visible again and, while it is visible, when an awaited item has arrived. */
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
    let wait = nextDelay(0, { since: 0, hasNews: true, awaited: latest.current.awaited })
    let timer = setTimeout(turn, wait)
    let isOver = false

    async function turn(): Promise<void> {
      const hasNews = document.visibilityState === 'visible' && (await look())
      wait = nextDelay(wait, { since: performance.now() - start, hasNews, awaited: latest.current.awaited })
      if (!isOver) timer = setTimeout(turn, wait)
    }

    async function look(): Promise<boolean> {
      const { reload, awaited, countAwaited } = latest.current
      // If the request fails, the next turn asks again.
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

/** Milliseconds between requests right after podcasts were added, when the user is likely to watch them appear. */
const WAIT_FIRST = 2000
const FIRST_MINUTE = 60_000
/** With more items than these, the whole list would be loaded again and again as they arrive one by one. */
const FEW = 20
/** Milliseconds between requests later on: at least, and at most when nothing new has arrived. */
const WAIT_MIN = 10_000
const WAIT_MAX = 80_000

interface DelayState {
  /** Milliseconds since the hook began to wait. */
  readonly since: number
  /** Whether the last request found anything new. */
  readonly hasNews: boolean
  /** How many items are still to come. */
  readonly awaited: number
}

/** Milliseconds until the next request: short at first for a few items, then growing as long as nothing new arrives. */
export function nextDelay(wait: number, { since, hasNews, awaited }: DelayState): number {
  if (since < FIRST_MINUTE && awaited <= FEW) return WAIT_FIRST
  return hasNews ? WAIT_MIN : Math.max(WAIT_MIN, Math.min(WAIT_MAX, wait * 2))
}
