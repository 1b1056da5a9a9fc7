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

/** The last numbers of rows. Nothing else adds rows during a job. */
interface NextNumbers {
  action: number
  episode: number
  join: number
}

/** A media URL that an upload names. */
interface Named {
  readonly podcast: string
  readonly url: string
  media: StoredMedia | undefined
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
  const lastNumbers = db.prepare<NextNumbers, []>(
    `SELECT IFNULL((SELECT MAX(id) FROM episode_actions), 0) AS action,
            IFNULL((SELECT MAX(id) FROM user_episodes), 0) AS episode,
            IFNULL((SELECT MAX(id) FROM joined_episodes), 0) AS "join"`,
  )
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

  function createDevices(userId: UserId) {
    const found = new Map<string, number | undefined>()
    function find({ device = '' }: EpisodeAction): number | undefined {
      if (!found.has(device)) found.set(device, findDevice.get(userId, device)?.id)
      return found.get(device)
    }
    return {
      find,
      ensure(action: EpisodeAction): number {
        const { device = '' } = action
        const id = find(action) ?? Number(insertDevice.run(userId, device).lastInsertRowid)
        found.set(device, id)
        return id
      },
    }
  }

  function hashFor(action: EpisodeAction, userEpisodeId: number, deviceId: number): number {
    const { started = null, position = null, total = null } = action
    const kind = ACTION_KINDS.indexOf(action.kind)
    return hashOf(readFactors(), { userEpisodeId, deviceId, kind, started, position, total })
  }

  /** What a user has stored, read after it has been asked for (see `Answers`). */
  function createSource(
    userId: UserId,
    answers: Answers,
    devices: ReturnType<typeof createDevices>,
    next: NextNumbers,
  ): EpisodeSource {
    const relatedTo = answers.to((ids: string) => related.all(ids).map(({ id, other }) => [id, other] as const), [])
    const wasFinished = answers.to((action: EpisodeAction, lastIds: string) => {
      const deviceId = devices.find(action)
      const row = deviceId === undefined ? null : lastOfDevice.get(lastIds, deviceId)
      return row !== null && isFinishedRow(row)
    }, false)
    return {
      named: answers.to((guid: string) => named.all(userId, guid).map(toMedia), []),
      former: answers.to((mediaId: number, guid: string) => {
        const row = former.get(userId, mediaId, guid)
        return row ? toMedia(row) : undefined
      }, undefined),
      sameMedia: answers.to(
        (podcastId: PodcastId, url: string) => sameMedia.all(userId, podcastId, url).map(toMedia),
        [],
      ),
      joined: answers.to((id: number) => {
        const row = joined.get(id)
        return row ? { mediaId: row.mediaId, state: toStatus(row) } : undefined
      }, undefined),
      members: answers.to((joinedId: number) => members.all(userId, joinedId).map(toMedia), []),
      related: (ids: Iterable<PodcastId>) => relatedTo(JSON.stringify([...ids])),
      isStored: answers.to((action: EpisodeAction, id: number) => {
        const { at, started = null, position = null, total = null } = action
        const deviceId = devices.find(action)
        if (deviceId === undefined) return false
        const hash = hashFor(action, id, deviceId)
        const kind = ACTION_KINDS.indexOf(action.kind)
        return isStored.get(userId, at, hash, id, deviceId, kind, started, position, total) !== null
      }, false),
      isStoredAtMedia: answers.to((action: EpisodeAction, mediaId: number) => {
        const { at, started = null, position = null, total = null } = action
        const deviceId = devices.find(action)
        if (deviceId === undefined) return false
        const kind = ACTION_KINDS.indexOf(action.kind)
        return isStoredAtMedia.get(userId, at, mediaId, deviceId, kind, started, position, total) !== null
      }, false),
      wasLastFinished: (action: EpisodeAction, lastIds: readonly number[]) =>
        wasFinished(action, JSON.stringify(lastIds)),
      nextAction: () => ++next.action,
      nextEpisode: () => ++next.episode,
      nextJoin: () => ++next.join,
    }
  }

