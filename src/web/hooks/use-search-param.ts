import { useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'

/** A parameter of the page's query string, '' without it. While the next page loads, the old one keeps its value. */
export function useSearchParam(name: string): string {
  const { path, query } = useLocation()
  // The router's types claim that every parameter exists.
  const known: Readonly<Record<string, string | undefined>> = query
  const ownPath = useRef(path)
  const value = useRef('')
  if (path === ownPath.current) value.current = known[name] ?? ''
  return value.current
}
