import { useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'

/** A parameter of the page's address; '' without it. A page that is being left stays as it is until the next one is there. */
export function useSearchParam(name: string): string {
  const { path, query } = useLocation()
  // The router's types promise every parameter.
  const known: Readonly<Record<string, string | undefined>> = query
  const ownPath = useRef(path)
  const value = useRef('')
  if (path === ownPath.current) value.current = known[name] ?? ''
  return value.current
}
