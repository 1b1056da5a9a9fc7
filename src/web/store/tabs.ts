import { effect } from '@preact/signals'
import { call, onAccountMismatch } from '../api/client.ts'
import { ACCOUNT_KEY, isPublicPath } from './paths.ts'
import { account, farewell, loadServer, ownName } from './session.ts'

/** Set in sessionStorage while a tab reloads because another one has signed out. */
const LEFT = 'podstep.left'

/**
 * Keeps all tabs on one account. Tabs share the browser's session, so each tab announces the signed-in user to the
 * others, and reloads if it is a different one. Otherwise a tab could change another user's account.
 */
export function followAccount(): void {
  const hasLeft = sessionStorage.getItem(LEFT) !== null
  sessionStorage.removeItem(LEFT)
  effect(() => {
    if (account.value === undefined) return
    // A user was signed in when this browser last used the client.
    if (account.value === null && (hasLeft || localStorage.getItem(ACCOUNT_KEY)))
      farewell.value ??= hasLeft ? 'signedOut' : 'sessionEnded'
    localStorage.setItem(ACCOUNT_KEY, ownName())
  })
  addEventListener('storage', ({ key }) => {
    if (key === ACCOUNT_KEY) showOnly(localStorage.getItem(ACCOUNT_KEY) ?? '')
  })
  // A page from the back/forward cache may be older than the current session.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) showOnly(localStorage.getItem(ACCOUNT_KEY) ?? '')
  })
  // Ask the server in case storage events did not arrive.
  onAccountMismatch(() => void checkAccount())
}

async function checkAccount(): Promise<void> {
  const info = await call('getServer').catch(() => undefined)
  if (info) showOnly(info.account?.username ?? '')
}

/** Ensures that this tab shows only the named user's account; '' means signed out. */
function showOnly(name: string): void {
  if (account.value === undefined || name === ownName()) return
  // Public pages show no account data, and a reload would lose typed text or the token of an emailed link.
  if (isPublicPath(location.pathname)) void loadServer().catch(() => undefined)
  else {
    if (name === '') sessionStorage.setItem(LEFT, '')
    location.reload()
  }
}
