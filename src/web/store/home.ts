import { call } from '../api/client.ts'
import { serverChecks } from './account/server-checks.ts'
import { inProgress, newest, reloadEpisodes } from './episodes/lists.ts'
import { ownName } from './session.ts'
import { ensureDevices, setDevices } from './subscriptions.ts'
import { setAccountSettings } from './sync/account-settings.ts'
import { setFolders } from './sync/folders.ts'

/**
 * Loads Home's data except the podcasts: all of it in one request the first time, because each costs a round trip, and
 * then only data that may have changed. Rejects with `ApiError`.
 */
export async function loadHome(): Promise<void> {
  if (inProgress.value.peek() !== undefined) {
    await Promise.all([ensureDevices(), reloadEpisodes()])
    return
  }
  const owner = ownName()
  const { in_progress: first, inbox, devices, synchronized, settings, folders, server } = await call('getHome')
  if (ownName() !== owner) return
  inProgress.set(first)
  newest.set(inbox)
  setDevices(devices, synchronized)
  setAccountSettings(settings)
  setFolders(folders)
  serverChecks.value = server
}
