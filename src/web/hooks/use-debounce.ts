import { useRef } from 'preact/hooks'

/** Returns a function that calls `work` with the last arguments after a pause of `milliseconds` in calls. */
export function useDebounce<A extends readonly unknown[]>(milliseconds: number, work: (...args: A) => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef(work)
  latest.current = work
  return (...args: A) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => latest.current(...args), milliseconds)
  }
}
