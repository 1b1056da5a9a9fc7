import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../../domain/shared/ids.ts'
import { isFinished, isRepeatedFinish } from '../../../../domain/sync/episode-actions.ts'
import type { EpisodeAction } from '../../../../domain/sync/ports/episode-actions.ts'
import { withLinked } from './action-columns.ts'
import { hashOf, prepareHashFactors } from './action-hash.ts'
import {
  ACTION_KINDS,
  isFinishedRow,
  type ProgressRow,
  progressAt,
  STATE_KINDS,
  type StateAction,
  tellsState,
} from './action-kinds.ts'
import type { JoinedEpisodes, OtherEpisode } from './joined-episodes.ts'
import { type Media, prepareOpenEpisodes, type UnheardEpisode, type UserEpisode } from './open-episodes.ts'

/** Actions of one episode among which the last one of a device is looked for. */
const LINKS_MAX = 1000
/** Actions of one second that are compared if a media URL has been several episodes. */
const SAME_SECOND_MAX = 1000

/** What one request of a user adds. */
export interface ActionUpload {
  /** Tells how many rows that makes: none for what is there already exactly like this. */
  add(action: EpisodeAction): number
  /** Writes what is known of episodes, and reads it again when it is needed: before something else changes it. */
  settle(): void
  /** Writes what all actions so far have in common; to be called at the end of each job. */
  finish(): void
}

export type ActionRows = ReturnType<typeof prepareActionRows>

/**
 * Writes the rows of episode actions, one at a time, which costs least. All functions belong inside a job of the write
 * queue.
 */
