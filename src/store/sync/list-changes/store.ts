import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import type {
  ChangedPodcast,
  ChangedPodcasts,
  ListChange,
  ListChangeKind,
  ListChangeStore,
  UserHistory,
} from '../../../domain/sync/list-changes/ports.ts'
import type { StoreParts } from '../../parts.ts'
import { PODCAST_DETAILS, titleFor } from '../podcast-rows.ts'
import { decodeSections } from './encoding.ts'
import { prepareRestore } from './restore.ts'

interface ListRow {
  readonly id: number
  readonly at: number
  readonly kind: ListChangeKind
  readonly deviceId: number | null
  readonly app: string | null
  readonly added: number
  readonly removed: number
  readonly changes: Uint8Array
}

interface RemovalRow {
  readonly id: number
  readonly deviceId: number
  readonly uid: string
  readonly caption: string
}

interface DeviceRow {
  readonly id: number
  readonly uid: string
  readonly caption: string
  readonly syncGroupId: number | null
  readonly createdAt: number
}

type NamedRow = ChangedPodcast & { readonly id: PodcastId }

const NAMED = 5

export function createListChangeStore(parts: StoreParts): ListChangeStore {
  const { db, snapshot, queue, listChanges } = parts
  const restore = prepareRestore(parts)
  const page = db.prepare<ListRow, [UserId, number, number]>(
    `SELECT id, at, kind, device_id AS deviceId, app, added, removed, changes FROM list_changes
      WHERE user_id = ?1 AND id < ?2 AND added + removed > 0 ORDER BY id DESC LIMIT ?3`,
  )
  const removedDevices = db.prepare<RemovalRow, [UserId, number]>(
    `SELECT id, device_id AS deviceId, gone_device ->> 0 AS uid, gone_device ->> 1 AS caption FROM list_changes
      WHERE user_id = ?1 AND id >= ?2 AND gone_device IS NOT NULL ORDER BY id`,
  )
  const devicesOf = db.prepare<DeviceRow, [UserId]>(
    `SELECT id, uid, caption, sync_group_id AS syncGroupId, created_at AS createdAt FROM devices WHERE user_id = ?1`,
  )
  const named = db.prepare<NamedRow, [UserId, string]>(
    `SELECT p.id, p.url, IFNULL(${titleFor('+?1')}, p.url) AS title
       FROM json_each(?2) j CROSS JOIN podcasts p ON p.id = CAST(j.value AS INTEGER) ${PODCAST_DETAILS}`,
  )
  const oldest = db.prepare<UserHistory, [number, number]>(
    `WITH RECURSIVE users_of(id, n) AS
       (SELECT MIN(user_id), 1 FROM list_changes WHERE user_id > ?1
         UNION ALL SELECT (SELECT MIN(user_id) FROM list_changes WHERE user_id > u.id), u.n + 1 FROM users_of u
           WHERE u.id IS NOT NULL AND u.n < CAST(?2 AS INTEGER))
     SELECT id AS userId, (SELECT at FROM list_changes c WHERE c.user_id = u.id ORDER BY c.id LIMIT 1) AS at
       FROM users_of u WHERE id IS NOT NULL`,
  )

  /** Prefers the record of the device's removal, since numbers of devices may be reused. */
  function deviceAt(
    row: ListRow,
    removals: readonly RemovalRow[],
    devices: readonly DeviceRow[],
  ): ListChange['device'] {
    const removal = removals.find(({ id, deviceId }) => deviceId === row.deviceId && id >= row.id)
    const device = removal ?? devices.find(({ id }) => id === row.deviceId)
    return device && { uid: device.uid, caption: device.caption }
  }

  function devicesSince({ deviceId }: ListRow, devices: readonly DeviceRow[]): number | undefined {
    const own = devices.find(({ id }) => id === deviceId)
    if (deviceId !== null && !own) return undefined
    const concerned = own
      ? devices.filter(
          ({ id, syncGroupId }) => id === own.id || (syncGroupId !== null && syncGroupId === own.syncGroupId),
        )
      : devices
    return concerned.length > 0 ? Math.min(...concerned.map(({ createdAt }) => createdAt)) : undefined
  }

  return {
    list: (userId, { before, limit }) =>
      snapshot.read(() => {
        const start = restore.startOf(userId)
        const found = page.all(userId, before ?? Number.MAX_SAFE_INTEGER, limit + 1)
        const rows = found.slice(0, limit)
        const removals = removedDevices.all(userId, rows.at(-1)?.id ?? 0)
        const devices = devicesOf.all(userId)
        const first = rows.map(firstOf)
        const ids = first.flatMap(({ added, removed }) => [...added, ...removed])
        const nameOf = new Map(named.all(userId, JSON.stringify(ids)).map(({ id, ...podcast }) => [id, podcast]))
        const toPodcasts = (count: number, podcastIds: readonly PodcastId[] = []): ChangedPodcasts => ({
          count,
          first: podcastIds.flatMap((id) => nameOf.get(id) ?? []),
        })
        const items = rows.map((row, index): ListChange => {
          const { id, at, kind, app, added, removed } = row
          const isGone = removals.some((each) => each.deviceId === row.deviceId && each.id >= row.id)
          return {
            ...{ id, at, kind, app: app ?? undefined },
            device: deviceAt(row, removals, devices),
            added: toPodcasts(added, first[index]?.added),
            removed: toPodcasts(removed, first[index]?.removed),
            devicesSince: isGone ? undefined : devicesSince(row, devices),
          }
        })
        return { items, hasMore: found.length > limit, start }
      }),

    restore: (userId, request, context) => queue.run(userId, () => restore.restore(userId, request, context)),

    oldest: (after, limit) => snapshot.read(() => oldest.all(after, limit)),
    forget: (userId, before, limit) => queue.run(userId, () => listChanges.forget(userId, before, limit)),
  }
}

function firstOf({ added, removed, changes }: ListRow) {
  const first = { added: new Set<PodcastId>(), removed: new Set<PodcastId>() }
  const limits = { added: Math.min(NAMED, added), removed: Math.min(NAMED, removed) }
  for (const section of decodeSections(changes)) {
    for (const field of ['added', 'removed'] as const)
      for (const id of section[field]) {
        if (first[field].size === limits[field]) break
        first[field].add(id)
      }
    if (first.added.size === limits.added && first.removed.size === limits.removed) break
  }
  return { added: [...first.added], removed: [...first.removed] }
}
