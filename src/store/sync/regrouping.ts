import type { UserId } from '../../domain/shared/ids.ts'
import { nextClock } from '../../domain/sync/cursors.ts'
import type { ByApp } from '../../domain/sync/ports/written.ts'
import { type GroupedDevice, type RegroupRequest, regroup } from '../../domain/sync/sync-groups.ts'
import type { Database } from '../engine.ts'
import { inserted } from '../shared/rows.ts'
import type { UnionTarget, UniteSubscriptions } from './group-union.ts'
import { ChangeRecord, type ListChanges } from './list-changes/list-changes.ts'
import type { SyncState } from './sync-state.ts'

interface MemberRow {
  readonly id: number
  readonly uid: string
  readonly syncGroupId: number | null
}

export type Regrouping = ReturnType<typeof prepareRegrouping>

/** Changes sync groups and the lists of their devices. All functions but `list` belong inside a job. */
export function prepareRegrouping(parts: {
  readonly db: Database
  readonly sync: SyncState
  readonly unite: UniteSubscriptions
  readonly listChanges: ListChanges
}) {
  const { db, sync, unite, listChanges } = parts
  const listMembers = db.prepare<MemberRow, [UserId]>(
    'SELECT id, uid, sync_group_id AS syncGroupId FROM devices WHERE user_id = ?1 ORDER BY id',
  )
  const insertGroup = db.prepare<{ id: number }, [UserId]>('INSERT INTO sync_groups (user_id) VALUES (?1) RETURNING id')
  /** Updates devices from a JSON array of pairs of device and group, without scanning all devices. */
  const setGroups = db.prepare<undefined, [string]>(
    `INSERT INTO devices (id, user_id, uid, caption, type, created_at, sync_group_id)
     SELECT d.id, d.user_id, d.uid, d.caption, d.type, d.created_at, CAST(j.value ->> 1 AS INTEGER)
       FROM json_each(?1) j CROSS JOIN devices d ON d.id = CAST(j.value ->> 0 AS INTEGER)
     ON CONFLICT (id) DO UPDATE SET sync_group_id = excluded.sync_group_id`,
  )
  const removeEmpty = db.prepare<undefined, [UserId]>(
    'DELETE FROM sync_groups WHERE user_id = ?1 AND NOT EXISTS (SELECT 1 FROM devices WHERE sync_group_id = sync_groups.id)',
  )
  function saveGroups(userId: UserId, members: readonly MemberRow[], groups: readonly string[][]): void {
    const memberOf = new Map(members.map((member) => [member.uid, member]))
    const groupOf = new Map<string, number>()
    const used = new Set<number>()
    for (const uids of groups) {
      const existingId = uids.map((uid) => memberOf.get(uid)?.syncGroupId).find((id) => id != null && !used.has(id))
      const groupId = existingId ?? inserted(insertGroup.get(userId)).id
      used.add(groupId)
      for (const uid of uids) groupOf.set(uid, groupId)
    }
    const changed = members.flatMap(({ id, uid, syncGroupId }) => {
      const groupId = groupOf.get(uid) ?? null
      return groupId === syncGroupId ? [] : [[id, groupId]]
    })
    setGroups.run(JSON.stringify(changed))
    removeEmpty.run(userId)
  }

  function apply(target: UnionTarget, request: RegroupRequest): number {
    const { userId } = target
    const members = listMembers.all(userId)
    const idOf = new Map(members.map(({ uid, id }) => [uid, id]))
    const { merged, groups } = regroup(members.map(toGrouped), request)
    const added = unite(
      target,
      merged.map((uids) => uids.flatMap((uid) => idOf.get(uid) ?? [])),
    )
    saveGroups(userId, members, groups)
    return added
  }

  return {
    list: (userId: UserId): GroupedDevice[] => listMembers.all(userId).map(toGrouped),
    apply,

    change(userId: UserId, request: RegroupRequest, kind: 'sync' | 'join', at: number, by?: ByApp): void {
      const seq = nextClock(sync.clockOf(userId), at)
      const changes = new ChangeRecord()
      const added = apply({ userId, seq, changes }, request)
      if (added > 0) sync.setClock(userId, seq)
      listChanges.write({ userId, kind, ...by, at }, changes)
    },
  }
}

const toGrouped = ({ uid, syncGroupId }: MemberRow): GroupedDevice => ({ uid, group: syncGroupId ?? undefined })
