import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import { ROWS_PER_REQUEST, tooManyRows } from '../../domain/shared/limits.ts'
import { listedSince, nextClock } from '../../domain/sync/cursors.ts'
import type {
  SubscriptionChanges,
  SubscriptionStore,
  WrittenSubscriptions,
} from '../../domain/sync/ports/subscriptions.ts'
import type { StoreParts } from '../parts.ts'
import { orderedBy } from '../shared/sql.ts'
import type { ListChange } from './addresses.ts'
import { ChangeRecord } from './list-changes/list-changes.ts'
import {
  type AddressRow,
  PODCAST_DETAILS,
  type PodcastRow,
  podcastColumnsFor,
  prepareKeepTitles,
  preparePodcastIds,
  toPodcastObject,
} from './podcast-rows.ts'
import type { SyncTarget } from './sync-state.ts'

interface ChangeRow {
  readonly url: string
  readonly aliasedId: PodcastId | null
  readonly subscribed: number
  readonly seq: number
}

interface Target extends SyncTarget {
  readonly userId: UserId
  readonly seq: number
  readonly members: readonly number[]
  readonly changes: ChangeRecord
}

interface ReplacedOthers {
  readonly removed: number
  readonly change: ListChange | undefined
}

type Added = Pick<WrittenSubscriptions, 'hasUnfetched'> & { readonly added: number }

const NOTHING_REPLACED: ReplacedOthers = { removed: 0, change: undefined }

const MEMBERS = '(SELECT id FROM devices WHERE id = +?1 OR sync_group_id = +?2)'

