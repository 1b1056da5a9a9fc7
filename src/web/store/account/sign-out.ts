import { ApiError, call } from '../../api/client.ts'
import { accountKey } from '../paths.ts'
import { finishPlaying } from '../player.ts'
import { account, farewell } from '../session.ts'

/**
 * Storage entries of an account that survive sign-out: display preferences, and the ID of this browser's device, so
 * that the next sign-in does not create another device.
 */
const STAYING: readonly string[] = ['device', 'upgrades-dismissed', 'removal-dismissed']

/** Whether the user has been warned that not all reports were sent. */
let isWarned = false

/**
 * Sends unsent reports, ends the session and removes the account's data from this browser. If some reports cannot be
 * sent, the first attempt rejects with `unsent` and the next one drops them. Rejects with `ApiError`; the user then
 * stays signed in.
 */
export async function signOut(): Promise<void> {
  const username = account.value?.username
  if (username !== undefined) {
    const isSent = await finishPlaying(username)
    // The session has already ended. Stored reports wait for the next one.
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

/** Removes the account's data after its deletion, which has ended all sessions. */
export function leaveDeletedAccount(): void {
  const username = account.value?.username
  farewell.value = 'deleted'
  account.value = null
  if (username !== undefined) forget(username, [])
}

/** Removes the storage entries of an account. Keys may have a suffix after a space. */
function forget(username: string, remainingUsers: readonly string[]): void {
  const retainedKeys = remainingUsers.map((name) => accountKey(name, username))
  const keys = Array.from({ length: localStorage.length }, (_, index) => localStorage.key(index) ?? '')
  for (const key of keys) {
    const [own = ''] = key.split(' ', 1)
    const name = /^podstep\.([a-z-]+)/.exec(own)?.[1]
    if (name !== undefined && own === accountKey(name, username) && !retainedKeys.includes(own))
      localStorage.removeItem(key)
  }
}
