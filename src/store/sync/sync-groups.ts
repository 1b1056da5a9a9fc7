import type { SyncGroupStore, SyncStatus } from '../../domain/sync/ports/devices.ts'
import type { GroupedDevice } from '../../domain/sync/sync-groups.ts'
import type { StoreParts } from '../parts.ts'

export function createSyncGroupStore({ snapshot, queue, regrouping, autoSync }: StoreParts): SyncGroupStore {
  return {
    status: (userId) => snapshot.read(() => statusOf(regrouping.list(userId))),

    regroup: (userId, request, at, by) =>
      queue.run(userId, () => {
        const { request: all, finish } = autoSync.extendRegroup(userId, request)
        regrouping.change(userId, all, 'sync', at, by)
        finish()
        return statusOf(regrouping.list(userId))
      }),
  }
}

function statusOf(members: readonly GroupedDevice[]): SyncStatus {
  const groups = new Map<number, string[]>()
  const notSynchronized: string[] = []
  for (const { uid, group: number } of members) {
    if (number === undefined) notSynchronized.push(uid)
    else {
      const group = groups.get(number)
      if (group) group.push(uid)
      else groups.set(number, [uid])
    }
  }
  return { synchronized: [...groups.values()], notSynchronized }
}