  /**
   * Has `plan` change the user's episodes in a book, and saves what it has changed; `seq` is the logical time of actions
   * that it adds. It plans again, in a new book, until all that it asks for has been read.
   */
  function change(userId: UserId, plan: (book: EpisodeBook, source: EpisodeSource) => void, seq = 0): number {
    const answers = createAnswers()
    const devices = createDevices(userId)
    const { action = 0, episode = 0, join = 0 } = lastNumbers.get() ?? {}
    const next = { action, episode, join }
    const source = createSource(userId, answers, devices, next)
    for (;;) {
      Object.assign(next, { action, episode, join })
      const book = createEpisodeBook(source)
      plan(book, source)
      if (answers.readAsked()) continue
      save(userId, book.changes, devices, seq)
      return book.changes.added.length
    }
  }

  function save(
    userId: UserId,
    { added, states, names, joins }: EpisodeBook['changes'],
    devices: ReturnType<typeof createDevices>,
    seq: number,
  ): void {
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
      const of = devices.ensure(action)
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

  /** The media URL of each action. `now` (Unix seconds) becomes the creation time of podcasts that are new to the server. */
  function ensureMedia(userId: UserId, actions: readonly EpisodeAction[], now: number): Named[] {
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
    read(userId, all)
    const missing = all.filter(({ media }) => !media)
    if (missing.length > 0) {
      podcastIds.ensureAddresses([...new Set(missing.map(({ podcast }) => podcast))], now)
      insertMedia.run(toPairs(missing))
      read(userId, missing)
    }
    return each
  }

  function read(userId: UserId, all: readonly Named[]): void {
    if (all.length === 0) return
    for (const row of mediaOf.all(userId, toPairs(all))) {
      const of = all[row.n]
      if (of) of.media = toMedia(row)
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
      const named = ensureMedia(userId, actions, now)
      return change(
        userId,
        (book, source) => {
          const taken = new Map<Named, Media>()
          for (const each of new Set(named)) if (each.media) taken.set(each, book.take(each.media))
          const add = createActionUpload(book, source, keepsRepeats)
          for (const [n, action] of actions.entries()) {
            const media = taken.get(named[n] as Named)
            if (!media) throw new Error('a media URL that was just made is gone')
            add(action, media)
          }
        },
        seq,
      )
    },

    /** Joins or separates the user's rows of these media URLs at all addresses of their podcast. */
    joinMedia(userId: UserId, podcastId: PodcastId, urls: readonly string[]): void {
      change(userId, (book, source) => {
        for (const url of urls) {
          const media = source.sameMedia(podcastId, url).find((each) => each.podcastId === podcastId)
          if (media) book.joinMedia(book.take(media))
        }
      })
    },

    /** Joins or separates the user's rows with these guids. */
    join(userId: UserId, guids: readonly string[]): void {
      change(userId, (book) => {
        for (const guid of guids) book.join(guid)
      })
    },

    /** Updates joins after rows with these names have gone or changed. */
    mend(userId: UserId, names: readonly EpisodeName[]): void {
      change(userId, (book) => {
        for (const { guid, joinedId } of names) book.mend(guid ?? undefined, joinedId ?? undefined)
      })
    },

    /** Gives a row the guid that its feed has now, for several episodes if it `isShared`. */
    rename(userId: UserId, id: number, guid: string, isShared: boolean): void {
      const row = episodeById.get(userId, id)
      if (!row) return
      change(userId, (book) => {
        book.take({ ...toMedia(row), feedGuid: guid, isFeedGuidShared: isShared })
        const episode = book.episode(id)
        if (episode) book.rename(episode, guid)
      })
    },
  }
}

type Answers = ReturnType<typeof createAnswers>

/**
 * Answers of the database to a plan that cannot wait for them. What has not been read is noted and answered for the time
 * being as if nothing were stored; once it is read, the plan has to be made again.
 */
function createAnswers() {
  let asked: (() => void)[] = []
  return {
    /** The function `read`, which is called after its result has been asked for. Until then the result is `nothing`. */
    to<First, Second, Result>(read: (first: First, second: Second) => Result, nothing: Result) {
      let known: Map<First, Map<Second | undefined, Result>> | undefined
      return (...[first, second]: undefined extends Second ? [First, Second?] : [First, Second]): Result => {
        known ??= new Map()
        let results = known.get(first)
        if (!results) {
          results = new Map()
          known.set(first, results)
        }
        const found = results.get(second)
        if (found !== undefined || results.has(second)) return found as Result
        results.set(second, nothing)
        asked.push(() => results.set(second, read(first, second as Second)))
        return nothing
      }
    },

    /** Reads what has been asked for; false if everything was known. */
    readAsked(): boolean {
      const now = asked
      asked = []
      for (const read of now) read()
      return now.length > 0
    },
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
