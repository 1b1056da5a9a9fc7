import type { Database } from 'bun:sqlite'
import type { PodcastId, UserId } from '../../../../domain/shared/ids.ts'
import {
  createEpisodeBook,
  type EpisodeBook,
  type EpisodeSource,
  type Media,
  NAMED_MAX,
  type Status,
  type StoredMedia,
} from '../../../../domain/sync/episodes/book.ts'
import { createActionUpload } from '../../../../domain/sync/episodes/upload.ts'
import type { EpisodeAction } from '../../../../domain/sync/ports/episode-actions.ts'
import { prepareQueueRows } from '../app-data/queue-rows.ts'
import { preparePodcastIds } from '../podcast-rows.ts'
import { withLinked } from './action-columns.ts'
import { hashOf, prepareHashFactors } from './action-hash.ts'
import { ACTION_KINDS, isFinishedRow, type ProgressRow, progressAt, STATE_KINDS } from './action-kinds.ts'
import { IS_SHARED_GUID } from './joined-episodes.ts'

/** Actions of one episode among which the last one of a device is looked for. */
const LINKS_MAX = 1000
/** Actions of one second that are compared if a media URL has been several episodes. */
const SAME_SECOND_MAX = 1000

interface StateRow {
  readonly stateId: number | null
  readonly kind: number
  readonly at: number
  readonly position: number | null
  readonly total: number | null
}

interface MediaRow extends StateRow {
  readonly mediaId: number
  readonly podcastId: PodcastId
  readonly url: string
  readonly hasAliases: number
  readonly feedGuid: string | null
  readonly isFeedGuidShared: number | null
  readonly hasFormer: number
  readonly id: number | null
  readonly guid: string | null
  readonly isFormer: number
  readonly isHidden: number
  readonly joinedId: number | null
  readonly lastId: number
}

/** Guid and join of a row of `user_episodes`. */
export interface EpisodeName {
  readonly guid: string | null
  readonly joinedId: number | null
}

/** A media URL that an upload names. */
interface Named {
  readonly podcast: string
  readonly url: string
  media: Media | undefined
}

const STATE = 's.id AS stateId, s.kind, s.at, s.position, s.total'

/** SQL: the columns of a `MediaRow` of user 1, for podcasts `p`, media URLs `e` and `STORED`. */
const COLUMNS = `e.id AS mediaId, e.podcast_id AS podcastId, e.url, p.has_aliases AS hasAliases,
  NULLIF(d.guid, '') AS feedGuid, ${IS_SHARED_GUID} AS isFeedGuidShared,
  ue.id IS NOT NULL AND EXISTS (SELECT 1 FROM user_episodes f WHERE f.user_id = +?1 AND f.episode_id = e.id AND f.is_former = 1) AS hasFormer,
  ue.id, ue.guid, ue.is_former AS isFormer, ue.is_guid_hidden AS isHidden, ue.joined_id AS joinedId, ue.last_action_id AS lastId, ${STATE}`

/** SQL: joins the state of the episode, and the feed's details only where they are needed. */
const STORED = `LEFT JOIN episode_actions s ON s.id = ue.state_action_id
  LEFT JOIN episode_details d ON d.episode_id = e.id AND (ue.guid IS NULL OR ${IS_SHARED_GUID})`

const CURRENT = `LEFT JOIN user_episodes ue ON ue.user_id = +?1 AND ue.episode_id = e.id AND ue.is_former = 0 ${STORED}`

const OF_EPISODE = `CROSS JOIN episodes e ON e.id = ue.episode_id CROSS JOIN podcasts p ON p.id = e.podcast_id ${STORED}`

export type EpisodeBooks = ReturnType<typeof prepareEpisodeBooks>

/**
 * Changes of users' episodes: what they need is read, the domain decides, and what it has changed is written. All
 * functions belong inside a job of the write queue.
 */
