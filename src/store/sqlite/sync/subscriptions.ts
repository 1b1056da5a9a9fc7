import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { listedSince, nextClock } from '../../../domain/sync/cursors.ts'
import type {
  SubscriptionChanges,
  SubscriptionStore,
  WrittenSubscriptions,
} from '../../../domain/sync/ports/subscriptions.ts'
import type { ProvisionalTitles } from '../../../domain/sync/provisional-titles.ts'
import type { Snapshot } from '../core/snapshot.ts'
import type { Addresses, AddressRemoval, ListChange } from './addresses.ts'
import type { AutoSyncs } from './auto-sync.ts'
import { ChangeRecord, type ListChanges } from './list-changes/list-changes.ts'
import {
  type AddressRow,
  PODCAST_DETAILS,
  type PodcastRow,
  podcastColumnsFor,
  prepareKeepTitles,
  preparePodcastIds,
  toPodcastObject,
} from './podcast-rows.ts'
import type { SyncState, SyncTarget } from './sync-state.ts'
import { createPace, type Pace, ROWS_PER_JOB, type Steps, type UserWrites } from './user-writes.ts'

interface ChangeRow {
  readonly url: string
  /** Its podcast was removed, and has other addresses. */
  readonly aliasedId: PodcastId | null
  readonly subscribed: number
  readonly seq: number
}

/** What a request changes: a device with its group. */
interface Target extends SyncTarget {
  readonly userId: UserId
  readonly seq: number
  /** Row numbers of the devices. */
  readonly members: readonly number[]
  readonly pace: Pace
  readonly changes: ChangeRecord
}

interface Replaced {
  readonly at: number
  /** How many subscriptions the request has removed, and added, so far. */
  readonly removed: number
  readonly added?: number | undefined
  /** Podcasts that have been added where they are to be. */
  readonly done?: ReadonlySet<PodcastId> | undefined
}

/** What a list makes of the podcasts with several addresses, and how many subscriptions it has removed. */
interface ReplacedOthers {
  readonly removed: number
  readonly aliased: readonly PodcastId[]
  readonly change: ListChange | undefined
}

type Added = Pick<WrittenSubscriptions, 'hasUnfetched'> & { readonly added: number }

const NOTHING_REPLACED: ReplacedOthers = { removed: 0, aliased: [], change: undefined }
const NONE_ADDED: Added = { added: 0, hasUnfetched: false }

/** The device itself and, if it is in a sync group, every other member. */
const MEMBERS = '(SELECT id FROM devices WHERE id = +?1 OR sync_group_id = +?2)'

export interface SubscriptionStoreParts {
  readonly db: Database
  readonly snapshot: Snapshot
  readonly sync: SyncState
  readonly writes: UserWrites
  readonly addresses: Addresses
  readonly listChanges: ListChanges
  readonly autoSync: AutoSyncs
}

