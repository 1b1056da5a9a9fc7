import type { Clock } from '../platform/clock.ts'
import { parseDeviceId } from './identifiers.ts'
import type { UserId } from './ids.ts'
import type { SyncGroupStore, SyncStatus } from './ports.ts'
import type { RegroupRequest } from './sync-group-rules.ts'

export interface SyncGroups {
  status(userId: UserId): Promise<SyncStatus>
  /** Joins, merges and leaves at once (protocol.md 7.2). Throws `validation_failed`, `unknown_device`; then nothing is applied. */
  regroup(userId: UserId, request: RegroupRequest): Promise<SyncStatus>
}

export function createSyncGroups(store: SyncGroupStore, clock: Clock): SyncGroups {
  return {
    status: (userId) => store.status(userId),
    regroup: async (userId, { synchronize, stop }) =>
      store.regroup(
        userId,
        { synchronize: synchronize.map((list) => list.map(parseDeviceId)), stop: stop.map(parseDeviceId) },
        clock.seconds(),
      ),
  }
}