export function createSubscriptionStore(parts: StoreParts): SubscriptionStore {
  const { db, snapshot, queue, sync, addresses, listChanges, autoSync } = parts
  const podcastIds = preparePodcastIds(db)
  const keepTitles = prepareKeepTitles(db)
  const urlsOfDevice = db.prepare<{ url: string }, [number]>(
    `SELECT p.url FROM subscriptions s JOIN podcasts p ON p.id = s.podcast_id
      WHERE s.device_id = +?1 AND s.subscribed = 1 ORDER BY s.seq, p.url`,
  )
  const podcastsOfDevice = db.prepare<PodcastRow, [number, UserId]>(
    `SELECT ${podcastColumnsFor('+?2')} FROM subscriptions s JOIN podcasts p ON p.id = s.podcast_id ${PODCAST_DETAILS}
      WHERE s.device_id = +?1 AND s.subscribed = 1 ORDER BY s.seq, p.url`,
  )
  const podcastsOfUser = db.prepare<PodcastRow & AddressRow, [UserId]>(
    `SELECT p.id, p.has_aliases AS hasAliases, ${podcastColumnsFor('+?1')}
       FROM (SELECT s.podcast_id, MIN(s.seq) AS added FROM devices d JOIN subscriptions s ON s.device_id = d.id
              WHERE d.user_id = +?1 AND s.subscribed = 1 GROUP BY s.podcast_id) held
       JOIN podcasts p ON p.id = held.podcast_id ${PODCAST_DETAILS}
      ORDER BY held.added, p.url`,
  )
  const changedSince = db.prepare<ChangeRow, [number, number]>(
    // In index order. Sorting by URL too would double the cost, and is rarely needed.
    `SELECT p.url, s.subscribed, s.seq, CASE WHEN s.subscribed = 0 AND p.has_aliases = 1 THEN p.id END AS aliasedId
       FROM subscriptions s CROSS JOIN podcasts p ON p.id = s.podcast_id
      WHERE s.device_id = +?1 AND s.seq >= +?2 ORDER BY s.seq, s.podcast_id`,
  )
  // One row at a time, since a JSON array costs three times as much for a single feed, as in most uploads.
  const subscribe = db.prepare<undefined, [number, PodcastId, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (?1, ?2, 1, ?3)
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, seq = excluded.seq WHERE subscriptions.subscribed = 0`,
  )
  const unsubscribe = db.prepare<undefined, [number, PodcastId, number]>(
    `UPDATE subscriptions SET subscribed = 0, seq = ?3
      WHERE device_id = ?1 AND podcast_id = ?2 AND subscribed = 1`,
  )
  const unsubscribeFrom = db.prepare<undefined, [number, string, number]>(
    `UPDATE subscriptions SET subscribed = 0, seq = ?3
      WHERE device_id = ?1 AND podcast_id IN (SELECT CAST(value AS INTEGER) FROM json_each(?2)) AND subscribed = 1`,
  )
  const heldBy = db.prepare<{ id: PodcastId }, [number]>(
    'SELECT podcast_id AS id FROM subscriptions WHERE device_id = ?1 AND subscribed = 1 ORDER BY podcast_id',
  )
  const membersOf = db.prepare<{ id: number }, [number, number | null]>(
    orderedBy('id', `SELECT id FROM devices WHERE id IN ${MEMBERS}`),
  )
  const clockBefore = db.prepare<{ clock: number | null }, [number, number]>(
    'SELECT MIN(seq) - 2 AS clock FROM subscriptions WHERE device_id = ?1 AND seq <> ?2',
  )
  const changedByOthers = db.prepare<undefined, [number, number, number]>(
    'SELECT 1 FROM subscriptions WHERE device_id = ?1 AND seq >= ?2 AND seq <> ?3 LIMIT 1',
  )

  /** Throws `payload_too_large` if the request has too many feeds for the number of devices in the group. */
  function targetOf(userId: UserId, uid: string, at: number, feeds: number, isSending: boolean): Target {
    const device = sync.ensureDevice(userId, uid, at, isSending)
    const { deviceId, syncGroupId } = device
    const members = syncGroupId === null ? [deviceId] : membersOf.all(deviceId, syncGroupId).map(({ id }) => id)
    if (feeds * members.length > ROWS_PER_REQUEST) throw tooManyRows()
    return { ...device, userId, seq: nextClock(device.clock, at), members, changes: new ChangeRecord() }
  }

  function removeFeeds(target: Target, podcasts: readonly AddressRow[], adds: readonly AddressRow[]): number {
    const { members, seq, changes } = target
    let removed = 0
    const done = podcasts
      .filter(({ hasAliases }) => hasAliases === 0)
      .flatMap(({ id }) => members.map((member) => ({ member, id, written: unsubscribe.run(member, id, seq) })))
    for (const { member, id, written } of done) {
      if (written.changes === 0) continue
      removed++
      changes.remove(member, id)
    }
    const aliased = podcasts.filter(({ hasAliases }) => hasAliases === 1)
    if (aliased.length === 0) return removed
    const addedIds = idsOf(adds)
    for (const { id } of aliased) removed += addresses.remove(target, addresses.planRemoval(target, id, addedIds))
    return removed
  }

  function removeOthers(target: Target, podcasts: readonly AddressRow[]): ReplacedOthers {
    const { members, seq, changes } = target
    const named = idsOf(podcasts)
    const aliased = podcasts.filter(({ hasAliases }) => hasAliases === 1).map(({ id }) => id)
    const change = aliased.length > 0 ? addresses.planList(target, aliased) : undefined
    let removed = 0
    for (const member of members) {
      const retained = change?.retained.get(member)
      const removedIds = heldBy.all(member).flatMap(({ id }) => (named.has(id) || retained?.has(id) ? [] : id))
      if (removedIds.length === 0) continue
      for (const id of removedIds) changes.remove(member, id)
      removed += unsubscribeFrom.run(member, JSON.stringify(removedIds), seq).changes
    }
    return { removed, change }
  }

  function addAliased(target: Target, { added, renamed }: ListChange): number {
    for (const [from, to] of renamed) addresses.rename(target, from, to)
    return added.reduce((sum, { deviceId, address }) => sum + addresses.subscribe(target, deviceId, address), 0)
  }

  /** `removed` counts subscriptions removed by the request. Throws `payload_too_large`. */
  function addFeeds(target: Target, podcasts: readonly AddressRow[], removed: number, isDone = false): Added {
    const { members, seq, changes } = target
    let sent: ReadonlySet<PodcastId> | undefined
    let added = 0
    let hasUnfetched = false
    // All statements first, so that there is only one wait for their results.
    const written = podcasts.map(({ id, hasAliases }) =>
      hasAliases === 1 ? [] : members.map((member) => subscribe.run(member, id, seq)),
    )
    for (const [n, { id, hasAliases, isChecked }] of podcasts.entries()) {
      let isNew = false
      if (hasAliases === 1) {
        if (isDone) isNew = true
        else {
          sent ??= idsOf(podcasts)
          const { changes: rows, isRenamed } = addresses.add(target, id, sent)
          added += rows
          isNew = isRenamed || rows > 0
        }
      } else
        for (const [at, member] of members.entries()) {
          if (written[n]?.[at]?.changes === 0) continue
          added++
          isNew = true
          changes.add(member, id)
        }
      hasUnfetched ||= isNew && isChecked === 0
      if (removed + added > ROWS_PER_REQUEST) throw tooManyRows()
    }
    return { added, hasUnfetched }
  }

  /** Users who already exceed a newer limit may keep their number of subscriptions or reduce it. */
  function checkQuota({ userId, subscriptionCount }: Target, added: number, removed: number): void {
    if (added > removed) sync.checkSubscriptions(userId, subscriptionCount + added)
  }

  /** Returns the result of `read` for the device; undefined if the device does not exist. */
  function ofDevice<T>(userId: UserId, uid: string, read: (deviceId: number) => T[]): Promise<T[] | undefined> {
    return snapshot.read(() => {
      const { deviceId } = sync.find(userId, uid)
      return deviceId === null ? undefined : read(deviceId)
    })
  }

  const selectHeld = db.prepare<{ url: string }, [UserId, string, string, number]>(
    `SELECT p.url FROM devices d CROSS JOIN json_each(?3) j CROSS JOIN podcasts p ON p.url = j.value
       CROSS JOIN subscriptions s ON s.device_id = d.id AND s.podcast_id = p.id AND s.subscribed >= +?4
      WHERE d.user_id = +?1 AND d.uid = +?2`,
  )
  const addReplaced = db.prepare<undefined, [number, PodcastId]>(
    'INSERT INTO replaced_addresses (device_id, podcast_id) VALUES (?1, ?2) ON CONFLICT DO NOTHING',
  )

  /** The changes of a delta, and whether the device exists. */
  function delta(userId: UserId, uid: string, since: number): [SubscriptionChanges, isKnown: boolean] {
    const { clock, restoredClock, deviceId } = sync.find(userId, uid)
    const add: string[] = []
    const remove: string[] = []
    if (deviceId === null) return [{ add, remove, clock }, false]
    const rows = changedSince.all(deviceId, listedSince(since, restoredClock))
    if (rows.some((row, index) => index > 0 && compareChanges(rows[index - 1] ?? row, row) > 0))
      rows.sort(compareChanges)
    const aliased: PodcastId[] = []
    for (const { url, aliasedId, subscribed, seq } of rows) {
      if (subscribed) add.push(url)
      // A fresh client deletes local feeds that it finds here (docs/protocol.md#D36).
      else if (since > 0 && seq >= since) {
        remove.push(url)
        if (aliasedId !== null) aliased.push(aliasedId)
      }
    }
    if (aliased.length > 0) {
      const named = new Set(remove)
      for (const { url } of addresses.alsoRemoved(deviceId, aliased)) if (!named.has(url)) remove.push(url)
    }
    return [{ add, remove, clock }, true]
  }

  return {
    listDevice: (userId, uid) => ofDevice(userId, uid, (deviceId) => urlsOfDevice.all(deviceId).map(({ url }) => url)),

    listDevicePodcasts: (userId, uid) =>
      ofDevice(userId, uid, (deviceId) => podcastsOfDevice.all(deviceId, userId).map(toPodcastObject)),

    listUser: (userId) =>
      snapshot.read(() => {
        const rows = podcastsOfUser.all(userId)
        const aliased = rows.filter(({ hasAliases }) => hasAliases === 1).map(({ id }) => id)
        if (aliased.length < 2) return rows.map(toPodcastObject)
        const chosen = new Set(addresses.onePerPodcast(aliased))
        return rows.filter(({ id, hasAliases }) => hasAliases === 0 || chosen.has(id)).map(toPodcastObject)
      }),

    async changesSince(userId, uid, since, contact) {
      const [changes, isKnown] = await snapshot.read(() => delta(userId, uid, since))
      if (isKnown || !contact) return changes
      await autoSync.firstContact(userId, uid, contact)
      return (await snapshot.read(() => delta(userId, uid, since)))[0]
    },

    applyUpload: (userId, uid, { add, remove, titles }, { at, seenUntil, app, kind = 'upload', isBrowser = false }) =>
      queue.run(userId, () => {
        const isSending = kind === 'upload' && !isBrowser
        const [podcasts, target, unwanted] = db.together([
          () => podcastIds.ensureAddresses(add, at),
          () => targetOf(userId, uid, at, add.length + remove.length, isSending),
          () => podcastIds.findAddresses(remove),
        ])
        const { deviceId, seq, hasSent } = target
        // Removals first, to make room for the rest.
        const removed = removeFeeds(target, unwanted, podcasts)
        const { added, hasUnfetched } = addFeeds(target, podcasts, removed)
        checkQuota(target, added, removed)
        keepTitles(userId, titles)
        // The first upload gets a timestamp from before the union, so that the next delta brings all of it.
        const joined = target.isNew ? autoSync.join(target) : 0
        const isUnionUnread = !hasSent && !target.isNew && seenUntil === undefined && autoSync.isOn(userId)
        const clockBeforeUnion = isUnionUnread ? clockBefore.get(deviceId, seq)?.clock : undefined
        const hasChanged = added + removed > 0
        if (hasChanged || joined > 0) sync.setClock(userId, seq)
        if (!hasSent && isSending) sync.noteSent(deviceId)
        listChanges.write({ userId, deviceId, kind, app, at }, target.changes)
        return {
          clock: clockBeforeUnion ?? (hasChanged && joined === 0 ? seq : target.clock),
          missed: seenUntil !== undefined && changedByOthers.get(deviceId, seenUntil, seq) !== null,
          hasUnfetched,
        }
      }),

    replace: (userId, uid, list, at, { titles, app } = {}) =>
      queue.run(userId, () => {
        const [podcasts, target] = db.together([
          () => podcastIds.ensureAddresses(list, at),
          () => targetOf(userId, uid, at, list.length, true),
        ])
        const { deviceId, syncGroupId, seq, changes, isNew, hasSent } = target
        // The first list of a device takes nothing from the others (docs/protocol.md#D100).
        const isAdded = !hasSent && syncGroupId !== null && autoSync.isOn(userId)
        const { removed, change } = isAdded ? NOTHING_REPLACED : removeOthers(target, podcasts)
        const before = change ? addAliased(target, change) : 0
        const { added, hasUnfetched } = addFeeds(target, podcasts, removed, change !== undefined)
        checkQuota(target, before + added, removed)
        keepTitles(userId, titles)
        const joined = isNew ? autoSync.join(target) : 0
        if (before + added + removed + joined > 0) sync.setClock(userId, seq)
        if (!hasSent) sync.noteSent(deviceId)
        listChanges.write({ userId, deviceId, kind: 'replace', app, at }, changes)
        return { hasUnfetched }
      }),

    heldOf: (userId, uid, urls, isSubscribed) =>
      snapshot.read(
        () => new Set(selectHeld.all(userId, uid, JSON.stringify(urls), Number(isSubscribed)).map(({ url }) => url)),
      ),

    addReplaced: (userId, uid, urls, at) =>
      queue.run(userId, () => {
        const { deviceId } = sync.find(userId, uid)
        if (deviceId === null) return 0
        return urls.reduce((sum, url) => sum + addReplaced.run(deviceId, podcastIds.ensure(url, at)).changes, 0)
      }),
  }
}

function idsOf(podcasts: readonly AddressRow[]): Set<PodcastId> {
  return new Set(podcasts.map(({ id }) => id))
}

function compareChanges(one: ChangeRow, other: ChangeRow): number {
  return one.seq - other.seq || (one.url < other.url ? -1 : 1)
}
