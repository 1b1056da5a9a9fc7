import { useEffect, useRef } from 'preact/hooks'

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

/** Milliseconds between two questions while people watch a podcast come that they have just added. */
const WAIT_FIRST = 2000
const FIRST_MINUTE = 60_000
/** More than these come one after the other, and the whole list would be loaded for each. */
const FEW = 20
/** The least between two questions otherwise, and the most between two that bring nothing new. */
const WAIT_MIN = 10_000
const WAIT_MAX = 80_000

interface DelayState {
  /** Milliseconds since the first question was due. */
  readonly since: number
  /** Whether the last question has brought anything. */
  readonly hasNews: boolean
  /** How many things are still to come. */
  readonly awaited: number
}

/** Milliseconds to the next question: few things are asked for all the time at first, then soon after news, and ever later without. */
export function nextDelay(wait: number, { since, hasNews, awaited }: DelayState): number {
  if (since < FIRST_MINUTE && awaited <= FEW) return WAIT_FIRST
  return hasNews ? WAIT_MIN : Math.max(WAIT_MIN, Math.min(WAIT_MAX, wait * 2))
}