export function createSubscriptionStore({
  db,
  snapshot,
  sync,
  writes,
  addresses,
  listChanges,
  autoSync,
}: SubscriptionStoreParts): SubscriptionStore {
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
    // In the order of the index. To sort by URL as well would cost as much here as all the rest, and is rarely needed.
    `SELECT p.url, s.subscribed, s.seq, CASE WHEN s.subscribed = 0 AND p.has_aliases = 1 THEN p.id END AS aliasedId
       FROM subscriptions s CROSS JOIN podcasts p ON p.id = s.podcast_id
      WHERE s.device_id = +?1 AND s.seq >= +?2 ORDER BY s.seq`,
  )
  // A row at a time: to take the rows from a JSON array costs three times as much for the one feed that most uploads
  // change.
  const subscribe = db.prepare<undefined, [number, PodcastId, number]>(
    `INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (?1, ?2, 1, ?3)
     ON CONFLICT (device_id, podcast_id) DO UPDATE SET subscribed = 1, previous_seq = seq, seq = excluded.seq WHERE subscribed = 0`,
  )
  const unfetched = db.prepare<undefined, [PodcastId]>('SELECT 1 FROM podcasts WHERE id = ?1 AND checked_at IS NULL')
  const unsubscribe = db.prepare<undefined, [number, PodcastId, number]>(
    `UPDATE subscriptions SET subscribed = 0, previous_seq = seq, seq = ?3
      WHERE device_id = ?1 AND podcast_id = ?2 AND subscribed = 1`,
  )
  const unsubscribeFrom = db.prepare<undefined, [number, string, number]>(
    `UPDATE subscriptions SET subscribed = 0, previous_seq = seq, seq = ?3
      WHERE device_id = ?1 AND podcast_id IN (SELECT value FROM json_each(?2)) AND subscribed = 1`,
  )
  const addressesOf = db.prepare<AddressRow, [string]>(
    'SELECT p.id, p.has_aliases AS hasAliases FROM json_each(?1) j CROSS JOIN podcasts p ON p.url = j.value',
  )
  const heldAfter = db.prepare<{ id: PodcastId }, [number, number]>(
    `SELECT podcast_id AS id FROM subscriptions
      WHERE device_id = ?1 AND podcast_id > ?2 AND subscribed = 1 ORDER BY podcast_id LIMIT ${ROWS_PER_JOB}`,
  )
  const membersOf = db.prepare<{ id: number }, [number, number | null]>(`SELECT id FROM devices WHERE id IN ${MEMBERS}`)
  /** The logical time before all subscriptions of the device, except those with this `seq`; null if there are none. */
  const clockBefore = db.prepare<{ clock: number | null }, [number, number]>(
    'SELECT MIN(seq) - 2 AS clock FROM subscriptions WHERE device_id = ?1 AND seq <> ?2',
  )
  const changedByOthers = db.prepare<undefined, [number, number, number]>(
    'SELECT 1 FROM subscriptions WHERE device_id = ?1 AND seq >= ?2 AND seq <> ?3 LIMIT 1',
  )

  function targetOf(userId: UserId, uid: string, at: number, isSending: boolean): Target {
    const device = sync.ensureDevice(userId, uid, at, isSending)
    const { deviceId, syncGroupId, isNew } = device
    const seq = nextClock(device.clock, at)
    return {
      ...device,
      userId,
      seq,
      members: syncGroupId === null ? [deviceId] : membersOf.all(deviceId, syncGroupId).map(({ id }) => id),
      pace: createPace({ seq, newDeviceId: isNew ? deviceId : undefined }),
      changes: new ChangeRecord(),
    }
  }

  function idsOf(urls: readonly string[]): ReadonlySet<PodcastId> {
    return new Set(addressesOf.all(JSON.stringify(urls)).map(({ id }) => id))
  }

  /** `adds` is what the same upload adds. */
  function* removeFeeds(target: Target, urls: readonly string[], adds: readonly string[]): Steps<number> {
    const { members, seq, pace, changes } = target
    const parts = [...slices(members, ROWS_PER_JOB)]
    let addedIds: ReadonlySet<PodcastId> | undefined
    let removed = 0
    for (const url of urls) {
      const podcast = podcastIds.findAddress(url)
      if (!podcast) {
        if (pace.isFull(1)) yield pace.unfinished
        continue
      }
      let removal: AddressRemoval | undefined
      for (const part of parts) {
        if (pace.isFull(part.length)) yield pace.unfinished
        if (podcast.hasAliases === 1) {
          addedIds ??= idsOf(adds)
          removal ??= addresses.planRemoval(target, podcast.id, addedIds)
          removed += addresses.remove(target, removal, part)
        } else
          for (const member of part) {
            const { changes: rows } = unsubscribe.run(member, podcast.id, seq)
            removed += rows
            if (rows > 0) changes.remove(member, podcast.id)
          }
      }
    }
    return removed
  }

  /** What the device and its group have beside `urls` goes. */
  function* removeOthers(target: Target, urls: readonly string[]): Steps<ReplacedOthers> {
    const { members, seq, pace, changes } = target
    const kept = new Set<PodcastId>()
    const aliased: PodcastId[] = []
    for (const slice of slices(urls, ROWS_PER_JOB)) {
      if (pace.isFull(slice.length)) yield pace.unfinished
      for (const { id, hasAliases } of addressesOf.all(JSON.stringify(slice))) {
        kept.add(id)
        if (hasAliases === 1) aliased.push(id)
      }
    }
    const change = aliased.length > 0 ? yield* addresses.planList(target, aliased) : undefined
    let removed = 0
    for (const member of members) {
      let last = 0
      for (;;) {
        if (pace.isFull(ROWS_PER_JOB)) yield pace.unfinished
        const held = heldAfter.all(member, last).map(({ id }) => id)
        const keptToo = change?.kept.get(member)
        const gone = held.filter((id) => !kept.has(id) && !keptToo?.has(id))
        for (const id of gone) changes.remove(member, id)
        if (gone.length > 0) removed += unsubscribeFrom.run(member, JSON.stringify(gone), seq).changes
        if (held.length < ROWS_PER_JOB) break
        last = held.at(-1) ?? last
      }
    }
    return { removed, aliased, change }
  }

  /** What a list adds of the podcasts with several addresses; returns how much. */
  function* addAliased(target: Target, { added, renamed }: ListChange): Steps<number> {
    const { pace } = target
    for (const [from, to] of renamed) {
      if (pace.isFull(1)) yield pace.unfinished
      addresses.rename(target, from, to)
    }
    let changes = 0
    for (const { deviceId, address } of added) {
      if (pace.isFull(1)) yield pace.unfinished
      changes += addresses.subscribe(target, deviceId, address)
    }
    return changes
  }

  function* addFeeds(target: Target, urls: readonly string[], replaced: Replaced): Steps<Added> {
    const { userId, members, seq, pace, changes } = target
    const { at, removed, done } = replaced
    const parts = [...slices(members, ROWS_PER_JOB)]
    let sent: ReadonlySet<PodcastId> | undefined
    let added = replaced.added ?? 0
    let hasUnfetched = false
    for (const url of urls) {
      let podcast: AddressRow | undefined
      let isNew = false
      for (const part of parts) {
        if (pace.isFull(part.length)) {
          // No later than with each job, so that not much is written in vain.
          if (added > removed) sync.checkSubscriptions(userId)
          yield pace.unfinished
        }
        podcast ??= podcastIds.ensureAddress(url, at)
        if (done?.has(podcast.id)) isNew = true
        else if (podcast.hasAliases === 1) {
          sent ??= idsOf(urls)
          const { changes: rows, isRenamed } = addresses.add(target, podcast.id, sent, part)
          added += rows
          isNew ||= isRenamed || rows > 0
        } else
          for (const member of part) {
            const { changes: rows } = subscribe.run(member, podcast.id, seq)
            added += rows
            if (rows === 0) continue
            isNew = true
            changes.add(member, podcast.id)
          }
      }
      hasUnfetched ||= isNew && podcast !== undefined && unfetched.get(podcast.id) !== null
    }
    // A user who has too many already, from times without a limit, may go on with as many or fewer.
    if (added > removed) sync.checkSubscriptions(userId)
    return { added, hasUnfetched }
  }

  function* keepTitlesOf({ userId, pace }: Target, titles: ProvisionalTitles): Steps<undefined> {
    for (const slice of slices([...titles], ROWS_PER_JOB)) {
      if (pace.isFull(slice.length)) yield pace.unfinished
      keepTitles(userId, new Map(slice))
    }
    return undefined
  }

  /** What is read of a device; undefined if there is no such device. */
  async function ofDevice<T>(userId: UserId, uid: string, read: (deviceId: number) => T[]): Promise<T[] | undefined> {
    const waiting = writes.settled(userId)
    if (waiting) await waiting
    snapshot.use()
    const { deviceId } = sync.find(userId, uid)
    return deviceId === null ? undefined : read(deviceId)
  }

  return {
    listDevice: (userId, uid) => ofDevice(userId, uid, (deviceId) => urlsOfDevice.all(deviceId).map(({ url }) => url)),

    listDevicePodcasts: (userId, uid) =>
      ofDevice(userId, uid, (deviceId) => podcastsOfDevice.all(deviceId, userId).map(toPodcastObject)),

    async listUser(userId) {
      const waiting = writes.settled(userId)
      if (waiting) await waiting
      snapshot.use()
      const rows = podcastsOfUser.all(userId)
      const aliased = rows.filter(({ hasAliases }) => hasAliases === 1).map(({ id }) => id)
      if (aliased.length < 2) return rows.map(toPodcastObject)
      const chosen = new Set(addresses.onePerPodcast(aliased))
      return rows.filter(({ id, hasAliases }) => hasAliases === 0 || chosen.has(id)).map(toPodcastObject)
    },

    async changesSince(userId, uid, since, contact): Promise<SubscriptionChanges> {
      const waiting = writes.settled(userId)
      if (waiting) await waiting
      snapshot.use()
      let { clock, restoredClock, deviceId } = sync.find(userId, uid)
      if (deviceId === null && contact) {
        await autoSync.firstContact(userId, uid, contact)
        snapshot.use()
        ;({ clock, restoredClock, deviceId } = sync.find(userId, uid))
      }
      const add: string[] = []
      const remove: string[] = []
      if (deviceId === null) return { add, remove, clock }
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
      return { add, remove, clock }
    },

    applyUpload: (userId, uid, { add, remove, titles }, { at, seenUntil, app, kind = 'upload', isBrowser = false }) =>
      writes.run(userId, function* (): Steps<WrittenSubscriptions> {
        const isSending = kind === 'upload' && !isBrowser
        const target = targetOf(userId, uid, at, isSending)
        const { deviceId, seq, hasSent } = target
        // First what makes room for the rest.
        const removed = remove.length > 0 ? yield* removeFeeds(target, remove, add) : 0
        const { added, hasUnfetched } = add.length > 0 ? yield* addFeeds(target, add, { at, removed }) : NONE_ADDED
        if (titles && titles.size > 0) yield* keepTitlesOf(target, titles)
        // The first upload gets a timestamp from before the union, so that the next delta brings all of it.
        const joined = target.isNew ? yield* autoSync.join(target) : 0
        const isUntold = !hasSent && !target.isNew && seenUntil === undefined && autoSync.isOn(userId)
        const untold = isUntold ? clockBefore.get(deviceId, seq)?.clock : undefined
        const hasChanged = added + removed > 0
        if (hasChanged || joined > 0) sync.setClock(userId, seq)
        if (!hasSent && isSending) sync.noteSent(deviceId)
        listChanges.write({ userId, deviceId, kind, app, at }, target.changes)
        return {
          clock: untold ?? (hasChanged && joined === 0 ? seq : target.clock),
          missed: seenUntil !== undefined && changedByOthers.get(deviceId, seenUntil, seq) !== null,
          hasUnfetched,
        }
      }),

    replace: (userId, uid, list, at, { titles, app } = {}) =>
      writes.run(userId, function* (): Steps<Pick<WrittenSubscriptions, 'hasUnfetched'>> {
        const target = targetOf(userId, uid, at, true)
        const { deviceId, syncGroupId, seq, changes, isNew, hasSent } = target
        // The first list of a device takes nothing from the others (docs/protocol.md#D100).
        const isAdded = !hasSent && syncGroupId !== null && autoSync.isOn(userId)
        const { removed, aliased, change } = isAdded ? NOTHING_REPLACED : yield* removeOthers(target, list)
        const before = change ? yield* addAliased(target, change) : 0
        const done = change && new Set(aliased)
        const { added, hasUnfetched } = yield* addFeeds(target, list, { at, removed, added: before, done })
        if (titles) yield* keepTitlesOf(target, titles)
        const joined = isNew ? yield* autoSync.join(target) : 0
        if (added + removed + joined > 0) sync.setClock(userId, seq)
        if (!hasSent) sync.noteSent(deviceId)
        listChanges.write({ userId, deviceId, kind: 'replace', app, at }, changes)
        return { hasUnfetched }
      }),
  }
}

function compareChanges(one: ChangeRow, other: ChangeRow): number {
  return one.seq - other.seq || (one.url < other.url ? -1 : 1)
}
