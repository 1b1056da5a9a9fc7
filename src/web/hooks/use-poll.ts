import { useEffect } from 'preact/hooks'

/**
 * Does something at once and then every `seconds` while the page is looked at; never twice at a time. `run` does not reject, and stops
 * when its signal says so.
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
