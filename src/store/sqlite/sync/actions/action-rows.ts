import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../../domain/shared/ids.ts'
import { isFinished, isRepeatedFinish } from '../../../../domain/sync/episode-actions.ts'
import type { EpisodeAction } from '../../../../domain/sync/ports.ts'
import { preparePodcastIds } from '../podcast-rows.ts'
import {
  ACTION_KINDS,
  isFinishedRow,
  kindOf,
  type ProgressRow,
  STATE_KINDS,
  type StateAction,
  tellsState,
} from './action-kinds.ts'
import {
  type FormerName,
  IS_SHARED_GUID,
  type JoinedEpisodes,
  type Status,
  type StatusRow,
  toStatus,
} from './joined-episodes.ts'

/** What of an action the exact-duplicate rule compares (docs/protocol.md#D49), besides the user and the time. */
interface HashedAction {
  readonly userEpisodeId: number
  readonly deviceId: number
  readonly kind: number
  readonly started: number | null
  readonly position: number | null
  readonly total: number | null
}

type HashFactors = Record<'episode' | 'device' | 'kind' | 'started' | 'position' | 'total', number>

const PRIME = 2_147_483_647
/** Stands for what is unknown. */
const UNKNOWN = 4_294_967_295

/** Sixteen bits. Each product is below 2^52: factors have 20 bits, values are cut to 32. */
export function hashOf(factors: HashFactors, action: HashedAction): number {
  const part = (factor: number, value: number | null) => (factor * ((value ?? UNKNOWN) % (UNKNOWN + 1))) % PRIME
  const sum =
    part(factors.episode, action.userEpisodeId) +
    part(factors.device, action.deviceId) +
    part(factors.kind, action.kind) +
    part(factors.started, action.started) +
    part(factors.position, action.position) +
    part(factors.total, action.total)
  return (sum % PRIME) & 0xffff
}

/** A row of `user_episodes` while an upload adds to it. */
interface UserEpisode {
  readonly id: number
  readonly mediaId: number
  readonly guid: string | null
  /** 0 as long as there is none. */
  lastId: number
  /** By this media URL alone. */
  own: Status
  /** The episode that this media URL is one of several of. */
  readonly joined: JoinedEpisode | undefined
  hasChanged: boolean
}

/** A row of `joined_episodes` likewise. */
interface JoinedEpisode {
  readonly id: number
  mediaId: number
  status: Status
  hasChanged: boolean
}

/** What is known of the media URL of an action, besides the user's own actions on it. */
interface Media {
  readonly podcastId: PodcastId | undefined
  readonly mediaId: number | undefined
  readonly guid: string | undefined
  /** The feed uses it for several episodes. */
  readonly isGuidShared: boolean
  /** The user has actions on another media URL with it. */
  readonly isGuidKnown: boolean
}

interface UserEpisodeRow extends StatusRow {
  readonly id: number
  readonly mediaId: number
  readonly guid: string | null
  /** Only where none is known by the actions. */
  readonly feedGuid: string | null
  readonly joinedId: number | null
  readonly lastId: number
}

interface JoinedRow extends StatusRow {
  readonly id: number
  readonly mediaId: number
}

interface MediaRow {
  readonly podcastId: PodcastId
  readonly mediaId: number | null
  readonly guid: string | null
  readonly isShared: number | null
  readonly isKnown: number
}

interface UploadRow {
  readonly deviceId: number
  readonly firstId: number
  readonly count: number
}

interface HeardEpisodeRow {
  readonly id: number
  readonly lastId: number
  readonly url: string
  readonly guid: string | null
  readonly isShared: number
}

interface StoredAction {
  readonly id: number
  readonly kind: number
  readonly at: number
  readonly device: string
  readonly started: number | null
  readonly position: number | null
  readonly total: number | null
}

/** Rows that move from one podcast to another in one job: some ten milliseconds' work. */
const MOVED_AT_ONCE = 500

/** Actions of one episode among which the last one of a device is looked for. */
const LINKS_MAX = 1000

