import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../domain/shared/ids.ts'
import { nextClock } from '../../../domain/sync/cursors.ts'
import type { SyncGroupStore, SyncStatus } from '../../../domain/sync/ports.ts'
import { regroup } from '../../../domain/sync/sync-groups.ts'
import type { Snapshot } from '../core/snapshot.ts'
import type { UniteSubscriptions } from './group-union.ts'
import { ChangeRecord, type ListChanges } from './list-changes/list-changes.ts'
import type { SyncState } from './sync-state.ts'
import { createPace, type Steps, type UserWrites } from './user-writes.ts'

interface MemberRow {
  readonly id: number
  readonly uid: string
  readonly syncGroupId: number | null
}

export interface SyncGroupStoreParts {
  readonly db: Database
  readonly snapshot: Snapshot
  readonly sync: SyncState
  readonly writes: UserWrites
  readonly unite: UniteSubscriptions
  readonly listChanges: ListChanges
}

export function createSyncGroupStore(parts: SyncGroupStoreParts): SyncGroupStore {
  const { db, snapshot, sync, writes, unite, listChanges } = parts
  const listMembers = db.prepare<MemberRow, [UserId]>(
    'SELECT id, uid, sync_group_id AS syncGroupId FROM devices WHERE user_id = ?1 ORDER BY id',
  )
  const insertGroup = db.prepare<undefined, [UserId]>('INSERT INTO sync_groups (user_id) VALUES (?1)')
  /**
   * Of a JSON array with the row numbers of a device and of its group, or null, in each item. No row is inserted: an
   * UPDATE cannot be told to go through the array, and goes through all devices for each item where SQLite thinks that
   * there are few.
   */
  const setGroups = db.prepare<undefined, [string]>(
    `INSERT INTO devices (id, user_id, uid, caption, type, created_at, sync_group_id)
     SELECT d.id, d.user_id, d.uid, d.caption, d.type, d.created_at, j.value ->> 1
       FROM json_each(?1) j CROSS JOIN devices d ON d.id = j.value ->> 0
     ON CONFLICT (id) DO UPDATE SET sync_group_id = excluded.sync_group_id`,
  )
  const removeEmpty = db.prepare<undefined, [UserId]>(
    'DELETE FROM sync_groups WHERE user_id = ?1 AND NOT EXISTS (SELECT 1 FROM devices WHERE sync_group_id = sync_groups.id)',
  )
  /** Writes only the memberships that differ; a group keeps its row where one of its members already had one. */
  function saveGroups(userId: UserId, members: readonly MemberRow[], groups: readonly string[][]): void {
    const memberOf = new Map(members.map((member) => [member.uid, member]))
    const wanted = new Map<string, number>()
    const used = new Set<number>()
    for (const uids of groups) {
      const known = uids.map((uid) => memberOf.get(uid)?.syncGroupId).find((id) => id != null && !used.has(id))
      const groupId = known ?? Number(insertGroup.run(userId).lastInsertRowid)
      used.add(groupId)
      for (const uid of uids) wanted.set(uid, groupId)
    }
    const changed = members.flatMap(({ id, uid, syncGroupId }) => {
      const groupId = wanted.get(uid) ?? null
      return groupId === syncGroupId ? [] : [[id, groupId]]
    })
    setGroups.run(JSON.stringify(changed))
    removeEmpty.run(userId)
  }

  return {
    async status(userId) {
      const waiting = writes.settled(userId)
      if (waiting) await waiting
      snapshot.use()
      return statusOf(listMembers.all(userId))
    },

    regroup: (userId, request, at, by) =>
      writes.run(userId, function* (): Steps<SyncStatus> {
        const members = listMembers.all(userId)
        const idOf = new Map(members.map(({ uid, id }) => [uid, id]))
        const { merged, groups } = regroup(
          members.map(({ uid, syncGroupId }) => ({ uid, group: syncGroupId ?? undefined })),
          request,
        )
        const seq = nextClock(sync.clockOf(userId), at)
        const pace = createPace({ seq })
        const changes = new ChangeRecord()
        const added = yield* unite(
          { userId, seq, pace, changes },
          merged.map((uids) => uids.flatMap((uid) => idOf.get(uid) ?? [])),
        )
        if (added > 0) sync.setClock(userId, seq)
        // The groups of thousands of devices are written in some 20 ms, by one statement and so in one job.
        if (pace.isFull(members.length)) yield pace.unfinished
        saveGroups(userId, members, groups)
        listChanges.write({ userId, kind: 'sync', ...by, at }, changes)
        return statusOf(listMembers.all(userId))
      }),
  }
}

function statusOf(members: readonly MemberRow[]): SyncStatus {
  const groups = new Map<number, string[]>()
  const notSynchronized: string[] = []
  for (const { uid, syncGroupId } of members) {
    if (syncGroupId === null) notSynchronized.push(uid)
    else {
      const group = groups.get(syncGroupId)
      if (group) group.push(uid)
      else groups.set(syncGroupId, [uid])
    }
  }
  return { synchronized: [...groups.values()], notSynchronized }
}
