import { useEffect, useState } from 'preact/hooks'

/**
 * The token of a mailed link, from behind the `#`, where no server sees it. Taken out of the address at once, so that it stays in no
 * history and no screenshot. '' if there is none.
 */
export function useToken(): string {
  const [token, setToken] = useState(takeToken)
  useEffect(() => {
    // A link that is opened where its page is open already loads nothing.
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
