import type { UserId } from '../../domain/shared/ids.ts'
import { nextClock } from '../../domain/sync/cursors.ts'
import type { ByApp } from '../../domain/sync/ports/written.ts'
import {
  type AutoSync,
  planAutoSync,
  planAutoSyncChange,
  planRegroupWithAutoSync,
  type RegroupRequest,
  readAutoSync,
} from '../../domain/sync/sync-groups.ts'
import type { Database, Snapshot, WriteQueue } from '../engine.ts'
import type { AccountChoices } from './app-data/account-choices.ts'
import type { UnionTarget } from './group-union.ts'
import { ChangeRecord, type ListChanges } from './list-changes/list-changes.ts'
import type { Regrouping } from './regrouping.ts'
import type { SyncState } from './sync-state.ts'

export type AutoSyncs = ReturnType<typeof prepareAutoSync>

/** Automatic sync group (docs/protocol.md#auto-sync). All functions but `firstContact` belong inside a job. */
export function prepareAutoSync(parts: {
  readonly db: Database
  readonly sync: SyncState
  readonly snapshot: Snapshot
  readonly queue: WriteQueue
  readonly regrouping: Regrouping
  readonly listChanges: ListChanges
  readonly choices: AccountChoices
}) {
  const { db, snapshot, queue, sync, regrouping, listChanges, choices } = parts
  const find = db.prepare<{ value: string }, [UserId]>(
    `SELECT value FROM settings WHERE user_id = ?1 AND scope = 'account' AND target = ''`,
  )
  const update = db.prepare<undefined, [UserId, string]>(
    `UPDATE settings SET value = ?2 WHERE user_id = ?1 AND scope = 'account' AND target = ''`,
  )

  function isDone(userId: UserId, { except }: AutoSync): boolean {
    const [first, ...others] = regrouping.list(userId).filter(({ uid }) => !except.has(uid))
    return others.every(({ group }) => group !== undefined && group === first?.group)
  }

  function join(target: UnionTarget): number {
    const { userId } = target
    const setting = choices.autoSync(userId)
    if (!setting || isDone(userId, setting)) return 0
    const devices = regrouping.list(userId).map(({ uid }) => uid)
    return regrouping.apply(target, planAutoSync(devices, setting))
  }

  return {
    join,
    isOn: (userId: UserId): boolean => choices.autoSync(userId) !== undefined,

    /** Creates an unknown device that belongs to the automatic sync group, in its own job. */
    async firstContact(userId: UserId, uid: string, { at, app }: ByApp & { readonly at: number }): Promise<void> {
      if (!(await snapshot.read(() => choices.autoSync(userId)))) return
      await queue.run(userId, () => {
        if (!choices.autoSync(userId)) return
        const { deviceId, clock } = sync.ensureDevice(userId, uid, at)
        const seq = nextClock(clock, at)
        const changes = new ChangeRecord()
        if (join({ userId, seq, changes }) > 0) sync.setClock(userId, seq)
        listChanges.write({ userId, deviceId, kind: 'join', app, at }, changes)
      })
    },

    changed(userId: UserId, before: string, after: string, at: number): void {
      const setting = readAutoSync(after)
      const old = readAutoSync(before)
      if (!setting || (old && setting.except.symmetricDifference(old.except).size === 0)) return
      const request = planAutoSyncChange(regrouping.list(userId), old, setting)
      regrouping.change(userId, request, 'sync', at)
    },

    extendRegroup(
      userId: UserId,
      request: RegroupRequest,
    ): { readonly request: RegroupRequest; readonly finish: () => void } {
      const row = find.get(userId)
      const setting = row && readAutoSync(row.value)
      if (!row || !setting) return { request, finish: () => undefined }
      const { request: all, stored } = planRegroupWithAutoSync(regrouping.list(userId), request, row.value, setting)
      return { request: all, finish: () => void (stored !== row.value && update.run(userId, stored)) }
    },
  }
}
