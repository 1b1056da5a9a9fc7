import { effect } from '@preact/signals'
import { call, onAccountMismatch } from '../api/client.ts'
import { ACCOUNT_KEY, isPublicPath } from './paths.ts'
import { account, farewell, loadServer, ownName } from './session.ts'

/** Set in sessionStorage while a tab reloads because another one has signed out. */
const LEFT = 'podstep.left'

/**
 * Keeps tabs to one account. A browser has one session for all tabs, so each tab tells the others who is signed in, and
 * reloads when that is another user. Otherwise a tab could change the account of somebody else.
 */
export function followAccount(): void {
  const hasLeft = sessionStorage.getItem(LEFT) !== null
  sessionStorage.removeItem(LEFT)
  effect(() => {
    if (account.value === undefined) return
    // Somebody was signed in when this browser was here last.
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
  // Asks the server in case storage events did not arrive.
  onAccountMismatch(() => void checkAccount())
}

async function checkAccount(): Promise<void> {
  const info = await call('getServer').catch(() => undefined)
  if (info) showOnly(info.account?.username ?? '')
}

/** Makes sure that this tab shows the account of the named user only; '' if nobody is signed in. */
function showOnly(name: string): void {
  if (account.value === undefined || name === ownName()) return
  // Public pages show nobody's data, and a reload would lose what was typed there or came with a mailed link.
  if (isPublicPath(location.pathname)) void loadServer().catch(() => undefined)
  else {
    if (name === '') sessionStorage.setItem(LEFT, '')
    location.reload()
  }
}
