import { effect } from '@preact/signals'
import { call, onAccountMismatch } from '../api/client.ts'
import { ACCOUNT_KEY, isPublicPath } from './paths.ts'
import { account, loadServer, ownName } from './session.ts'

/**
 * Keeps tabs to one account. A browser has one session for all tabs, so each tab tells the others who is signed in, and
 * reloads when that is another user. Otherwise a tab could change the account of somebody else.
 */
export function followAccount(): void {
  effect(() => {
    if (account.value !== undefined) localStorage.setItem(ACCOUNT_KEY, ownName())
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
  else location.reload()
}
