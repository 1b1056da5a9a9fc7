import { useEffect, useRef } from 'preact/hooks'
import { nextWait, WAIT_MIN } from './next-wait.ts'

/**
 * Calls `reload`, which does not reject, whenever the tab is looked at again, and now and then while `awaited` things are still to come.
 */
export function useRefresh(reload: () => Promise<void>, awaited: number): void {
  const latest = useRef({ reload, awaited })
  latest.current = { reload, awaited }
  const isWaiting = awaited > 0

  useEffect(() => {
    const look = () => {
      if (document.visibilityState === 'visible') void latest.current.reload()
    }
    document.addEventListener('visibilitychange', look)
    return () => document.removeEventListener('visibilitychange', look)
  }, [])

  useEffect(() => {
    if (!isWaiting) return undefined
    let wait = WAIT_MIN
    let timer = setTimeout(turn, wait)
    let isOver = false

    async function turn(): Promise<void> {
      const before = latest.current.awaited
      if (document.visibilityState === 'visible') await latest.current.reload()
      wait = nextWait(wait, latest.current.awaited < before)
      if (!isOver) timer = setTimeout(turn, wait)
    }

    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [isWaiting])
}
