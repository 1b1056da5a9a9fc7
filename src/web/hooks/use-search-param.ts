import { useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'

/** Returns a query parameter; '' if missing. The old page keeps its value while the next page loads. */
export function useSearchParam(name: string): string {
  const { path, query } = useLocation()
  // The router's types claim that every parameter exists.
  const known: Readonly<Record<string, string | undefined>> = query
  const ownPath = useRef(path)
  const value = useRef('')
  if (path === ownPath.current) value.current = known[name] ?? ''
  return value.current
}