export function prepareEpisodeBooks(db: Database) {
  const readFactors = prepareHashFactors(db)
  const podcastIds = preparePodcastIds(db)
  const mediaOf = db.prepare<MediaRow & { readonly n: number }, [UserId, string]>(
    `SELECT j.key AS n, ${COLUMNS} FROM json_each(?2) j CROSS JOIN podcasts p ON p.url = j.value ->> 0
      CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value ->> 1 ${CURRENT}`,
  )
  // Sorted, so that the rows go into the index in its own order.
  const insertMedia = db.prepare<undefined, [string]>(
    `INSERT INTO episodes (podcast_id, url)
     SELECT p.id, j.value ->> 1 FROM json_each(?1) j CROSS JOIN podcasts p ON p.url = j.value ->> 0 WHERE true ORDER BY 1, 2
     ON CONFLICT DO NOTHING`,
  )
  const named = db.prepare<MediaRow, [UserId, string]>(
    `SELECT ${COLUMNS} FROM user_episodes ue INDEXED BY user_episodes_guid ${OF_EPISODE}
      WHERE ue.user_id = +?1 AND ue.guid = +?2 ORDER BY ue.id LIMIT ${NAMED_MAX}`,
  )
  const former = db.prepare<MediaRow, [UserId, number, string]>(
    `SELECT ${COLUMNS} FROM user_episodes ue ${OF_EPISODE}
      WHERE ue.user_id = +?1 AND ue.episode_id = +?2 AND ue.guid = +?3 AND ue.is_former = 1`,
  )
  const sameMedia = db.prepare<MediaRow, [UserId, PodcastId, string]>(
    `SELECT ${COLUMNS}
       FROM (SELECT +?2 AS id UNION ALL SELECT r.other_id FROM address_relations r WHERE r.podcast_id = +?2) a
      CROSS JOIN podcasts p ON p.id = a.id CROSS JOIN episodes e ON e.podcast_id = a.id AND e.url = +?3 ${CURRENT}`,
  )
  const members = db.prepare<MediaRow, [UserId, number]>(
    `SELECT ${COLUMNS} FROM user_episodes ue ${OF_EPISODE} WHERE ue.joined_id = +?2`,
  )
  const episodeById = db.prepare<MediaRow, [UserId, number]>(
    `SELECT ${COLUMNS} FROM user_episodes ue ${OF_EPISODE} WHERE ue.id = +?2`,
  )
  const joined = db.prepare<StateRow & { readonly mediaId: number }, [number]>(
    `SELECT j.media_id AS mediaId, ${STATE} FROM joined_episodes j LEFT JOIN episode_actions s ON s.id = j.state_action_id
      WHERE j.id = +?1`,
  )
  const related = db.prepare<{ id: PodcastId; other: PodcastId }, [string]>(
    `SELECT r.podcast_id AS id, r.other_id AS other
       FROM json_each(?1) j CROSS JOIN address_relations r ON r.podcast_id = j.value`,
  )
  const isStored = db.prepare<
    undefined,
    [UserId, number, number, number, number, number, number | null, number | null, number | null]
  >(
    `SELECT 1 FROM episode_actions INDEXED BY episode_actions_time
      WHERE user_id = +?1 AND at = +?2 AND hash = +?3 AND user_episode_id = +?4 AND device_id = +?5 AND kind = +?6
        AND started IS +?7 AND position IS +?8 AND total IS +?9`,
  )
  // Without the hash, which belongs to one row of the media URL. Only marks of a whole podcast put many actions in a second.
  const isStoredAtMedia = db.prepare<
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
  const findDevice = db.prepare<{ id: number }, [UserId, string]>(
    'SELECT id FROM action_devices WHERE user_id = ?1 AND uid = ?2',
  )
  const insertDevice = db.prepare<undefined, [UserId, string]>(
    'INSERT INTO action_devices (user_id, uid) VALUES (?1, ?2)',
  )
  const lastIn = (table: string) => db.prepare<{ id: number | null }, []>(`SELECT MAX(id) AS id FROM ${table}`)
  const lastAction = lastIn('episode_actions')
  const lastEpisode = lastIn('user_episodes')
  const lastJoin = lastIn('joined_episodes')
  const insertEpisode = db.prepare<
    undefined,
    [number, UserId, number, string | null, number, number, number, number, number | null, number | null]
  >(
    `INSERT INTO user_episodes
       (id, user_id, episode_id, guid, is_former, is_guid_hidden, last_action_id, state_action_id, progress_at, joined_id)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
  )
  const updateState = db.prepare<undefined, [number, number, number, number | null]>(
    'UPDATE user_episodes SET last_action_id = ?2, state_action_id = ?3, progress_at = ?4 WHERE id = ?1',
  )
  const updateName = db.prepare<undefined, [number, string | null, number, number, number | null]>(
    'UPDATE user_episodes SET guid = ?2, is_former = ?3, is_guid_hidden = ?4, joined_id = ?5 WHERE id = ?1',
  )
  const writeJoin = db.prepare<undefined, [number, UserId, number, number, number | null]>(
    `INSERT INTO joined_episodes (id, user_id, media_id, state_action_id, progress_at) VALUES (?1, ?2, ?3, ?4, ?5)
     ON CONFLICT (id) DO UPDATE SET media_id = excluded.media_id, state_action_id = excluded.state_action_id, progress_at = excluded.progress_at`,
  )
  const removeEmptyJoin = db.prepare<undefined, [number]>(
    'DELETE FROM joined_episodes WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM user_episodes WHERE joined_id = +?1)',
  )
  const insertAction = db.prepare<
    undefined,
    [number, UserId, number, number, number | null, number, number, number, number | null, number | null, number | null]
  >(
    `INSERT INTO episode_actions
       (id, user_id, user_episode_id, device_id, previous_id, kind, at, hash, started, position, total)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
  )
  const queueRows = prepareQueueRows(db)
  const insertUpload = db.prepare<undefined, [number, number, number, number]>(
    'INSERT INTO action_uploads (device_id, seq, first_id, last_id) VALUES (?1, ?2, ?3, ?4)',
  )

  function open(userId: UserId) {
    const devices = new Map<string, number>()

    function deviceOf({ device = '' }: EpisodeAction): number {
      const known = devices.get(device)
      if (known !== undefined) return known
      const id = findDevice.get(userId, device)?.id ?? Number(insertDevice.run(userId, device).lastInsertRowid)
      devices.set(device, id)
      return id
    }

    function hashFor(action: EpisodeAction, userEpisodeId: number, deviceId: number): number {
      const { started = null, position = null, total = null } = action
      const kind = ACTION_KINDS.indexOf(action.kind)
      return hashOf(readFactors(), { userEpisodeId, deviceId, kind, started, position, total })
    }

    const source: EpisodeSource = {
      named: (guid) => named.all(userId, guid).map(toMedia),
      former(mediaId, guid) {
        const row = former.get(userId, mediaId, guid)
        return row ? toMedia(row) : undefined
      },
      sameMedia: (podcastId, url) => sameMedia.all(userId, podcastId, url).map(toMedia),
      joined(id) {
        const row = joined.get(id)
        return row ? { mediaId: row.mediaId, state: toStatus(row) } : undefined
      },
      members: (joinedId) => members.all(userId, joinedId).map(toMedia),
      related: (ids) => related.all(JSON.stringify([...ids])).map(({ id, other }) => [id, other]),
      isStored(action, id) {
        const { at, started = null, position = null, total = null } = action
        const deviceId = deviceOf(action)
        const hash = hashFor(action, id, deviceId)
        const kind = ACTION_KINDS.indexOf(action.kind)
        return isStored.get(userId, at, hash, id, deviceId, kind, started, position, total) !== null
      },
      isStoredAtMedia(action, mediaId) {
        const { at, started = null, position = null, total = null } = action
        const kind = ACTION_KINDS.indexOf(action.kind)
        return isStoredAtMedia.get(userId, at, mediaId, deviceOf(action), kind, started, position, total) !== null
      },
      wasLastFinished(action, lastIds) {
        const row = lastOfDevice.get(JSON.stringify(lastIds), deviceOf(action))
        return row !== null && isFinishedRow(row)
      },
      nextAction: ascending(lastAction),
      nextEpisode: ascending(lastEpisode),
      nextJoin: ascending(lastJoin),
    }
    const book = createEpisodeBook(source)

    /** `seq` is the logical time of the actions that have been added. */
    function save(seq = 0): void {
      const { added, states, names, joins } = book.changes
      for (const episode of states) {
        const { id, media, guid, isFormer, isHidden, lastId, state, joined, storedLastId } = episode
        const stateId = state?.actionId ?? lastId
        const progress = state?.progressAt ?? null
        if (storedLastId > 0) updateState.run(id, lastId, stateId, progress)
        else
          insertEpisode.run(
            ...([id, userId, media.id, guid ?? null, Number(isFormer), Number(isHidden)] as const),
            ...([lastId, stateId, progress, joined?.id ?? null] as const),
          )
      }
      for (const { id, guid, isFormer, isHidden, joined, storedLastId } of names)
        if (storedLastId > 0) updateName.run(id, guid ?? null, Number(isFormer), Number(isHidden), joined?.id ?? null)
      for (const { id, mediaId, state } of joins) {
        if (state) writeJoin.run(id, userId, mediaId, state.actionId, state.progressAt ?? null)
        removeEmptyJoin.run(id)
      }
      let deviceId = 0
      let firstId = 0
      let lastId = 0
      for (const { id, episode, previousId, action } of added) {
        const of = deviceOf(action)
        if (of !== deviceId) {
          if (lastId > 0) insertUpload.run(deviceId, seq, firstId, lastId)
          deviceId = of
          firstId = id
        }
        lastId = id
        const { at, started = null, position = null, total = null } = action
        const kind = ACTION_KINDS.indexOf(action.kind)
        const hash = hashFor(action, episode.id, of)
        insertAction.run(id, userId, episode.id, of, previousId || null, kind, at, hash, started, position, total)
      }
      if (lastId > 0) insertUpload.run(deviceId, seq, firstId, lastId)
      const heard = added.filter(({ id, episode: { state } }) => state?.actionId === id && state.isFinished)
      queueRows.dropHeard(
        userId,
        heard.map(({ episode }) => episode.id),
      )
    }

    return { book, source, save }
  }

  /** The media URL of each action. `now` (Unix seconds) becomes the creation time of podcasts that are new to the server. */
  function ensureMedia(userId: UserId, book: EpisodeBook, actions: readonly EpisodeAction[], now: number): Named[] {
    const byUrl = new Map<string, Named[]>()
    const all: Named[] = []
    let last: Named | undefined
    const each = actions.map(({ podcast, episode: url }) => {
      if (last?.url === url && last.podcast === podcast) return last
      const same = byUrl.get(url)
      last = same?.find((one) => one.podcast === podcast)
      if (last) return last
      last = { podcast, url, media: undefined }
      all.push(last)
      if (same) same.push(last)
      else byUrl.set(url, [last])
      return last
    })
    read(userId, book, all)
    const missing = all.filter(({ media }) => !media)
    if (missing.length > 0) {
      podcastIds.ensureAddresses([...new Set(missing.map(({ podcast }) => podcast))], now)
      insertMedia.run(toPairs(missing))
      read(userId, book, missing)
    }
    return each
  }

  function read(userId: UserId, book: EpisodeBook, all: readonly Named[]): void {
    if (all.length === 0) return
    for (const row of mediaOf.all(userId, toPairs(all))) {
      const of = all[row.n]
      if (of) of.media = book.take(toMedia(row))
    }
  }

  return {
    /**
     * Adds actions of the logical time `seq`; `now` is the clock's. Returns how many were not stored yet. For
     * `keepsRepeats` see `createActionUpload`.
     */
    upload(
      userId: UserId,
      actions: readonly EpisodeAction[],
      { seq, now, keepsRepeats }: { readonly seq: number; readonly now: number; readonly keepsRepeats: boolean },
    ): number {
      const { book, source, save } = open(userId)
      const named = ensureMedia(userId, book, actions, now)
      const add = createActionUpload(book, source, keepsRepeats)
      actions.forEach((action, n) => {
        const media = named[n]?.media
        if (!media) throw new Error('a media URL that was just made is gone')
        add(action, media)
      })
      save(seq)
      return book.changes.added.length
    },

    /** Joins or separates the user's rows of these media URLs at all addresses of their podcast. */
    joinMedia(userId: UserId, podcastId: PodcastId, urls: readonly string[]): void {
      const { book, source, save } = open(userId)
      for (const url of urls) {
        const media = source.sameMedia(podcastId, url).find((each) => each.podcastId === podcastId)
        if (media) book.joinMedia(book.take(media))
      }
      save()
    },

    /** Joins or separates the user's rows with these guids. */
    join(userId: UserId, guids: readonly string[]): void {
      const { book, save } = open(userId)
      for (const guid of guids) book.join(guid)
      save()
    },

    /** Updates joins after rows with these names have gone or changed. */
    mend(userId: UserId, names: readonly EpisodeName[]): void {
      const { book, save } = open(userId)
      for (const { guid, joinedId } of names) book.mend(guid ?? undefined, joinedId ?? undefined)
      save()
    },

    /** Gives a row the guid that its feed has now, for several episodes if it `isShared`. */
    rename(userId: UserId, id: number, guid: string, isShared: boolean): void {
      const row = episodeById.get(userId, id)
      if (!row) return
      const { book, save } = open(userId)
      book.take({ ...toMedia(row), feedGuid: guid, isFeedGuidShared: isShared })
      const episode = book.episode(id)
      if (episode) book.rename(episode, guid)
      save()
    },
  }
}