export function prepareActionRows(db: Database, joins: JoinedEpisodes) {
  const readFactors = prepareHashFactors(db)
  const openEpisodes = prepareOpenEpisodes(db, joins)
  const lastOfJoined = db.prepare<{ lastId: number }, [number]>(
    'SELECT last_action_id AS lastId FROM user_episodes WHERE joined_id = ?1',
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
  // Without the hash, which belongs to one row of the media URL. Only marks of a whole podcast put many actions in a second.
  const isStoredAtUrl = db.prepare<
    undefined,
    [UserId, number, number, number, number, number | null, number | null, number | null]
  >(
    `SELECT 1
       FROM (SELECT id FROM episode_actions INDEXED BY episode_actions_time
              WHERE user_id = +?1 AND at = +?2 LIMIT ${SAME_SECOND_MAX}) near
       CROSS JOIN episode_actions a ON a.id = near.id CROSS JOIN user_episodes ue ON ue.id = a.user_episode_id
      WHERE ue.episode_id = +?3 AND a.device_id = +?4 AND a.kind = +?5
        AND a.started IS +?6 AND a.position IS +?7 AND a.total IS +?8 LIMIT 1`,
  )
  const lastOfDevice = db.prepare<ProgressRow, [string, number]>(
    `${withLinked(LINKS_MAX)} SELECT a.kind, a.position, a.total FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
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

  /**
   * `seq` is the logical time of the upload, `now` the clock's. A repeated "finished" (docs/protocol.md#D86) is stored
   * only with `keepsRepeats`, and so is an exact repeat that names another guid.
   */
  function begin(
    userId: UserId,
    seq: number,
    now: number,
    { keepsRepeats = false }: { keepsRepeats?: boolean } = {},
  ): ActionUpload {
    const factors = readFactors()
    const episodes = openEpisodes(userId, now)
    const devices = new Map<string, number>()
    let uid: string | undefined
    let deviceId = 0
    let firstId = 0
    /** Of the last action of this job; 0 as long as there is none. */
    let newestId = 0
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

    function isRepeat(action: EpisodeAction, { lastId, own, joined }: UserEpisode): boolean {
      if (keepsRepeats) return false
      return isRepeatedFinish(action, (joined?.status ?? own).isFinished, () => {
        if (!joined) return wasLastFinished([lastId], deviceId)
        episodes.flush()
        return wasLastFinished(
          lastOfJoined.all(joined.id).map((row) => row.lastId),
          deviceId,
        )
      })
    }

    /** By what the user has of the guid at other media URLs, all of which must have been written. */
    function isRepeatElsewhere(action: EpisodeAction, { podcastId, guid, isGuidShared }: Media): boolean {
      if (keepsRepeats || podcastId === undefined || guid === undefined || isGuidShared) return false
      return isRepeatOf(action, joins.find(userId, podcastId, guid))
    }

    function isRepeatOf(action: EpisodeAction, other: OtherEpisode | undefined): boolean {
      if (!other || keepsRepeats) return false
      return isRepeatedFinish(action, other.status.isFinished, () => wasLastFinished(other.lastIds, deviceId))
    }

    function hashFor(action: EpisodeAction, userEpisodeId: number): number {
      const { started = null, position = null, total = null } = action
      return hashOf(factors, {
        userEpisodeId,
        deviceId,
        kind: ACTION_KINDS.indexOf(action.kind),
        started,
        position,
        total,
      })
    }

    function isStoredAt(action: EpisodeAction, userEpisodeId: number, hash: number): boolean {
      const { at, started = null, position = null, total = null } = action
      const kind = ACTION_KINDS.indexOf(action.kind)
      return isStored.get(userId, at, hash, userEpisodeId, deviceId, kind, started, position, total) !== null
    }

    /** Exact repeats compare media URLs, including those that have been several episodes. */
    function isStoredAtMedia(action: EpisodeAction, mediaId: number): boolean {
      const { at, started = null, position = null, total = null } = action
      const kind = ACTION_KINDS.indexOf(action.kind)
      return isStoredAtUrl.get(userId, at, mediaId, deviceId, kind, started, position, total) !== null
    }

    function isKnown(action: EpisodeAction, hash: number, episode: UserEpisode): boolean {
      const { id, mediaId, lastId, hasOthers } = episode
      const { at } = action
      const comparesAll = hasOthers && lastId > 0 && (action.guid === undefined || !keepsRepeats)
      if (comparesAll && isStoredAtMedia(action, mediaId)) return true
      if (!mayBeStored({ kind: ACTION_KINDS.indexOf(action.kind), at }, episode)) return false
      return isStoredAt(action, id, hash)
    }

    function write(action: EpisodeAction, episode: UserEpisode): number {
      const { at, started = null, position = null, total = null } = action
      const kind = ACTION_KINDS.indexOf(action.kind)
      const { id, lastId, joined } = episode
      const hash = hashFor(action, id)
      if (isKnown(action, hash, episode)) return 0
      const previousId = lastId === 0 ? null : lastId
      const written = insertAction.run(userId, id, deviceId, previousId, kind, at, hash, started, position, total)
      const actionId = Number(written.lastInsertRowid)
      if (count === 0) firstId = actionId
      newestId = actionId
      count++
      episode.lastId = actionId
      const row = { kind, at, position, total }
      const status = { actionId, kind, at, isFinished: isFinished(action), progressAt: progressAt(row) }
      if (tellsState(status, episode.own)) episode.own = status
      if (joined) {
        if (tellsState(status, joined.status)) joined.status = status
        joined.mediaId = episode.mediaId
        joined.hasChanged = true
      }
      if (episode.isFormer) episodes.makeCurrent(episode)
      return 1
    }

    /** Nobody else writes actions before the end of the job, so that the number of the next one is known. */
    function insert(action: EpisodeAction, found: Media, hasOthers = false): UserEpisode {
      return episodes.insert(action, found, newestId === 0 ? 0 : newestId + 1, hasOthers)
    }

    /** A media URL whose podcast has other addresses, and of which no guid is known: it may be an episode that the user has there. */
    function addUnnamed(action: EpisodeAction, found: Media): number {
      const { podcastId } = found
      if (podcastId === undefined) return write(action, insert(action, found))
      if (isRepeatOf(action, joins.findMedia(userId, podcastId, action.episode))) return 0
      const added = write(action, insert(action, found))
      episodes.settle()
      joins.joinMedia(userId, podcastId, action.episode)
      return added
    }

    function addNew(action: EpisodeAction, unheard: UnheardEpisode): number {
      const { mediaId, hasOthers } = unheard
      if (hasOthers && mediaId !== null && !keepsRepeats && isStoredAtMedia(action, mediaId)) return 0
      const plain = episodes.lookUpNew(action, unheard)
      const found = plain.hasAliases ? episodes.lookUpAliases(action, plain) : plain
      const { guid } = found
      if (guid === undefined && found.hasAliases) return addUnnamed(action, found)
      if (guid === undefined || !found.isGuidKnown) return write(action, insert(action, found, hasOthers))
      episodes.settle()
      if (isRepeatElsewhere(action, found)) return 0
      const episode = insert(action, found, hasOthers)
      const added = write(action, episode)
      episodes.settle()
      joins.join(userId, guid, episode.id)
      return added
    }

    return {
      add(action) {
        useDevice(action.device ?? '')
        const episode = episodes.open(action)
        if (!('own' in episode)) return addNew(action, episode)
        return isRepeat(action, episode) ? 0 : write(action, episode)
      },

      settle: episodes.settle,

      finish() {
        finishRun()
        episodes.settle()
        newestId = 0
      },
    }
  }

  return { begin }
}

/** A play after the last one of its episode is new, which saves most uploads the search. */
function mayBeStored({ kind, at }: StateAction, { lastId, own }: Pick<UserEpisode, 'lastId' | 'own'>): boolean {
  if (lastId === 0) return false
  return kind >= STATE_KINDS || (own.kind < STATE_KINDS && at <= own.at)
}
