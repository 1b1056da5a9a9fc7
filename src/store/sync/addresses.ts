import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import {
  listedAs,
  planAdd,
  planGroupRemove,
  planRemove,
  planReplace,
  type Relations,
  type RemovalPlan,
} from '../../domain/sync/addresses.ts'
import type { Database } from '../engine.ts'
import { prepareDirectoryChanges } from '../shared/directory-changes.ts'
import { orderedBy } from '../shared/sql.ts'
import type { ChangeRecord } from './list-changes/list-changes.ts'
import { titleFor } from './podcast-rows.ts'

interface IdRow {
  readonly id: PodcastId
}

interface RelationRow extends IdRow {
  readonly other: PodcastId
  readonly relation: number
}

export interface AddressTarget {
  readonly userId: UserId
  readonly deviceId: number
  readonly members: readonly number[]
  readonly seq: number
  readonly changes: ChangeRecord
}

export interface AddressChange {
  readonly changes: number
  readonly isRenamed: boolean
}

export interface AddressRemoval {
  readonly address: PodcastId
  readonly plan: RemovalPlan
}

export interface ListChange {
  readonly retained: ReadonlyMap<number, ReadonlySet<PodcastId>>
  readonly added: readonly { readonly deviceId: number; readonly address: PodcastId }[]
  readonly renamed: ReadonlyMap<PodcastId, PodcastId>
}

const NO_RELATIONS: Relations = new Map()

export type Addresses = ReturnType<typeof prepareAddresses>

