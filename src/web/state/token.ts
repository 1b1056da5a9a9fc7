/**
 * The token of a mailed link, from behind the `#`, where no server sees it. Taken out of the address at once, so that it stays in no
 * history and no screenshot. '' if there is none.
 */
export function takeToken(): string {
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search)
  return token
}