interface LinkedRow {
  readonly id: number
  readonly userEpisodeId: number
  readonly previousId: number | null
}

/** What one request of a user adds. */
export interface ActionUpload {
  /** Tells how many rows that makes: none for what is there already exactly like this. */
  add(action: EpisodeAction): number
  /** Writes what is known of episodes, and reads it again when it is needed: before something else changes it. */
  settle(): void
  /** Writes what all actions so far have in common; to be called at the end of each job. */
  finishJob(): void
}

export type ActionRows = ReturnType<typeof prepareActionRows>

const NO_STATE: Status = { actionId: 0, kind: ACTION_KINDS.length, at: Number.NEGATIVE_INFINITY, isFinished: false }

/**
 * Writes the rows of episode actions, one at a time, which costs least. All functions belong inside a job of the write
 * queue.
 */
export function prepareActionRows(db: Database, joins: JoinedEpisodes) {
  const podcastIds = preparePodcastIds(db)
  const selectFactors = db.prepare<HashFactors, []>('SELECT * FROM action_hash')
  let known: HashFactors | undefined

  const findEpisode = db.prepare<UserEpisodeRow, [string, string, UserId]>(
    `SELECT ue.id, e.id AS mediaId, ue.guid, ue.joined_id AS joinedId, ue.last_action_id AS lastId,
            CASE WHEN ue.guid IS NULL THEN (SELECT NULLIF(d.guid, '') FROM episode_details d WHERE d.episode_id = e.id) END AS feedGuid,
            s.id AS stateId, s.kind, s.at, s.position, s.total
       FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = +?2
       CROSS JOIN user_episodes ue ON ue.user_id = +?3 AND ue.episode_id = e.id
       CROSS JOIN episode_actions s ON s.id = ue.state_action_id
      WHERE p.url = +?1`,
  )
  const findJoined = db.prepare<JoinedRow, [number]>(
    `SELECT j.id, j.media_id AS mediaId, s.id AS stateId, s.kind, s.at, s.position, s.total
       FROM joined_episodes j CROSS JOIN episode_actions s ON s.id = j.state_action_id WHERE j.id = +?1`,
  )
  const lastOfJoined = db.prepare<{ lastId: number }, [number]>(
    'SELECT last_action_id AS lastId FROM user_episodes WHERE joined_id = ?1',
  )
  // One statement for three questions: most uploads of a new client are nothing but new media URLs.
  const findMedia = db.prepare<MediaRow, [string, string, UserId, string | null]>(
    `SELECT p.id AS podcastId, e.id AS mediaId, NULLIF(d.guid, '') AS guid, ${IS_SHARED_GUID} AS isShared,
            EXISTS (SELECT 1 FROM user_episodes ue INDEXED BY user_episodes_guid
                     WHERE ue.user_id = +?3 AND ue.guid = COALESCE(+?4, NULLIF(d.guid, ''))) AS isKnown
       FROM podcasts p LEFT JOIN episodes e ON e.podcast_id = p.id AND e.url = +?2
       LEFT JOIN episode_details d ON d.episode_id = e.id
      WHERE p.url = +?1`,
  )
  const insertMedia = db.prepare<undefined, [PodcastId, string]>(
    'INSERT INTO episodes (podcast_id, url) VALUES (?1, ?2)',
  )
  const insertEpisode = db.prepare<undefined, [UserId, number, string | null, number]>(
    `INSERT INTO user_episodes (user_id, episode_id, guid, is_guid_hidden, last_action_id, state_action_id)
     VALUES (?1, ?2, ?3, ?4, 0, 0)`,
  )
  const updateEpisode = db.prepare<undefined, [number, number, number]>(
    'UPDATE user_episodes SET last_action_id = ?2, state_action_id = ?3 WHERE id = ?1',
  )
  const updateJoined = db.prepare<undefined, [number, number, number]>(
    'UPDATE joined_episodes SET media_id = ?2, state_action_id = ?3 WHERE id = ?1',
  )
  const findDevice = db.prepare<{ id: number }, [UserId, string]>(
    'SELECT id FROM action_devices WHERE user_id = ?1 AND uid = ?2',
  )
  const insertDevice = db.prepare<undefined, [UserId, string]>(
    'INSERT INTO action_devices (user_id, uid) VALUES (?1, ?2)',
  )
  const insertUpload = db.prepare<undefined, [number, number, number, number]>(
    'INSERT INTO action_uploads (device_id, seq, first_id, count) VALUES (?1, ?2, ?3, ?4)',
  )
  const insertAction = db.prepare<
    undefined,
    [UserId, number, number, number | null, number, number, number, number | null, number | null, number | null]
  >(
    `INSERT INTO episode_actions
       (user_id, user_episode_id, device_id, previous_id, kind, at, hash, started, position, total)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
  )
  // A statement of its own: to read from the table that an INSERT writes costs it a table in between.
  const isStored = db.prepare<
    undefined,
    [UserId, number, number, number, number, number, number | null, number | null, number | null]
  >(
    `SELECT 1 FROM episode_actions INDEXED BY episode_actions_time
      WHERE user_id = +?1 AND at = +?2 AND hash = +?3 AND user_episode_id = +?4 AND device_id = +?5 AND kind = +?6
        AND started IS +?7 AND position IS +?8 AND total IS +?9`,
  )

  const newestUpload = db.prepare<UploadRow, [UserId, number]>(
    `SELECT u.device_id AS deviceId, u.first_id AS firstId, u.count
       FROM action_devices d CROSS JOIN action_uploads u ON u.device_id = d.id AND u.seq = +?2
      WHERE d.user_id = +?1 ORDER BY u.first_id DESC LIMIT 1`,
  )
  const rowsOfUpload = db.prepare<LinkedRow, [number, number]>(
    `SELECT id, user_episode_id AS userEpisodeId, previous_id AS previousId FROM episode_actions
      WHERE id >= ?1 AND id < ?2 ORDER BY id DESC`,
  )
  const removeRows = db.prepare<undefined, [number, number]>('DELETE FROM episode_actions WHERE id >= ?1 AND id < ?2')
  const removeUpload = db.prepare<undefined, [number, number, number]>(
    'DELETE FROM action_uploads WHERE device_id = ?1 AND seq = ?2 AND first_id = ?3',
  )
  const linked = `WITH RECURSIVE linked (id) AS (
    SELECT +?1 UNION ALL
    SELECT a.previous_id FROM linked CROSS JOIN episode_actions a ON a.id = linked.id WHERE a.previous_id IS NOT NULL)`
  const actionsOf = db.prepare<StoredAction, [number]>(
    `${linked} SELECT a.id, a.kind, a.at, d.uid AS device, a.started, a.position, a.total
       FROM linked CROSS JOIN episode_actions a ON a.id = linked.id CROSS JOIN action_devices d ON d.id = a.device_id
      ORDER BY a.id`,
  )
  const episodesOfPodcast = db.prepare<HeardEpisodeRow, [UserId, string]>(
    `SELECT ue.id, ue.last_action_id AS lastId, e.url, ue.guid,
            EXISTS (SELECT 1 FROM episode_details d
                     WHERE d.episode_id = e.id AND d.guid = ue.guid AND ${IS_SHARED_GUID}) AS isShared
       FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id
       CROSS JOIN user_episodes ue ON ue.user_id = +?1 AND ue.episode_id = e.id
      WHERE p.url = +?2 LIMIT ${MOVED_AT_ONCE}`,
  )
  const unlink = db.prepare<undefined, [number]>('UPDATE episode_actions SET previous_id = NULL WHERE id = ?1')
  const removeEpisode = db.prepare<FormerName, [number]>(
    'DELETE FROM user_episodes WHERE id = ?1 RETURNING user_id AS userId, guid, joined_id AS joinedId',
  )
  const stateOf = db.prepare<{ id: number }, [number]>(
    `${linked} SELECT a.id FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
      ORDER BY a.kind < ${STATE_KINDS} DESC, a.at DESC, a.id DESC LIMIT 1`,
  )
  const relink = db.prepare<FormerName, [number, number, number]>(
    `UPDATE user_episodes SET last_action_id = ?2, state_action_id = ?3 WHERE id = ?1
     RETURNING user_id AS userId, guid, joined_id AS joinedId`,
  )

  // From the newest action on; ends where the device is found, or after so many that nobody has them of one episode.
  const lastOfDevice = db.prepare<ProgressRow, [string, number]>(
    `WITH RECURSIVE linked (id, n) AS (
       SELECT value, 1 FROM json_each(?1) UNION ALL
       SELECT a.previous_id, linked.n + 1 FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
        WHERE a.previous_id IS NOT NULL AND linked.n < ${LINKS_MAX}
        ORDER BY 1 DESC)
     SELECT a.kind, a.position, a.total FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
      WHERE a.device_id = +?2 AND a.kind < ${STATE_KINDS} LIMIT 1`,
  )

  /**
   * Of the lists that end with these actions, whether the last play or new that the device has uploaded says that it
   * finished the episode.
   */
  function wasLastFinished(lastIds: readonly number[], deviceId: number): boolean {
    const row = lastOfDevice.get(JSON.stringify(lastIds), deviceId)
    return row !== null && isFinishedRow(row)
  }

  const findOrInsertDevice = (userId: UserId, uid: string) =>
    findDevice.get(userId, uid)?.id ?? Number(insertDevice.run(userId, uid).lastInsertRowid)

  function lookUp(userId: UserId, { podcast, episode, guid }: EpisodeAction): Media {
    const row = findMedia.get(podcast, episode, userId, guid ?? null)
    if (!row) {
      const isGuidKnown = guid !== undefined && joins.isKnown(userId, guid)
      return { podcastId: undefined, mediaId: undefined, guid, isGuidShared: false, isGuidKnown }
    }
    const known = guid ?? row.guid ?? undefined
    return {
      podcastId: row.podcastId,
      mediaId: row.mediaId ?? undefined,
      guid: known,
      isGuidShared: row.isShared === 1 && known === row.guid,
      isGuidKnown: row.isKnown === 1,
    }
  }

  /** Tells what has to be mended afterwards. */
  function relinkTo(userEpisodeId: number, lastId: number | null): FormerName | undefined {
    const state = lastId === null ? null : stateOf.get(lastId)
    const name =
      lastId === null || !state ? removeEpisode.get(userEpisodeId) : relink.get(userEpisodeId, lastId, state.id)
    return name && (name.joinedId !== null || lastId === null) ? name : undefined
  }

  /** Read with the first upload: a damaged page must not keep the server from starting. */
  function readFactors(): HashFactors {
    known ??= selectFactors.get() ?? undefined
    if (!known) throw new Error('the table action_hash has no row')
    return known
  }

  /**
   * `seq` is the logical time of the upload, `now` the clock's. A repeated "finished" (docs/protocol.md#D86) is stored
   * only with `keepsRepeats`.
   */
  function begin(userId: UserId, seq: number, now: number, keepsRepeats = false): ActionUpload {
    const factors = readFactors()
    const episodes = new Map<string, UserEpisode>()
    const joined = new Map<number, JoinedEpisode>()
    const devices = new Map<string, number>()
    let uid: string | undefined
    let deviceId = 0
    let firstId = 0
    let count = 0

    function finishRun(): void {
      if (count > 0) insertUpload.run(deviceId, seq, firstId, count)
      count = 0
    }

    function useDevice(device: string): void {
      if (device === uid) return
      finishRun()
      uid = device
      deviceId = devices.get(device) ?? findOrInsertDevice(userId, device)
      devices.set(device, deviceId)
    }

    /** Writes what is known of the episodes by now. */
    function flush(): void {
      for (const episode of episodes.values()) {
        if (episode.hasChanged) updateEpisode.run(episode.id, episode.lastId, episode.own.actionId)
        episode.hasChanged = false
      }
      for (const episode of joined.values()) {
        if (episode.hasChanged) updateJoined.run(episode.id, episode.mediaId, episode.status.actionId)
        episode.hasChanged = false
      }
    }

    function settle(): void {
      flush()
      episodes.clear()
      joined.clear()
    }

    function openJoined(id: number): JoinedEpisode | undefined {
      const known = joined.get(id)
      if (known) return known
      const row = findJoined.get(id)
      if (!row) return undefined
      const opened = { id, mediaId: row.mediaId, status: toStatus(row), hasChanged: false }
      joined.set(id, opened)
      return opened
    }

    function keyOf({ podcast, episode }: EpisodeAction): string {
      return `${podcast}\n${episode}`
    }

    /** Undefined if the media URL is new to the user. A guid that was not known is from now on. */
    function open(action: EpisodeAction): UserEpisode | undefined {
      const key = keyOf(action)
      const known = episodes.get(key)
      if (known)
        return known.guid === null && action.guid !== undefined ? renamed(action, known.id, action.guid) : known
      const row = findEpisode.get(action.podcast, action.episode, userId)
      if (!row) return undefined
      const { id, mediaId, joinedId, lastId } = row
      const guid = row.guid ?? action.guid ?? row.feedGuid
      if (guid !== null && row.guid === null) return renamed(action, id, guid)
      const own = toStatus(row)
      const joined = joinedId === null ? undefined : openJoined(joinedId)
      const opened = { id, mediaId, guid, lastId, own, joined, hasChanged: false }
      episodes.set(key, opened)
      return opened
    }

    function renamed(action: EpisodeAction, id: number, guid: string): UserEpisode | undefined {
      settle()
      joins.rename(id, guid)
      return open(action)
    }

    function isRepeat(action: EpisodeAction, { guid, lastId, own, joined }: UserEpisode): boolean {
      if (keepsRepeats) return false
      // What is known of the media URL is of another episode: publishers use one for the latest, whatever that is.
      if (action.guid !== undefined && action.guid !== guid) {
        if (!isFinished(action)) return false
        flush()
        return isRepeatElsewhere(action, lookUp(userId, action))
      }
      return isRepeatedFinish(action, (joined?.status ?? own).isFinished, () => {
        if (!joined) return wasLastFinished([lastId], deviceId)
        flush()
        return wasLastFinished(
          lastOfJoined.all(joined.id).map((row) => row.lastId),
          deviceId,
        )
      })
    }

    /** By what the user has of the guid at other media URLs, all of which must have been written. */
    function isRepeatElsewhere(action: EpisodeAction, { podcastId, guid, isGuidShared }: Media): boolean {
      if (keepsRepeats || podcastId === undefined || guid === undefined || isGuidShared) return false
      const other = joins.find(userId, podcastId, guid)
      if (!other) return false
      return isRepeatedFinish(action, other.status.isFinished, () => wasLastFinished(other.lastIds, deviceId))
    }

    function insertNew(action: EpisodeAction, found: Media): UserEpisode {
      const { podcastId = podcastIds.ensure(action.podcast, now), guid = null, isGuidShared } = found
      const mediaId = found.mediaId ?? Number(insertMedia.run(podcastId, action.episode).lastInsertRowid)
      const id = Number(insertEpisode.run(userId, mediaId, guid, Number(isGuidShared)).lastInsertRowid)
      const opened = { id, mediaId, guid, lastId: 0, own: NO_STATE, joined: undefined, hasChanged: false }
      episodes.set(keyOf(action), opened)
      return opened
    }

    function write(action: EpisodeAction, episode: UserEpisode): number {
      const { at, started = null, position = null, total = null } = action
      const kind = ACTION_KINDS.indexOf(action.kind)
      const { id, lastId, joined } = episode
      const hash = hashOf(factors, { userEpisodeId: id, deviceId, kind, started, position, total })
      if (
        mayBeStored({ kind, at }, episode) &&
        isStored.get(userId, at, hash, id, deviceId, kind, started, position, total)
      )
        return 0
      const previousId = lastId === 0 ? null : lastId
      const written = insertAction.run(userId, id, deviceId, previousId, kind, at, hash, started, position, total)
      const actionId = Number(written.lastInsertRowid)
      if (count === 0) firstId = actionId
      count++
      episode.lastId = actionId
      episode.hasChanged = true
      const status = { actionId, kind, at, isFinished: isFinished(action) }
      if (tellsState(status, episode.own)) episode.own = status
      if (joined) {
        if (tellsState(status, joined.status)) joined.status = status
        joined.mediaId = episode.mediaId
        joined.hasChanged = true
      }
      return 1
    }

    function addNew(action: EpisodeAction): number {
      const found = lookUp(userId, action)
      const { guid } = found
      if (guid === undefined || !found.isGuidKnown) return write(action, insertNew(action, found))
      settle()
      if (isRepeatElsewhere(action, found)) return 0
      const episode = insertNew(action, found)
      const added = write(action, episode)
      settle()
      joins.join(userId, guid, episode.id)
      return added
    }

    return {
      add(action) {
        useDevice(action.device ?? '')
        const episode = open(action)
        if (!episode) return addNew(action)
        if (isRepeat(action, episode)) return 0
        const added = write(action, episode)
        if (added > 0 && action.guid !== undefined && action.guid !== episode.guid)
          renamed(action, episode.id, action.guid)
        return added
      },

      settle,

      finishJob() {
        finishRun()
        settle()
      },
    }
  }

  return {
    begin,

    /**
     * Uploads a part of what the user has told of one podcast again for another, as the same media files of that one,
     * and removes it from the first; of exact duplicates one is left. Tells how many actions are gone there, and how
     * many more there are now.
     */
    move(
      userId: UserId,
      { from, to }: { readonly from: string; readonly to: string },
      seq: number,
      now: number,
    ): { readonly moved: number; readonly added: number } {
      const upload = begin(userId, seq, now, true)
      let moved = 0
      let added = 0
      for (const { id: userEpisodeId, lastId, url, guid, isShared } of episodesOfPodcast.all(userId, from)) {
        if (moved === MOVED_AT_ONCE) break
        // Two podcasts must not share it meanwhile.
        if (guid !== null) {
          upload.settle()
          joins.rename(userEpisodeId, null)
        }
        const actions = actionsOf.all(lastId)
        const some = actions.slice(0, MOVED_AT_ONCE - moved)
        for (const { id, kind, at, device, ...seconds } of some) {
          added += upload.add({
            podcast: to,
            episode: url,
            kind: kindOf(kind),
            at,
            device,
            // The feed at the other address tells itself that several episodes have it, and before it does so they
            // must not be taken for one.
            guid: isShared === 1 ? undefined : (guid ?? undefined),
            started: seconds.started ?? undefined,
            position: seconds.position ?? undefined,
            total: seconds.total ?? undefined,
          })
          removeRows.run(id, id + 1)
        }
        const next = actions[some.length]
        if (next) unlink.run(next.id)
        const name = relinkTo(userEpisodeId, next ? lastId : null)
        if (name) joins.mend(name)
        moved += some.length
      }
      upload.finishJob()
      return { moved, added: added - moved }
    },

    /**
     * Takes back a part of what was written with this logical time, the newest first; false when nothing is left of it.
     */
    takeBack(userId: UserId, seq: number): boolean {
      const upload = newestUpload.get(userId, seq)
      if (!upload) return false
      const { deviceId, firstId, count } = upload
      const lasts = new Map<number, number | null>()
      for (const { userEpisodeId, previousId } of rowsOfUpload.all(firstId, firstId + count))
        lasts.set(userEpisodeId, previousId)
      removeRows.run(firstId, firstId + count)
      removeUpload.run(deviceId, seq, firstId)
      const names = [...lasts].flatMap(([userEpisodeId, lastId]) => relinkTo(userEpisodeId, lastId) ?? [])
      for (const name of names) joins.mend(name)
      return true
    },
  }
}

/** A play after the last one of its episode is new, which saves most uploads the search. */
function mayBeStored({ kind, at }: StateAction, { lastId, own }: UserEpisode): boolean {
  if (lastId === 0) return false
  return kind >= STATE_KINDS || (own.kind < STATE_KINDS && at <= own.at)
}
