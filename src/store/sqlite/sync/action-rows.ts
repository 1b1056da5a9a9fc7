import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import type { ActionKind, EpisodeAction } from '../../../domain/sync/ports.ts'
import { preparePodcastIds } from './podcast-rows.ts'

/** The database keeps the index. Append only. */
export const ACTION_KINDS: readonly ActionKind[] = ['play', 'new', 'download', 'delete', 'flattr']

/**
 * The first kinds tell how far somebody is; another one tells the state of an episode only if it has none of these
 * (docs/protocol.md#D45).
 */
export const STATE_KINDS = 2

/** Of an action that tells the state of an episode. */
export interface StateAction {
  readonly kind: number
  readonly at: number
}

/** Whether the action tells the state from now on, although `current` was uploaded before it. */
export function tellsState({ kind, at }: StateAction, current: StateAction): boolean {
  const isState = kind < STATE_KINDS
  return isState === current.kind < STATE_KINDS ? at >= current.at : isState
}

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
  guid: string | null
  /** 0 as long as there is none. */
  lastId: number
  stateId: number
  state: StateAction
  hasChanged: boolean
}

interface UserEpisodeRow {
  readonly id: number
  readonly guid: string | null
  readonly lastId: number
  readonly stateId: number
  readonly kind: number
  readonly at: number
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

interface LinkedRow {
  readonly id: number
  readonly userEpisodeId: number
  readonly previousId: number | null
}

/** What one request of a user adds. */
export interface ActionUpload {
  /** Tells how many rows that makes: none for what is there already exactly like this. */
  add(action: EpisodeAction): number
  /** Writes what all actions so far have in common; to be called at the end of each job. */
  finishJob(): void
}

export type ActionRows = ReturnType<typeof prepareActionRows>

const NO_STATE: StateAction = { kind: ACTION_KINDS.length, at: Number.NEGATIVE_INFINITY }

/**
 * Writes the rows of episode actions, one at a time, which costs least. All functions belong inside a job of the write
 * queue.
 */
export function prepareActionRows(db: Database) {
  const podcastIds = preparePodcastIds(db)
  const selectFactors = db.prepare<HashFactors, []>('SELECT * FROM action_hash')
  let known: HashFactors | undefined

  const findEpisode = db.prepare<UserEpisodeRow, [string, string, UserId]>(
    `SELECT ue.id, ue.guid, ue.last_action_id AS lastId, ue.state_action_id AS stateId, s.kind, s.at
       FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = +?2
       CROSS JOIN user_episodes ue ON ue.user_id = +?3 AND ue.episode_id = e.id
       CROSS JOIN episode_actions s ON s.id = ue.state_action_id
      WHERE p.url = +?1`,
  )
  const findMedia = db.prepare<{ id: number }, [PodcastId, string]>(
    'SELECT id FROM episodes WHERE podcast_id = ?1 AND url = ?2',
  )
  const insertMedia = db.prepare<undefined, [PodcastId, string]>(
    'INSERT INTO episodes (podcast_id, url) VALUES (?1, ?2)',
  )
  const insertEpisode = db.prepare<undefined, [UserId, number]>(
    'INSERT INTO user_episodes (user_id, episode_id, last_action_id, state_action_id) VALUES (?1, ?2, 0, 0)',
  )
  const updateEpisode = db.prepare<undefined, [number, string | null, number, number]>(
    'UPDATE user_episodes SET guid = ?2, last_action_id = ?3, state_action_id = ?4 WHERE id = ?1',
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
    `SELECT ue.id, ue.last_action_id AS lastId, e.url, ue.guid
       FROM podcasts p CROSS JOIN episodes e ON e.podcast_id = p.id
       CROSS JOIN user_episodes ue ON ue.user_id = +?1 AND ue.episode_id = e.id
      WHERE p.url = +?2 LIMIT ${MOVED_AT_ONCE}`,
  )
  const unlink = db.prepare<undefined, [number]>('UPDATE episode_actions SET previous_id = NULL WHERE id = ?1')
  const removeEpisode = db.prepare<undefined, [number]>('DELETE FROM user_episodes WHERE id = ?1')
  const stateOf = db.prepare<{ id: number }, [number]>(
    `${linked} SELECT a.id FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
      ORDER BY a.kind < ${STATE_KINDS} DESC, a.at DESC, a.id DESC LIMIT 1`,
  )
  const relink = db.prepare<undefined, [number, number, number]>(
    'UPDATE user_episodes SET last_action_id = ?2, state_action_id = ?3 WHERE id = ?1',
  )

  const findOrInsertDevice = (userId: UserId, uid: string) =>
    findDevice.get(userId, uid)?.id ?? Number(insertDevice.run(userId, uid).lastInsertRowid)

  function openEpisode(userId: UserId, { podcast, episode }: EpisodeAction, now: number): UserEpisode {
    const row = findEpisode.get(podcast, episode, userId)
    if (row) {
      const { id, guid, lastId, stateId, kind, at } = row
      return { id, guid, lastId, stateId, state: { kind, at }, hasChanged: false }
    }
    const podcastId = podcastIds.ensure(podcast, now)
    const mediaId = findMedia.get(podcastId, episode)?.id ?? Number(insertMedia.run(podcastId, episode).lastInsertRowid)
    const id = Number(insertEpisode.run(userId, mediaId).lastInsertRowid)
    return { id, guid: null, lastId: 0, stateId: 0, state: NO_STATE, hasChanged: false }
  }

  function relinkTo(userEpisodeId: number, lastId: number | null): void {
    const state = lastId === null ? null : stateOf.get(lastId)
    if (lastId === null || !state) removeEpisode.run(userEpisodeId)
    else relink.run(userEpisodeId, lastId, state.id)
  }

  /** Read with the first upload: a damaged page must not keep the server from starting. */
  function readFactors(): HashFactors {
    known ??= selectFactors.get() ?? undefined
    if (!known) throw new Error('the table action_hash has no row')
    return known
  }

  /** `seq` is the logical time of the upload, `now` the clock's. */
  function begin(userId: UserId, seq: number, now: number): ActionUpload {
    const factors = readFactors()
    const episodes = new Map<string, UserEpisode>()
    const devices = new Map<string, number>()
    let uid: string | undefined
    let deviceId = 0
    let firstId = 0
    let count = 0

    function finishRun(): void {
      if (count > 0) insertUpload.run(deviceId, seq, firstId, count)
      count = 0
    }

    return {
      add(action) {
        const { kind: name, at, device = '', guid, started = null, position = null, total = null } = action
        if (device !== uid) {
          finishRun()
          uid = device
          deviceId = devices.get(device) ?? findOrInsertDevice(userId, device)
          devices.set(device, deviceId)
        }
        const key = `${action.podcast}\n${action.episode}`
        let episode = episodes.get(key)
        if (!episode) {
          episode = openEpisode(userId, action, now)
          episodes.set(key, episode)
        }
        const kind = ACTION_KINDS.indexOf(name)
        const { id, lastId } = episode
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
        if (guid !== undefined) episode.guid = guid
        if (tellsState({ kind, at }, episode.state)) {
          episode.stateId = actionId
          episode.state = { kind, at }
        }
        return 1
      },

      finishJob() {
        finishRun()
        for (const { id, guid, lastId, stateId, hasChanged } of episodes.values())
          if (hasChanged) updateEpisode.run(id, guid, lastId, stateId)
        episodes.clear()
      },
    }
  }

  return {
    begin,

    /**
     * Uploads a part of what the user has told of one podcast again for another, as the same media files of that one,
     * and removes it from the first; an exact duplicate stays what it is. Tells how many actions are gone there, and
     * how many more there are now.
     */
    move(
      userId: UserId,
      { from, to }: { readonly from: string; readonly to: string },
      seq: number,
      now: number,
    ): { readonly moved: number; readonly added: number } {
      const upload = begin(userId, seq, now)
      let moved = 0
      let added = 0
      for (const { id: userEpisodeId, lastId, url, guid } of episodesOfPodcast.all(userId, from)) {
        if (moved === MOVED_AT_ONCE) break
        const actions = actionsOf.all(lastId)
        const some = actions.slice(0, MOVED_AT_ONCE - moved)
        for (const { id, kind, at, device, ...seconds } of some) {
          added += upload.add({
            podcast: to,
            episode: url,
            kind: ACTION_KINDS[kind] ?? 'new',
            at,
            device,
            guid: guid ?? undefined,
            started: seconds.started ?? undefined,
            position: seconds.position ?? undefined,
            total: seconds.total ?? undefined,
          })
          removeRows.run(id, id + 1)
        }
        const next = actions[some.length]
        if (next) unlink.run(next.id)
        relinkTo(userEpisodeId, next ? lastId : null)
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
      for (const [userEpisodeId, lastId] of lasts) relinkTo(userEpisodeId, lastId)
      return true
    },
  }
}

/** A play after the last one of its episode is new, which saves most uploads the search. */
function mayBeStored({ kind, at }: StateAction, { lastId, state }: UserEpisode): boolean {
  if (lastId === 0) return false
  return kind >= STATE_KINDS || (state.kind < STATE_KINDS && at <= state.at)
}
