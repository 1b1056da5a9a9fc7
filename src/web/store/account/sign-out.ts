import { ApiError, call } from '../../api/client.ts'
import { accountKey } from '../paths.ts'
import { finishPlaying } from '../player.ts'
import { account, farewell } from '../session.ts'

/**
 * Entries of an account that stay in the browser after signing out: the random ID of this browser's device, without
 * which every sign-in would make a new one, and display preferences.
 */
const STAYING: readonly string[] = ['device', 'upgrades-dismissed', 'removal-dismissed']

/** Whether the user has been warned that not all reports were sent. */
let isWarned = false

/**
 * Sends what was played, ends the session on the server, and removes what this browser has stored of the account. If not
 * all of it can be sent, the first attempt rejects with `unsent`, and the next one drops the rest. Rejects with
 * `ApiError`; the user then stays signed in.
 */
export async function signOut(): Promise<void> {
  const username = account.value?.username
  if (username !== undefined) {
    const isSent = await finishPlaying(username)
    // The session has ended already: stored reports wait for the next one.
    if (account.value?.username !== username) return
    if (!isSent && !isWarned) {
      isWarned = true
      throw new ApiError(0, 'unsent', 'the server does not have all reports')
    }
    await call('logout', { path: { username } })
    isWarned = false
  }
  farewell.value = 'signedOut'
  account.value = null
  if (username !== undefined) forget(username, STAYING)
}

/** Clears the browser after the user has deleted the account, which ends all sessions. */
export function leaveDeletedAccount(): void {
  const username = account.value?.username
  farewell.value = 'deleted'
  account.value = null
  if (username !== undefined) forget(username, [])
}

/** Removes the entries of an account. A name may be followed by a space and more. */
function forget(username: string, staying: readonly string[]): void {
  const kept = staying.map((name) => accountKey(name, username))
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '')
  for (const key of keys) {
    const [own = ''] = key.split(' ', 1)
    const name = /^podstep\.([a-z-]+)/.exec(own)?.[1]
    if (name !== undefined && own === accountKey(name, username) && !kept.includes(own)) localStorage.removeItem(key)
  }
}
