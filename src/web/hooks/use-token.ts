import { useEffect, useState } from 'preact/hooks'

/**
 * The token of a mailed link, '' if there is none. It stands after the `#`, which browsers do not send, and is removed from the address
 * immediately, so that it does not remain in the history or in screenshots.
 */
export function useToken(): string {
  const [token, setToken] = useState(takeToken)
  useEffect(() => {
    // Opening another link while the page is open changes only the fragment and loads nothing.
    const take = () => setToken((known) => takeToken() || known)
    addEventListener('hashchange', take)
    return () => removeEventListener('hashchange', take)
  }, [])
  return token
}

function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return token
}
