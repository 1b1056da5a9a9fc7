import { effect } from '@preact/signals'
import { call, onAccountMismatch } from '../api/client.ts'
import { BASE, isPublicPath } from './paths.ts'
import { account, loadServer } from './session.ts'

/** Several servers may share an address, each below a path of its own. */
const KEY = `podstep.account${BASE}`

/**
 * One browser has one session, whatever its tabs show: each tells the others who is signed in, and is loaded anew once it is somebody
 * else, so that nobody changes the account of another.
 */
export function followAccount(): void {
  effect(() => {
    if (account.value !== undefined) localStorage.setItem(KEY, ownName())
  })
  addEventListener('storage', ({ key }) => {
    if (key === KEY) showOnly(localStorage.getItem(KEY) ?? '')
  })
  // The way back may lead to a page that was kept as it was.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) showOnly(localStorage.getItem(KEY) ?? '')
  })
  // Where no other tab could tell, the server does.
  onAccountMismatch(() => void checkAccount())
}

async function checkAccount(): Promise<void> {
  const info = await call('getServer').catch(() => undefined)
  if (info) showOnly(info.account?.username ?? '')
}

/** Shows nothing of anybody but who is signed in by this name; '' if nobody is. */
function showOnly(name: string): void {
  if (account.value === undefined || name === ownName()) return
  // At the door nothing is anybody's, and what was typed there, or came with a mailed link, would be lost.
  if (isPublicPath(location.pathname)) void loadServer().catch(() => undefined)
  else location.reload()
}

function ownName(): string {
  return account.value?.username ?? ''
}
