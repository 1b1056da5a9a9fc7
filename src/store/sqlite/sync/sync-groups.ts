import type { SyncGroupStore, SyncStatus } from '../../../domain/sync/ports/devices.ts'
import type { GroupedDevice } from '../../../domain/sync/sync-groups.ts'
import type { Snapshot } from '../core/snapshot.ts'
import type { WriteQueue } from '../core/write-queue.ts'
import type { AutoSyncs } from './auto-sync.ts'
import type { Regrouping } from './regrouping.ts'

export interface SyncGroupStoreParts {
  readonly snapshot: Snapshot
  readonly queue: WriteQueue
  readonly regrouping: Regrouping
  readonly autoSync: AutoSyncs
}

export function createSyncGroupStore({ snapshot, queue, regrouping, autoSync }: SyncGroupStoreParts): SyncGroupStore {
  return {
    status: (userId) => snapshot.read(() => statusOf(regrouping.list(userId))),

    regroup: (userId, request, at, by) =>
      queue.run(() => {
        const { request: all, finish } = autoSync.beside(userId, request)
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
