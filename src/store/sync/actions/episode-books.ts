import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import {
  createEpisodeBook,
  type EpisodeBook,
  type EpisodeSource,
  type Media,
  type StoredMedia,
} from '../../../domain/sync/episodes/book.ts'
import { createActionUpload } from '../../../domain/sync/episodes/upload.ts'
import type { EpisodeAction } from '../../../domain/sync/ports/episode-actions.ts'
import type { Database } from '../../engine.ts'
import { inserted } from '../../shared/rows.ts'
import { prepareQueueRows } from '../app-data/queue-rows.ts'
import { preparePodcastIds } from '../podcast-rows.ts'
import { ACTION_KINDS } from './action-kinds.ts'
import {
  COLUMNS,
  CURRENT,
  type MediaRow,
  OF_EPISODE,
  type OpenSource,
  prepareEpisodeSource,
  toMedia,
} from './episode-source.ts'

/** Guid and join of a row of `user_episodes`. */
export interface EpisodeName {
  readonly guid: string | null
  readonly joinedId: number | null
}

/** A media URL that an upload names. */
interface Named {
  readonly podcast: string
  readonly url: string
  media: StoredMedia | undefined
}

export type EpisodeBooks = ReturnType<typeof prepareEpisodeBooks>

/**
 * Changes users' episodes: reads the rows involved, lets the domain decide, and writes the result. All functions belong
 * inside a job of the write queue.
 */
export function prepareEpisodeBooks(db: Database) {
  const openSource = prepareEpisodeSource(db)
  const podcastIds = preparePodcastIds(db)
  const mediaOf = db.prepare<MediaRow & { readonly n: number }, [UserId, string]>(
    `SELECT j.key AS n, ${COLUMNS} FROM json_each(?2) j CROSS JOIN podcasts p ON p.url = j.value ->> 0
      CROSS JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value ->> 1 ${CURRENT}`,
  )
  // Sorted, so that rows are inserted in index order.
  const insertMedia = db.prepare<undefined, [string]>(
    `INSERT INTO episodes (podcast_id, url)
     SELECT p.id, j.value ->> 1 FROM json_each(?1) j CROSS JOIN podcasts p ON p.url = j.value ->> 0 WHERE true ORDER BY 1, 2
     ON CONFLICT DO NOTHING`,
  )
  const episodeById = db.prepare<MediaRow, [UserId, number]>(
    `SELECT ${COLUMNS} FROM user_episodes ue ${OF_EPISODE} WHERE ue.id = +?2`,
  )
  const insertDevice = db.prepare<{ id: number }, [UserId, string]>(
    'INSERT INTO action_devices (user_id, uid) VALUES (?1, ?2) RETURNING id',
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

  /**
   * Lets `plan` change the user's episodes in a book, saves the changes and returns the number of added actions, whose
   * logical time is `seq`. Calls `plan` again with a new book until everything that it asks for has been read.
   */
  function change(
    userId: UserId,
    plan: (book: EpisodeBook, source: EpisodeSource) => void,
    open = openSource(userId, []),
    seq = 0,
  ): number {
    for (;;) {
      open.begin()
      const book = createEpisodeBook(open.source)
      plan(book, open.source)
      if (open.readPending()) continue
      save(userId, book.changes, open, seq)
      return book.changes.added.length
    }
  }

  function addDevice(userId: UserId, action: EpisodeAction, open: OpenSource): number {
    const { id } = inserted(insertDevice.get(userId, action.device ?? ''))
    open.noteDevice(action, id)
    return id
  }

  function save(
    userId: UserId,
    { added, states, names, joins }: EpisodeBook['changes'],
    open: OpenSource,
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
      const actionDevice = open.deviceOf(action) ?? addDevice(userId, action, open)
      if (actionDevice !== deviceId) {
        if (lastId > 0) insertUpload.run(deviceId, seq, firstId, lastId)
        deviceId = actionDevice
        firstId = id
      }
      lastId = id
      const { at, started = null, position = null, total = null } = action
      const kind = ACTION_KINDS.indexOf(action.kind)
      const hash = open.hashFor(action, episode.id, actionDevice)
      insertAction.run(
        id,
        userId,
        episode.id,
        actionDevice,
        previousId || null,
        kind,
        at,
        hash,
        started,
        position,
        total,
      )
    }
    if (lastId > 0) insertUpload.run(deviceId, seq, firstId, lastId)
    const finished = added.filter(({ id, episode: { state } }) => state?.actionId === id && state.isFinished)
    queueRows.dropFinished(
      userId,
      finished.map(({ episode }) => episode.id),
    )
  }

  /** Returns the media URL of each action, adding missing rows. `now`: Unix seconds, creation time of new podcasts. */
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
      const named = all[row.n]
      if (named) named.media = toMedia(row)
    }
  }

  return {
    /**
     * Reads the rows that an upload of `actions` needs. `now` (Unix seconds) is the creation time of new podcasts. The
     * returned function adds the actions at the logical time `seq` and returns how many were not stored yet. For
     * `keepsRepeats`, see `createActionUpload`.
     */
    openUpload(
      userId: UserId,
      actions: readonly EpisodeAction[],
      now: number,
    ): (seq: number, keepsRepeats: boolean) => number {
      const [open, named] = db.together([() => openSource(userId, actions), () => ensureMedia(userId, actions, now)])
      return (seq, keepsRepeats) =>
        change(
          userId,
          (book, source) => {
            const mediaByName = new Map<Named, Media>()
            for (const each of new Set(named)) if (each.media) mediaByName.set(each, book.take(each.media))
            const add = createActionUpload(book, source, keepsRepeats)
            for (const [n, action] of actions.entries()) {
              const media = mediaByName.get(named[n] as Named)
              if (!media) throw new Error('a media URL that was just made is gone')
              add(action, media)
            }
          },
          open,
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

    /** Updates joins after rows with these names were removed or changed. */
    mend(userId: UserId, names: readonly EpisodeName[]): void {
      change(userId, (book) => {
        for (const { guid, joinedId } of names) book.mend(guid ?? undefined, joinedId ?? undefined)
      })
    },

    /** Gives a row the current guid of its feed. `isShared` if the feed uses the guid for several episodes. */
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

const toPairs = (all: readonly Named[]) => JSON.stringify(all.map(({ podcast, url }) => [podcast, url]))
