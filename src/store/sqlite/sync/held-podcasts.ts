import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { type LongList, SHORT_LIST, slices } from '../../../domain/shared/lists.ts'
import type { Snapshot } from '../core/snapshot.ts'

interface HeldRow {
  readonly id: PodcastId
  readonly seq: number
  readonly subscribed: number
}

/** Row numbers of podcasts; small enough to be all in memory where the podcasts are not. */
export interface ChangedIds {
  readonly added: PodcastId[]
  readonly removed: PodcastId[]
}

export interface HeldByUser {
  readonly podcasts: readonly PodcastId[]
  /** Row numbers of the devices that have anything. */
  readonly devices: readonly number[]
}

interface UserState {
  readonly clock: number
  readonly subscriptions: number
}

/** Work that reads, with a `yield` wherever others may have their turn. */
export type ReadSteps<T> = Generator<undefined, T>

const ROWS_AT_ONCE = 2000

export type HeldPodcasts = ReturnType<typeof createHeldPodcasts>

/**
 * What long lists consist of. Its order is that of `seq`, and among what came at once that in which the server got to
 * know the podcasts.
 */
export function createHeldPodcasts(db: Database, snapshot: Snapshot) {
  const next = db.prepare<HeldRow, [number, number, number]>(
    `SELECT podcast_id AS id, seq, subscribed FROM subscriptions
      WHERE device_id = +?1 AND (seq, podcast_id) > (?2, ?3) ORDER BY seq, podcast_id LIMIT ${ROWS_AT_ONCE}`,
  )
  const countOfDevice = db.prepare<{ count: number }, [number]>(
    `SELECT COUNT(*) AS count FROM
       (SELECT 1 FROM subscriptions WHERE device_id = ?1 AND subscribed = 1 LIMIT ${SHORT_LIST + 1})`,
  )
  const countOfUser = db.prepare<{ count: number }, [UserId]>(
    'SELECT subscription_count AS count FROM users WHERE id = ?1',
  )
  const stateOf = db.prepare<UserState, [UserId]>(
    'SELECT clock, subscription_count AS subscriptions FROM users WHERE id = ?1',
  )
  const devicesOf = db.prepare<{ id: number }, [UserId]>('SELECT id FROM devices WHERE user_id = ?1 ORDER BY id')

  function* rows(deviceId: number, since: number): Generator<readonly HeldRow[], void> {
    let last = { seq: since, id: -1 }
    for (;;) {
      snapshot.use()
      const page = next.all(deviceId, last.seq, last.id)
      yield page
      const end = page.at(-1)
      if (page.length < ROWS_AT_ONCE || !end) return
      last = end
    }
  }

  const ofUsers = createMemory<HeldByUser>()
  const ofDevices = createMemory<ChangedIds>()

  /** As long as it is the same, so is what the user has. */
  function stateFor(userId: UserId): string {
    const { clock, subscriptions } = stateOf.get(userId) ?? {}
    return `${userId} ${clock} ${subscriptions}`
  }

  function* readDevice(deviceId: number, since: number): ReadSteps<ChangedIds> {
    const changed: ChangedIds = { added: [], removed: [] }
    for (const page of rows(deviceId, since)) {
      for (const { id, subscribed } of page) (subscribed ? changed.added : changed.removed).push(id)
      yield
    }
    return changed
  }

  function* readUser(userId: UserId): ReadSteps<HeldByUser> {
    const seqOf = new Map<PodcastId, number>()
    const devices: number[] = []
    for (const { id: deviceId } of devicesOf.all(userId)) {
      let held = 0
      for (const page of rows(deviceId, 0)) {
        for (const { id, seq, subscribed } of page) {
          if (!subscribed) continue
          held++
          seqOf.set(id, Math.min(seq, seqOf.get(id) ?? seq))
        }
        yield
      }
      if (held > 0) devices.push(deviceId)
    }
    return { podcasts: bySeq(seqOf), devices }
  }

  return {
    isLongOfDevice: (deviceId: number): boolean => (countOfDevice.get(deviceId)?.count ?? 0) > SHORT_LIST,
    isLongOfUser: (userId: UserId): boolean => (countOfUser.get(userId)?.count ?? 0) > SHORT_LIST,

    /** Changes of a device since then. */
    changed: (userId: UserId, deviceId: number, since: number): ReadSteps<ChangedIds> =>
      ofDevices.get(`${stateFor(userId)} ${deviceId} ${since}`, () => readDevice(deviceId, since)),

    /** What any device of the user has, longest held first. */
    ofUser: (userId: UserId): ReadSteps<HeldByUser> => ofUsers.get(stateFor(userId), () => readUser(userId)),

    /** After a change that no clock tells of. */
    forget(): void {
      ofUsers.forget()
      ofDevices.forget()
    },
  }
}

/**
 * Kept of the last user only: a client that asks for a long list often asks for it again, in another format or by
 * another connection.
 */
function createMemory<T>() {
  let latest: { readonly key: string; readonly value: T } | undefined
  return {
    *get(key: string, read: () => ReadSteps<T>): ReadSteps<T> {
      if (latest?.key === key) return latest.value
      const value = yield* read()
      latest = { key, value }
      return value
    },
    forget(): void {
      latest = undefined
    },
  }
}

/** By `seq`, then by number; without making an object for each. */
function bySeq(seqOf: ReadonlyMap<PodcastId, number>): PodcastId[] {
  const groups = new Map<number, PodcastId[]>()
  for (const [id, seq] of seqOf) {
    const group = groups.get(seq)
    if (group) group.push(id)
    else groups.set(seq, [id])
  }
  return [...groups.keys()].sort((a, b) => a - b).flatMap((seq) => (groups.get(seq) ?? []).sort((a, b) => a - b))
}

/** What `read` finds for some of the items at a time. */
export function longList<T, U>(
  items: readonly T[],
  size: number,
  read: (some: readonly T[]) => readonly U[],
): LongList<U> {
  return {
    length: items.length,
    pieces: {
      *[Symbol.iterator]() {
        for (const some of slices(items, size)) yield read(some)
      },
    },
  }
}
