import { useRef } from 'preact/hooks'

/** A function that does its work once nobody has called it for some milliseconds; the last call counts. */
export function useDebounce<A extends readonly unknown[]>(milliseconds: number, work: (...args: A) => void) {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const latest = useRef(work)
  latest.current = work
  return (...args: A) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => latest.current(...args), milliseconds)
  }
}
