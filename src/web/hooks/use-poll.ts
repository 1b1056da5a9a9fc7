import { useEffect } from 'preact/hooks'

/**
 * Calls `run` immediately and then every `seconds` while the tab is visible, never twice at the same time. `run` must not reject, and
 * should stop when its signal is aborted.
 */
export function usePoll(run: (end: AbortSignal) => Promise<void>, seconds: number): void {
  useEffect(() => {
    const end = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let isRunning = false

    async function turn(): Promise<void> {
      clearTimeout(timer)
      if (isRunning || document.visibilityState === 'hidden') return
      isRunning = true
      await run(end.signal)
      isRunning = false
      if (!end.signal.aborted) timer = setTimeout(turn, seconds * 1000)
    }

    document.addEventListener('visibilitychange', turn, { signal: end.signal })
    void turn()
    return () => {
      end.abort()
      clearTimeout(timer)
    }
  }, [])
}
