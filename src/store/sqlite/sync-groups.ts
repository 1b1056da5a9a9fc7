import type { Database } from 'bun:sqlite'
import type { UserId } from '../../domain/ids.ts'
import { nextClock } from '../../domain/logical-clock.ts'
import type { SyncGroupStore, SyncStatus } from '../../domain/ports.ts'
import { regroup } from '../../domain/sync-group-rules.ts'
import type { Snapshot } from './snapshot.ts'
import type { SyncState } from './sync-state.ts'
import type { WriteQueue } from './write-queue.ts'

interface MemberRow {
  readonly id: number
  readonly uid: string
  readonly syncGroupId: number | null
}

export function createSyncGroupStore(
  db: Database,
  snapshot: Snapshot,
  queue: WriteQueue,
  sync: SyncState,
): SyncGroupStore {
  const listMembers = db.prepare<MemberRow, [UserId]>(
    'SELECT id, uid, sync_group_id AS syncGroupId FROM devices WHERE user_id = ?1 ORDER BY id',
  )
  const insertGroup = db.prepare<undefined, [UserId]>('INSERT INTO sync_groups (user_id) VALUES (?1)')
  const setGroup = db.prepare<undefined, [number, number | null]>('UPDATE devices SET sync_group_id = ?2 WHERE id = ?1')
  const removeEmpty = db.prepare<undefined, [UserId]>(
    'DELETE FROM sync_groups WHERE user_id = ?1 AND NOT EXISTS (SELECT 1 FROM devices WHERE sync_group_id = sync_groups.id)',
  )
  /** Gives every device of the JSON array ?1 each feed that any of them has. */
  const unite = db.prepare<undefined, [string, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq)
     SELECT d.value, held.podcast_id, 1, ?2
       FROM (SELECT DISTINCT podcast_id FROM subscriptions
              WHERE subscribed = 1 AND device_id IN (SELECT value FROM json_each(?1))) held
       CROSS JOIN json_each(?1) d
      WHERE true
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq WHERE subscribed = 0`,
  )

  function uniteSubscriptions(userId: UserId, groups: readonly number[][], at: number): void {
    const seq = nextClock(sync.clockOf(userId), at)
    let changed = 0
    for (const deviceIds of groups) changed += unite.run(JSON.stringify(deviceIds), seq).changes
    if (changed > 0) sync.setClock(userId, seq)
  }

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
    for (const { id, uid, syncGroupId } of members) {
      const groupId = wanted.get(uid) ?? null
      if (groupId !== syncGroupId) setGroup.run(id, groupId)
    }
    removeEmpty.run(userId)
  }

  return {
    async status(userId) {
      snapshot.use()
      return statusOf(listMembers.all(userId))
    },

    regroup: (userId, request, at) =>
      queue.run(() => {
        const members = listMembers.all(userId)
        const idOf = new Map(members.map(({ uid, id }) => [uid, id]))
        const { merged, groups } = regroup(
          members.map(({ uid, syncGroupId }) => ({ uid, group: syncGroupId ?? undefined })),
          request,
        )
        uniteSubscriptions(
          userId,
          merged.map((uids) => uids.flatMap((uid) => idOf.get(uid) ?? [])),
          at,
        )
        saveGroups(userId, members, groups)
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
