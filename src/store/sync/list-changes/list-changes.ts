import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import type { ListChangeKind } from '../../../domain/sync/list-changes/ports.ts'
import type { Database } from '../../engine.ts'
import type { AccountChoices } from '../app-data/account-choices.ts'
import { type ChangeSection, encodeSections } from './encoding.ts'

export interface ChangeCause {
  readonly userId: UserId
  /** Row number of the device whose app made the change; undefined for changes to several devices. */
  readonly deviceId?: number | undefined
  readonly kind: ListChangeKind
  readonly app?: string | undefined
  readonly at: number
}

interface MutableChange {
  readonly added: PodcastId[]
  readonly removed: PodcastId[]
  readonly renamed: [PodcastId, PodcastId][]
}

export class ChangeRecord {
  readonly byDevice = new Map<number, MutableChange>()

  add(deviceId: number, id: PodcastId): void {
    this.of(deviceId).added.push(id)
  }

  remove(deviceId: number, id: PodcastId): void {
    this.of(deviceId).removed.push(id)
  }

  rename(deviceId: number, from: PodcastId, to: PodcastId): void {
    this.of(deviceId).renamed.push([from, to])
  }

  private of(deviceId: number): MutableChange {
    const existing = this.byDevice.get(deviceId)
    if (existing) return existing
    const change = { added: [], removed: [], renamed: [] }
    this.byDevice.set(deviceId, change)
    return change
  }
}

/** Limits per user, enough for years of ordinary use. */
const ROWS_MAX = 5000
const BYTES_MAX = 1024 * 1024

/** Growth since the last check of these limits. Counting the rows for each upload would cost more than the upload. */
const ROWS_BETWEEN = 500
const BYTES_BETWEEN = 128 * 1024

/** Number of podcasts in the record of a removed device. */
const NAMED = 5

interface SizeRow {
  readonly id: number
  readonly at: number
  readonly bytes: number
}

export type ListChanges = ReturnType<typeof prepareListChanges>