/** Subscriptions to podcasts with several addresses (docs/protocol.md#D83). Writes belong inside a job. */
export function prepareAddresses(db: Database) {
  const relationsOfOne = db.prepare<Omit<RelationRow, 'id'>, [PodcastId]>(
    'SELECT other_id AS other, relation FROM address_relations WHERE podcast_id = ?1 ORDER BY other_id',
  )
  const relationsOfSome = db.prepare<RelationRow, [string]>(
    orderedBy(
      'j.key, r.other_id',
      `SELECT r.podcast_id AS id, r.other_id AS other, r.relation
         FROM json_each(?1) j CROSS JOIN address_relations r ON r.podcast_id = CAST(j.value AS INTEGER)`,
    ),
  )
  const held = db.prepare<IdRow, [number, PodcastId]>(
    `SELECT id FROM
       (SELECT s.podcast_id AS id, s.seq FROM subscriptions s WHERE s.device_id = ?1 AND s.podcast_id = ?2 AND s.subscribed = 1
         UNION ALL
        SELECT s.podcast_id, s.seq FROM address_relations r
         CROSS JOIN subscriptions s ON s.device_id = ?1 AND s.podcast_id = r.other_id AND s.subscribed = 1
         WHERE r.podcast_id = ?2) held
      ORDER BY seq, id`,
  )
  const wasHeld = db.prepare<undefined, [number, PodcastId]>(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM subscriptions WHERE device_id = ?1 AND podcast_id = ?2)
        OR EXISTS (SELECT 1 FROM replaced_addresses WHERE device_id = ?1 AND podcast_id = ?2)`,
  )
  const subscribe = db.prepare<undefined, [number, PodcastId, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (?1, ?2, 1, ?3)
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq WHERE subscriptions.subscribed = 0`,
  )
  const unsubscribe = db.prepare<undefined, [number, PodcastId, number]>(
    `UPDATE subscriptions SET subscribed = 0, seq = ?3
      WHERE device_id = ?1 AND podcast_id = ?2 AND subscribed = 1`,
  )
  // INSERT and DELETE instead of UPDATE, since triggers maintain the counters.
  const addRow = db.prepare<undefined, [number, PodcastId, PodcastId]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq)
     SELECT device_id, ?3, 1, seq FROM subscriptions WHERE device_id = ?1 AND podcast_id = ?2
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq`,
  )
  const removeRow = db.prepare<undefined, [number, PodcastId]>(
    'DELETE FROM subscriptions WHERE device_id = ?1 AND podcast_id = ?2',
  )
  const noteReplaced = db.prepare<undefined, [number, PodcastId]>(
    'INSERT INTO replaced_addresses (device_id, podcast_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING',
  )
  const copySettings = db.prepare<{ url: string }, [UserId, PodcastId, PodcastId]>(
    `INSERT INTO settings (user_id, scope, target, value)
     SELECT s.user_id, s.scope, n.url, s.value FROM podcasts o CROSS JOIN podcasts n
      CROSS JOIN settings s ON s.user_id = ?1 AND s.scope = 'podcast' AND s.target = o.url
      WHERE o.id = ?2 AND n.id = ?3
     ON CONFLICT (user_id, scope, target) DO NOTHING RETURNING target AS url`,
  )
  const directoryChanges = prepareDirectoryChanges(db)
  const copyTitle = db.prepare<undefined, [UserId, PodcastId, PodcastId]>(
    `INSERT INTO provisional_titles (user_id, podcast_id, title)
     SELECT ?1, n.id, ${titleFor('?1')}
       FROM podcasts n LEFT JOIN podcast_details nd ON nd.podcast_id = n.id
       CROSS JOIN podcasts p LEFT JOIN podcast_details pd ON pd.podcast_id = p.id
      WHERE p.id = ?2 AND n.id = ?3 AND IFNULL(nd.title, '') = '' AND ${titleFor('?1')} IS NOT NULL
     ON CONFLICT (user_id, podcast_id) DO NOTHING`,
  )
  /** Further addresses under which a device sees removed podcasts, never one that it still has. */
  const alsoRemoved = db.prepare<IdRow & { url: string }, [number, string]>(
    `WITH gone AS MATERIALIZED
       (SELECT CAST(j.value AS INTEGER) AS id FROM json_each(?2) j
         WHERE NOT EXISTS (SELECT 1 FROM address_relations r
           CROSS JOIN subscriptions s ON s.device_id = ?1 AND s.podcast_id = r.other_id AND s.subscribed = 1
           WHERE r.podcast_id = CAST(j.value AS INTEGER))),
     other AS MATERIALIZED
       (SELECT DISTINCT r.other_id AS id FROM gone CROSS JOIN address_relations r ON r.podcast_id = gone.id
         WHERE r.relation & 1 <> 0
            OR EXISTS (SELECT 1 FROM subscriptions s WHERE s.device_id = ?1 AND s.podcast_id = r.other_id)
            OR EXISTS (SELECT 1 FROM replaced_addresses a WHERE a.device_id = ?1 AND a.podcast_id = r.other_id))
     SELECT p.id, p.url FROM other CROSS JOIN podcasts p ON p.id = other.id
      WHERE NOT EXISTS (SELECT 1 FROM address_relations r
        CROSS JOIN subscriptions s ON s.device_id = ?1 AND s.podcast_id = r.other_id AND s.subscribed = 1
        WHERE r.podcast_id = other.id)
      ORDER BY p.url`,
  )

  const idsOf = (rows: readonly IdRow[]) => rows.map(({ id }) => id)
  const relationsOf = (id: PodcastId): Relations =>
    new Map(relationsOfOne.all(id).map(({ other, relation }) => [other, relation]))

  function rename({ userId, deviceId, changes }: AddressTarget, from: PodcastId, to: PodcastId): void {
    const copied = copySettings.get(userId, from, to)
    if (copied) directoryChanges.ofChoice(userId, copied.url)
    copyTitle.run(userId, from, to)
    addRow.run(deviceId, from, to)
    removeRow.run(deviceId, from)
    noteReplaced.run(deviceId, from)
    changes.rename(deviceId, from, to)
  }

  function subscribeTo({ seq, changes }: AddressTarget, deviceId: number, address: PodcastId): number {
    const { changes: rows } = subscribe.run(deviceId, address, seq)
    if (rows > 0) changes.add(deviceId, address)
    return rows
  }

  function relationsAmong(ids: readonly PodcastId[]): Map<PodcastId, Map<PodcastId, number>> {
    const all = new Set(ids)
    const found = new Map<PodcastId, Map<PodcastId, number>>()
    for (const { id, other, relation } of relationsOfSome.all(JSON.stringify(ids))) {
      if (!all.has(other)) continue
      const relations = found.get(id)
      if (relations) relations.set(other, relation)
      else found.set(id, new Map([[other, relation]]))
    }
    return found
  }

  function listed(ids: readonly PodcastId[]): ReadonlyMap<PodcastId, PodcastId> {
    const relations = relationsAmong(ids)
    const aliased = ids.filter((id) => relations.has(id))
    return listedAs(aliased, (id) => relations.get(id) ?? NO_RELATIONS)
  }

  return {
    /** Subscribes the device and its group, or renames the subscription. `sent` contains all podcasts of the upload. */
    add(target: AddressTarget, address: PodcastId, sent: ReadonlySet<PodcastId>): AddressChange {
      const { deviceId, members } = target
      const relations = relationsOf(address)
      let changes = 0
      let isRenamed = false
      for (const member of members) {
        const plan = planAdd(address, relations, idsOf(held.all(member, address)), sent)
        if (plan.kind === 'subscribe') changes += subscribeTo(target, member, address)
        else if (plan.kind === 'rename' && member === deviceId) {
          rename(target, plan.from, address)
          isRenamed = true
        }
      }
      return { changes, isRenamed }
    },

    planRemoval({ deviceId }: AddressTarget, address: PodcastId, added: ReadonlySet<PodcastId>): AddressRemoval {
      const relations = relationsOf(address)
      const plan = planRemove({
        address,
        relations,
        held: idsOf(held.all(deviceId, address)),
        wasHeld: wasHeld.get(deviceId, address) !== null,
        isExchanged: [...relations.keys()].some((id) => added.has(id)),
      })
      return { address, plan }
    },

    remove({ deviceId, members, seq, changes: record }: AddressTarget, { address, plan }: AddressRemoval): number {
      let changes = 0
      for (const member of members) {
        if (member !== deviceId && plan.remaining === 'all') continue
        const all = () => [...new Set([address, ...plan.removedIds].flatMap((id) => idsOf(held.all(member, id))))]
        const removedIds = member === deviceId ? plan.removedIds : planGroupRemove(address, all(), plan)
        for (const id of removedIds) {
          const { changes: rows } = unsubscribe.run(member, id, seq)
          changes += rows
          if (rows > 0) record.remove(member, id)
        }
      }
      return changes
    },

    planList({ deviceId, members }: AddressTarget, listedIds: readonly PodcastId[]): ListChange {
      const relationsById = new Map(listedIds.map((id) => [id, relationsOf(id)]))
      const retained = new Map<number, ReadonlySet<PodcastId>>()
      const added: ListChange['added'][number][] = []
      let renamed: ListChange['renamed'] = new Map()
      for (const member of members) {
        const all = new Set(listedIds.flatMap((id) => idsOf(held.all(member, id))))
        const plan = planReplace(listedIds, [...all], (id) => relationsById.get(id) ?? NO_RELATIONS)
        retained.set(member, plan.retained)
        for (const address of plan.added) added.push({ deviceId: member, address })
        if (member === deviceId) renamed = plan.renamed
      }
      return { retained, added, renamed }
    },

    rename,
    subscribe: subscribeTo,

    addTo: (target: AddressTarget, deviceId: number, address: PodcastId): number =>
      held.get(deviceId, address) === null ? subscribeTo(target, deviceId, address) : 0,

    alsoRemoved: (deviceId: number, removed: readonly PodcastId[]): (IdRow & { readonly url: string })[] =>
      alsoRemoved.all(deviceId, JSON.stringify(removed)),

    listedAs: listed,

    onePerPodcast(ids: readonly PodcastId[]): readonly PodcastId[] {
      const found = listed(ids)
      if (found.size === 0) return ids
      const chosen = new Set(found.values())
      return ids.filter((id) => chosen.has(id) || !found.has(id))
    },

    othersOf: (ids: readonly PodcastId[]): ReadonlySet<PodcastId> =>
      new Set(relationsOfSome.all(JSON.stringify(ids)).map(({ other }) => other)),

    withAliases: (ids: readonly PodcastId[]): ReadonlySet<PodcastId> =>
      new Set(idsOf(relationsOfSome.all(JSON.stringify(ids)))),
  }
}