/** Counts up from the largest row number, which is read on first use. Nothing else adds rows during the job. */
function ascending(last: { get(): { readonly id: number | null } | null }): () => number {
  let id: number | undefined
  return () => {
    id = (id ?? last.get()?.id ?? 0) + 1
    return id
  }
}

const toPairs = (all: readonly Named[]) => JSON.stringify(all.map(({ podcast, url }) => [podcast, url]))

function toMedia(row: MediaRow): StoredMedia {
  const { id, mediaId, podcastId, url, guid, feedGuid, joinedId, lastId } = row
  return {
    id: mediaId,
    podcastId,
    url,
    hasAliases: row.hasAliases === 1,
    feedGuid: feedGuid ?? undefined,
    isFeedGuidShared: row.isFeedGuidShared === 1,
    hasFormer: row.hasFormer === 1,
    episode:
      id === null
        ? undefined
        : {
            id,
            guid: guid ?? undefined,
            isFormer: row.isFormer === 1,
            isHidden: row.isHidden === 1,
            joinedId: joinedId ?? undefined,
            lastId,
            state: toStatus(row),
          },
  }
}

function toStatus(row: StateRow): Status | undefined {
  const { stateId, kind, at } = row
  return stateId === null
    ? undefined
    : {
        actionId: stateId,
        isState: kind < STATE_KINDS,
        at,
        isFinished: isFinishedRow(row),
        progressAt: progressAt(row) ?? undefined,
      }
}