/** Records changes of lists (docs/protocol.md#undo). Belongs inside the job that finishes the write. */
export function prepareListChanges(db: Database, choices: AccountChoices) {
  const insert = db.prepare<
    undefined,
    [UserId, number, number | null, string, string | null, number, number, Uint8Array, string | null]
  >(
    `INSERT INTO list_changes (user_id, id, at, device_id, kind, app, added, removed, changes, gone_device)
     SELECT ?1, COALESCE(MAX(c.id), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM list_changes c WHERE c.user_id = ?1`,
  )
  const dropApps = db.prepare<undefined, [UserId]>(
    'UPDATE list_changes SET app = NULL WHERE user_id = ?1 AND app IS NOT NULL',
  )
  const sizes = db.prepare<SizeRow, [UserId]>(
    'SELECT id, at, LENGTH(changes) AS bytes FROM list_changes WHERE user_id = ?1 ORDER BY id DESC',
  )
  const oldest = db.prepare<Omit<SizeRow, 'bytes'>, [UserId, number]>(
    'SELECT id, at FROM list_changes WHERE user_id = ?1 ORDER BY id LIMIT ?2',
  )
  const removeUntil = db.prepare<undefined, [UserId, number]>(
    'DELETE FROM list_changes WHERE user_id = ?1 AND id <= ?2',
  )
  const setStart = db.prepare<undefined, [UserId, number]>(
    `INSERT INTO list_change_starts (user_id, at) VALUES (?1, ?2)
     ON CONFLICT (user_id) DO UPDATE SET at = excluded.at WHERE list_change_starts.at < excluded.at`,
  )
  const countHeld = db.prepare<{ count: number }, [number]>(
    'SELECT COUNT(*) AS count FROM subscriptions WHERE device_id = ?1 AND subscribed = 1',
  )
  const someHeld = db.prepare<{ id: PodcastId }, [number]>(
    `SELECT podcast_id AS id FROM subscriptions WHERE device_id = ?1 AND subscribed = 1 ORDER BY seq, podcast_id LIMIT ${NAMED}`,
  )
  const nameOf = db.prepare<{ name: string }, [number]>(
    'SELECT json_array(uid, caption) AS name FROM devices WHERE id = ?1',
  )

  const sinceTrim = new Map<UserId, { rows: number; bytes: number }>()

  /** Users choose whether the names of apps are kept (docs/protocol.md#settings). */
  function appFor(userId: UserId, app: string | undefined): string | null {
    return app !== undefined && choices.namesApps(userId) ? app : null
  }

  function forgetUntil(userId: UserId, { id, at }: Omit<SizeRow, 'bytes'>): void {
    removeUntil.run(userId, id)
    setStart.run(userId, at)
  }

  function trim(userId: UserId): void {
    let rows = 0
    let bytes = 0
    for (const row of sizes.all(userId)) {
      rows++
      bytes += row.bytes
      if (rows <= ROWS_MAX && (bytes <= BYTES_MAX || rows === 1)) continue
      forgetUntil(userId, row)
      return
    }
  }

  /** Records the size of a write; returns whether the limits have to be checked. */
  function isTrimDue(userId: UserId, bytes: number): boolean {
    const size = sinceTrim.get(userId) ?? { rows: 0, bytes: 0 }
    size.rows++
    size.bytes += bytes
    const isDue = size.rows >= ROWS_BETWEEN || size.bytes >= BYTES_BETWEEN
    if (isDue) sinceTrim.delete(userId)
    else sinceTrim.set(userId, size)
    return isDue
  }

  function noteSize(userId: UserId, bytes: number): void {
    if (db.once(() => isTrimDue(userId, bytes))) trim(userId)
  }

  return {
    write({ userId, deviceId, kind, app, at }: ChangeCause, { byDevice }: ChangeRecord): void {
      if (byDevice.size === 0) return
      const own = deviceId === undefined ? undefined : byDevice.get(deviceId)
      const isOwn = own !== undefined && own.added.length + own.removed.length > 0
      const added = isOwn ? own.added.length : countAll(byDevice, 'added')
      const removed = isOwn ? own.removed.length : countAll(byDevice, 'removed')
      const changes = encodeSections(sectionsOf(byDevice, deviceId))
      insert.run(userId, at, deviceId ?? null, kind, appFor(userId, app), added, removed, changes, null)
      noteSize(userId, changes.length)
    },

    /** Must be called before the device and its subscriptions are removed. */
    writeRemoval(cause: ChangeCause & { readonly deviceId: number }): void {
      const { userId, deviceId, kind, app, at } = cause
      const removed = someHeld.all(deviceId).map(({ id }) => id)
      const changes = encodeSections([{ devices: [deviceId], added: [], removed, renamed: [] }])
      const count = countHeld.get(deviceId)?.count ?? 0
      const name = nameOf.get(deviceId)?.name ?? null
      insert.run(userId, at, deviceId, kind, appFor(userId, app), 0, count, changes, name)
      noteSize(userId, changes.length)
    },

    forgetApps(userId: UserId): void {
      if (!choices.namesApps(userId)) dropApps.run(userId)
    },

    forget(userId: UserId, before: number, limit: number): number {
      const rows = oldest.all(userId, limit)
      const firstKept = rows.findIndex(({ at }) => at >= before)
      const count = firstKept < 0 ? rows.length : firstKept
      const forgotten = rows.slice(0, count)
      const last = forgotten.at(-1)
      if (last) forgetUntil(userId, { id: last.id, at: Math.max(...forgotten.map(({ at }) => at)) })
      return count
    },
  }
}

function countAll(byDevice: ChangeRecord['byDevice'], field: 'added' | 'removed'): number {
  if (byDevice.size === 1) for (const change of byDevice.values()) return change[field].length
  const all = new Set<PodcastId>()
  for (const change of byDevice.values()) for (const id of change[field]) all.add(id)
  return all.size
}

function sectionsOf(byDevice: ChangeRecord['byDevice'], first: number | undefined): ChangeSection[] {
  if (byDevice.size === 1) return [...byDevice].map(([deviceId, change]) => ({ devices: [deviceId], ...change }))
  const sections = new Map<string, ChangeSection & { readonly devices: number[] }>()
  const devices = [...byDevice.keys()]
  for (const deviceId of first !== undefined && byDevice.has(first) ? new Set([first, ...devices]) : devices) {
    const change = byDevice.get(deviceId)
    if (!change) continue
    const key = Buffer.from(encodeSections([{ devices: [], ...change }])).toString('latin1')
    const section = sections.get(key)
    if (section) section.devices.push(deviceId)
    else sections.set(key, { devices: [deviceId], ...change })
  }
  return [...sections.values()]
}
