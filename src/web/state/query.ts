import { useLocation } from 'preact-iso'

/** A parameter of the page's address; '' without it. */
export function useQuery(name: string): string {
  // The router's types promise every parameter.
  const query: Readonly<Record<string, string | undefined>> = useLocation().query
  return query[name] ?? ''
}
