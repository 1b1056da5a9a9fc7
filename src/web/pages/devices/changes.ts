import { call } from '../../api/client.ts'
import { account } from '../../state/session.ts'
import { groups, loadDevices, loadOwnPodcasts } from '../../state/subscriptions.ts'
import { requestsFor, type Wish } from './regroup.ts'

/** Makes the group what the wish says. Rejects with `ApiError`; then those who are to leave may have left already. */
export async function regroup(wish: Wish): Promise<void> {
  try {
    for (const body of requestsFor(groups.value, wish)) await call('changeSyncGroups', { path: owner(), body })
  } finally {
    await learn()
  }
}

/** Rejects with `ApiError`. */
export async function saveDevice(id: string, caption: string, type: string): Promise<void> {
  await call('updateDevice', { path: { ...owner(), deviceid: id }, body: { caption, type } })
  await loadDevices()
}

/** Rejects with `ApiError`. */
export async function removeDevice(id: string): Promise<void> {
  try {
    await call('deleteDevice', { path: { ...owner(), deviceid: id } })
  } finally {
    await learn()
  }
}

/** Everything that hangs on devices and groups, anew. */
async function learn(): Promise<void> {
  await Promise.all([loadDevices(), loadOwnPodcasts()])
}

function owner(): { username: string } {
  return { username: account.value?.username ?? '' }
}
