import type { UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { sortInTurns } from '../../../domain/shared/sort-in-turns.ts'
import type { ActionQuery, Chunks, EpisodeAction } from '../../../domain/sync/ports/episode-actions.ts'
import { nextTurn } from '../../../platform/clock.ts'
import type { Database, Snapshot } from '../../engine.ts'
import { orderedBy } from '../../shared/sql.ts'
import {
  type ActionRow,
  COLUMNS,
  type EpisodeRow,
  type KeyRow,
  type NumberRow,
  rowToAction,
  toAction,
} from './action-columns.ts'
import { STATE_KINDS, tellsState } from './action-kinds.ts'
import { prepareActionsByTime } from './actions-by-time.ts'
import { OWN_GUID, SHOWN_GUID, SHOWN_MEDIA, SHOWN_PODCAST } from './joined-episodes.ts'

interface StateRow {
  readonly userEpisodeId: number
  /** Row of `joined_episodes`; null for an episode with one media URL. */
  readonly joinedId: number | null
  readonly lastId: number
  readonly kind: number
  readonly id: number
  readonly at: number
}

/** Position of a row in the index of a user's episodes. */
interface PlaceOfEpisode {
  readonly id: number
  readonly episodeId: number
  readonly isFormer: number
}

interface UploadRow {
  readonly seq: number
  readonly firstId: number
  readonly lastId: number
}

/** Row numbers of the first and last action that an answer may hold. `last` is fixed when reading begins. */
interface Bounds {
  readonly first: number
  readonly last: number
}

/** Position of an action in an answer. */
type Place = Pick<KeyRow, 'id' | 'at'>

/** Shorter lists are read and sorted at once; longer ones are read in chunks of this many rows. */
const CHUNK = 1000

/** Keys that are read before other work gets a turn of the event loop. */
const KEYS_AT_ONCE = 4000

/** Media URLs per query for others of the same episode. An episode can have up to 64. */
const JOINED_AT_ONCE = 250

/** Places that may be sorted in memory. More than these must be less than a quarter of the history. */
const SORTED_MAX = 5000

const BY_TIME = (one: Place, other: Place) => one.at - other.at || one.id - other.id

const EPISODE = `CROSS JOIN user_episodes ue ON ue.id = a.user_episode_id
       ${SHOWN_MEDIA} CROSS JOIN podcasts p ON p.id = e.podcast_id`
const KEYS = 'a.id, a.at, a.user_episode_id AS userEpisodeId, a.kind, a.device_id AS deviceId'
const NUMBERS = `${KEYS}, a.started, a.position, a.total`

/**
 * The cost of an answer depends on its length, not on the history: recent actions, those of a device and those of a
 * podcast are each found through an index. Only the whole history is walked by time. Long answers are read while they
 * are sent, without holding a read transaction; later uploads are left out, since the next answer contains them
 * (docs/protocol.md#D14).
 */
export function createActionReader(db: Database, snapshot: Snapshot) {
  // The usual request of an app. Rows come in the order of their upload and are sorted afterwards.
  const recent = db.prepare<ActionRow, [UserId, number]>(
    `SELECT ${COLUMNS}
       FROM action_devices d CROSS JOIN action_uploads u ON u.device_id = d.id AND u.seq >= +?2
       CROSS JOIN episode_actions a ON a.id BETWEEN u.first_id AND u.last_id AND a.device_id = u.device_id ${EPISODE}
      WHERE d.user_id = +?1 LIMIT ${CHUNK + 1}`,
  )
  const rowsById = db.prepare<ActionRow, [UserId, string]>(
    orderedBy(
      'j.key',
      `SELECT ${COLUMNS} FROM json_each(?2) j CROSS JOIN episode_actions a ON a.id = CAST(j.value AS INTEGER) AND a.user_id = +?1 ${EPISODE}
         CROSS JOIN action_devices d ON d.id = a.device_id`,
    ),
  )
  const numbersById = db.prepare<NumberRow, [UserId, string]>(
    orderedBy(
      'j.key',
      `SELECT ${NUMBERS} FROM json_each(?2) j CROSS JOIN episode_actions a ON a.id = CAST(j.value AS INTEGER) AND a.user_id = +?1`,
    ),
  )
  const actionsByTime = prepareActionsByTime(db, snapshot)
  const prepareEpisodes = (guid: string) =>
    db.prepare<EpisodeRow, [string]>(
      `SELECT ue.id, ${guid} AS guid, e.url, e.podcast_id AS podcastId
         FROM json_each(?1) j CROSS JOIN user_episodes ue ON ue.id = CAST(j.value AS INTEGER) ${SHOWN_MEDIA}`,
    )
  const episodesById = prepareEpisodes(SHOWN_GUID)
  const archivedById = prepareEpisodes(OWN_GUID)
  const podcastsById = db.prepare<{ id: number; url: string }, [UserId, string]>(
    `SELECT p.id, ${SHOWN_PODCAST} AS url FROM json_each(?2) j CROSS JOIN podcasts p ON p.id = CAST(j.value AS INTEGER)`,
  )
  const bounds = db.prepare<{ first: number | null; last: number | null }, [UserId, number]>(
    `SELECT MIN((SELECT u.first_id FROM action_uploads u WHERE u.device_id = d.id AND u.seq >= +?2 ORDER BY u.seq, u.first_id LIMIT 1)) AS first,
            MAX((SELECT u.last_id FROM action_uploads u WHERE u.device_id = d.id ORDER BY u.seq DESC, u.first_id DESC LIMIT 1)) AS last
       FROM action_devices d WHERE d.user_id = +?1`,
  )
  const countOf = db.prepare<{ count: number }, [UserId]>('SELECT action_count AS count FROM users WHERE id = ?1')
  const devicesOf = db.prepare<{ id: number; uid: string }, [UserId]>(
    'SELECT id, uid FROM action_devices WHERE user_id = ?1 ORDER BY id',
  )
  const nextUploads = db.prepare<UploadRow, [number, number, number, number]>(
    `SELECT seq, first_id AS firstId, last_id AS lastId FROM action_uploads
      WHERE device_id = +?1 AND (seq, first_id) > (?2, ?3) AND first_id <= +?4 ORDER BY seq, first_id LIMIT ${CHUNK}`,
  )
  const keysOfUpload = db.prepare<KeyRow, [number, number, number]>(
    `SELECT ${KEYS} FROM episode_actions a WHERE a.id BETWEEN ?2 AND ?3 AND a.device_id = ?1`,
  )
  const episodesOfPodcast = db.prepare<{ lastId: number }, [UserId, string]>(
    `SELECT ue.last_action_id AS lastId
       FROM (SELECT id FROM podcasts WHERE url = +?2
             UNION ALL
             SELECT r.other_id FROM podcasts q CROSS JOIN address_relations r ON r.podcast_id = q.id WHERE q.url = +?2) p
       CROSS JOIN episodes e ON e.podcast_id = p.id
       CROSS JOIN user_episodes ue ON ue.user_id = +?1 AND ue.episode_id = e.id`,
  )
  const keysOfEpisode = db.prepare<KeyRow & { previousId: number | null }, [number]>(
    orderedBy(
      'linked.n',
      `WITH RECURSIVE linked (id, n) AS (
       SELECT CAST(?1 AS INTEGER), 1 UNION ALL
       SELECT a.previous_id, linked.n + 1 FROM linked CROSS JOIN episode_actions a ON a.id = linked.id
        WHERE a.previous_id IS NOT NULL AND linked.n < ${CHUNK})
     SELECT ${KEYS}, a.previous_id AS previousId FROM linked CROSS JOIN episode_actions a ON a.id = linked.id`,
    ),
  )
  const nextEpisodes = db.prepare<PlaceOfEpisode, [UserId, number, number, number]>(
    `SELECT id, episode_id AS episodeId, is_former AS isFormer FROM user_episodes INDEXED BY user_episodes_user_episode
      WHERE user_id = +?1 AND (episode_id, is_former, id) > (?2, ?3, ?4) ORDER BY episode_id, is_former, id LIMIT ${KEYS_AT_ONCE}`,
  )
  const statesOf = db.prepare<StateRow, [string]>(
    orderedBy(
      'j.key',
      `SELECT ue.id AS userEpisodeId, ue.joined_id AS joinedId, ue.last_action_id AS lastId, s.id, s.at, s.kind
         FROM json_each(?1) j CROSS JOIN user_episodes ue ON ue.id = CAST(j.value AS INTEGER)
         CROSS JOIN episode_actions s ON s.id = CASE WHEN ue.joined_id IS NULL THEN ue.state_action_id
           ELSE (SELECT g.state_action_id FROM joined_episodes g WHERE g.id = ue.joined_id) END`,
    ),
  )
  const joinedWith = db.prepare<{ id: number; joinedId: number }, [string]>(
    `SELECT ue.id, ue.joined_id AS joinedId
       FROM (SELECT DISTINCT one.joined_id AS id FROM json_each(?1) j CROSS JOIN user_episodes one ON one.id = CAST(j.value AS INTEGER)
              WHERE one.joined_id IS NOT NULL) g
       CROSS JOIN user_episodes ue ON ue.joined_id = g.id`,
  )
  const lastActionOf = db.prepare<{ lastId: number }, [number]>(
    'SELECT last_action_id AS lastId FROM user_episodes WHERE id = ?1',
  )

  /**
   * Returns a function that reads the actions with these row numbers (JSON). Episodes, podcasts and devices are read
   * separately: many actions share them, and joining them row by row would take longer than everything else.
   */
  function createActionMaker(userId: UserId, isArchive = false) {
    const podcasts = new Map<number, string>()
    let devices: Map<number, string> | undefined

    return async (list: string): Promise<EpisodeAction[]> => {
      const knownDevices = devices
      const found = await snapshot.read(() => {
        const rows = numbersById.all(userId, list)
        // In the order of the table, so that each page of it is read once.
        const ids = Float64Array.from(new Set(rows.map(({ userEpisodeId }) => userEpisodeId))).sort()
        const ofRows = (isArchive ? archivedById : episodesById).all(JSON.stringify([...ids]))
        return { rows, ofRows, devicesOfUser: knownDevices ? [] : devicesOf.all(userId) }
      })
      devices ??= new Map(found.devicesOfUser.map(({ id, uid }) => [id, uid]))
      const episodes = new Map<number, EpisodeRow>()
      const unknown = new Set<number>()
      for (const episode of found.ofRows) {
        episodes.set(episode.id, episode)
        if (!podcasts.has(episode.podcastId)) unknown.add(episode.podcastId)
      }
      if (unknown.size > 0) {
        const urls = await snapshot.read(() => podcastsById.all(userId, JSON.stringify([...unknown])))
        for (const { id, url } of urls) podcasts.set(id, url)
      }

      const actions: EpisodeAction[] = []
      for (const row of found.rows) {
        const episode = episodes.get(row.userEpisodeId)
        const podcast = episode && podcasts.get(episode.podcastId)
        if (!episode || podcast === undefined) continue
        actions.push(toAction(row, podcast, episode, devices.get(row.deviceId)))
      }
      return actions
    }
  }

  /** Yields the history in the order of the answer, without uploads before `first` or after `last`. */
  async function* walkHistory(
    userId: UserId,
    { first, last }: Bounds,
    isArchive: boolean,
  ): AsyncGenerator<EpisodeAction[]> {
    const makeActions = createActionMaker(userId, isArchive)
    for await (const ids of actionsByTime(userId, first, last)) {
      yield await makeActions(JSON.stringify(ids))
    }
  }

  /** Returns a function to call before reading `rows` more keys; it yields to the event loop every `KEYS_AT_ONCE`. */
  function createTurns() {
    let read = 0
    return async (rows: number) => {
      read += rows
      if (read > KEYS_AT_ONCE) {
        read = rows
        await nextTurn()
      }
    }
  }

  /** Passes on the actions of these devices from `since` up to `last`. Stops early once `take` returns false. */
  async function takeUploads(
    devices: readonly number[],
    { since, last: lastId }: { readonly since: number; readonly last: number },
    take: (row: KeyRow) => boolean,
  ): Promise<void> {
    const turn = createTurns()
    for (const deviceId of devices) {
      let last = { seq: since, firstId: -1 }
      for (;;) {
        await turn(CHUNK)
        const { seq, firstId: from } = last
        const uploads = await snapshot.read(() => nextUploads.all(deviceId, seq, from, lastId))
        for (const { firstId, lastId: end } of uploads) {
          await turn(end - firstId + 1)
          const rows = await snapshot.read(() => keysOfUpload.all(deviceId, firstId, end))
          for (const row of rows) if (!take(row)) return
        }
        const end = uploads.at(-1)
        if (!end || uploads.length < CHUNK) break
        last = end
      }
    }
  }

  /** Passes on the actions of media URLs, starting from the last one. */
  async function takeEpisodes(lastIds: readonly number[], take: (row: KeyRow) => void): Promise<void> {
    const turn = createTurns()
    for (const lastId of lastIds) {
      let next: number | null = lastId
      while (next !== null) {
        const id: number = next
        const rows = await snapshot.read(() => keysOfEpisode.all(id))
        for (const row of rows) take(row)
        next = rows.at(-1)?.previousId ?? null
        await turn(rows.length)
      }
    }
  }

  async function placesOfFilters(
    userId: UserId,
    { since, device, podcast, aggregated }: ActionQuery,
    { first, last }: Bounds,
  ): Promise<Place[]> {
    const all = await snapshot.read(() => devicesOf.all(userId))
    const devices = all.filter(({ uid }) => device === undefined || uid === device)
    const states = new Map<number, KeyRow>()
    const recent = new Set<number>()
    const places: Place[] = []
    const take = (row: KeyRow) => {
      if (row.id > last) return true
      if (row.id >= first) recent.add(row.userEpisodeId)
      if (aggregated) keepLater(states, row.userEpisodeId, row)
      else if (row.id >= first) places.push(row)
      return true
    }
    if (podcast === undefined) {
      const ids = devices.map(({ id }) => id)
      await takeUploads(ids, { since: aggregated ? 0 : since, last }, take)
    } else {
      const ids = new Set(devices.map(({ id }) => id))
      const episodes = await snapshot.read(() => episodesOfPodcast.all(userId, podcast))
      const lastIds = episodes.map(({ lastId }) => lastId)
      await takeEpisodes(lastIds, (row) => ids.has(row.deviceId) && take(row))
    }
    return aggregated ? placesOfEpisodes(states, recent) : places
  }

  /** Reduces the states of media URLs to one for each of the episodes that `mediaUrls` belong to. */
  async function placesOfEpisodes(
    states: ReadonlyMap<number, KeyRow>,
    mediaUrls: ReadonlySet<number>,
  ): Promise<Place[]> {
    const turn = createTurns()
    const found: Place[] = []
    const joined = new Map<number, KeyRow>()
    let read = 0
    for (const batch of slices([...mediaUrls], JOINED_AT_ONCE)) {
      await turn(read)
      const rows = await snapshot.read(() => joinedWith.all(JSON.stringify(batch)))
      read = batch.length + rows.length
      const members = new Set<number>()
      for (const { id, joinedId } of rows) {
        members.add(id)
        const state = states.get(id)
        if (state) keepLater(joined, joinedId, state)
      }
      for (const id of batch) {
        const state = states.get(id)
        if (state && !members.has(id)) found.push(state)
      }
    }
    return [...found, ...joined.values()]
  }

  /** The largest number of rows to look up one by one; above it, reading the whole history is cheaper. */
  const fewOf = (userId: UserId) => Math.max(SORTED_MAX, (countOf.get(userId)?.count ?? 0) / 4)

  /** Keys of the actions uploaded since; undefined if reading the whole history is cheaper. */
  async function keysSince(userId: UserId, since: number, { last }: Bounds): Promise<KeyRow[] | undefined> {
    const { max, devices } = await snapshot.read(() => ({ max: fewOf(userId), devices: devicesOf.all(userId) }))
    const rows: KeyRow[] = []
    const ids = devices.map(({ id }) => id)
    await takeUploads(ids, { since, last }, (row) => rows.push(row) <= max)
    return rows.length <= max ? rows : undefined
  }

  /** Row numbers of all episodes of the user. */
  async function episodesOf(userId: UserId): Promise<number[]> {
    const found: number[] = []
    let last: PlaceOfEpisode = { id: 0, episodeId: 0, isFormer: 0 }
    for (;;) {
      const { id: after, episodeId, isFormer } = last
      const rows = await snapshot.read(() => nextEpisodes.all(userId, episodeId, isFormer, after))
      for (const { id } of rows) found.push(id)
      const end = rows.at(-1)
      if (!end || rows.length < KEYS_AT_ONCE) return found
      last = end
      await nextTurn()
    }
  }

  /** Episodes with an action since; undefined if reading the whole history is cheaper. */
  async function episodesSince(
    userId: UserId,
    { since, onlyStates }: ActionQuery,
    bounds: Bounds,
  ): Promise<number[] | undefined> {
    if (since === 0) return undefined
    if (!onlyStates) {
      const recent = await keysSince(userId, since, bounds)
      return recent && [...new Set(recent.map(({ userEpisodeId }) => userEpisodeId))]
    }
    // The last action of an episode does not tell whether a state was uploaded since, so all keys are read.
    const episodes = new Set<number>()
    const devices = (await snapshot.read(() => devicesOf.all(userId))).map(({ id }) => id)
    await takeUploads(devices, { since, last: bounds.last }, ({ kind, userEpisodeId }) => {
      if (kind < STATE_KINDS) episodes.add(userEpisodeId)
      return true
    })
    return [...episodes]
  }

  /** The state of each episode with an action since. */
  async function placesOfStates(userId: UserId, query: ActionQuery, bounds: Bounds): Promise<Place[]> {
    const { first, last } = bounds
    const episodes = (await episodesSince(userId, query, bounds)) ?? (await episodesOf(userId))
    // In the order of the table, and so roughly of the states; any other order would read a page for most rows.
    await sortInTurns(episodes, (one, other) => one - other)
    const places: Place[] = []
    const joined = new Set<number>()
    const overtaken: number[] = []
    for (const batch of slices(episodes, CHUNK)) {
      const rows = await snapshot.read(() => statesOf.all(JSON.stringify(batch)))
      for (const { userEpisodeId, joinedId, lastId, id, at, kind } of rows) {
        if (lastId < first || (joinedId !== null && joined.has(joinedId))) continue
        if (lastId > last || id > last) {
          overtaken.push(userEpisodeId)
          continue
        }
        if (query.onlyStates && kind >= STATE_KINDS) continue
        if (joinedId !== null) joined.add(joinedId)
        places.push({ id, at })
      }
      if (episodes.length > CHUNK) await nextTurn()
    }
    return overtaken.length === 0 ? places : [...places, ...(await placesBefore(overtaken, query, bounds))]
  }

  /** The states up to `last` of episodes with later actions. */
  async function placesBefore(
    mediaUrls: readonly number[],
    { onlyStates }: ActionQuery,
    { first, last }: Bounds,
  ): Promise<Place[]> {
    const states = new Map<number, KeyRow>()
    const recent = new Set<number>()
    const take = (row: KeyRow) => {
      if (row.id > last || (onlyStates && row.kind >= STATE_KINDS)) return
      keepLater(states, row.userEpisodeId, row)
      if (row.id >= first) recent.add(row.userEpisodeId)
    }
    for (const batch of slices(mediaUrls, JOINED_AT_ONCE)) {
      const lastIds = await snapshot.read(() => {
        const ids = new Set([...batch, ...joinedWith.all(JSON.stringify(batch)).map(({ id }) => id)])
        return [...ids].flatMap((id) => lastActionOf.get(id)?.lastId ?? [])
      })
      await takeEpisodes(lastIds, take)
    }
    return placesOfEpisodes(states, recent)
  }

  async function readInOrder(userId: UserId, found: Place[]): Promise<Chunks<EpisodeAction>> {
    await sortInTurns(found, BY_TIME)
    // A media URL may have been read both before and after it was joined with another.
    const places = found.filter(({ id }, index) => id !== found[index - 1]?.id)
    if (places.length === 0) return []
    if (places.length <= CHUNK) {
      return [(await snapshot.read(() => rowsById.all(userId, idsOf(places)))).map(rowToAction)]
    }
    return walkPlaces(userId, places)
  }

  async function* walkPlaces(userId: UserId, places: readonly Place[]): AsyncGenerator<EpisodeAction[]> {
    const makeActions = createActionMaker(userId)
    for (const batch of slices(places, CHUNK)) {
      yield await makeActions(idsOf(batch))
    }
  }

  async function readLong(userId: UserId, query: ActionQuery, range: Bounds): Promise<Chunks<EpisodeAction>> {
    const { since, device, podcast, aggregated } = query
    if (device !== undefined || podcast !== undefined)
      return readInOrder(userId, await placesOfFilters(userId, query, range))
    if (aggregated) return readInOrder(userId, await placesOfStates(userId, query, range))
    const places = since > 0 ? await keysSince(userId, since, range) : undefined
    return places ? readInOrder(userId, places) : walkHistory(userId, range, query.isArchive === true)
  }

  return {
    /** Returns all matching actions, sorted, if one query finds them; undefined if `readLong` has to. */
    readShort(userId: UserId, query: ActionQuery): Chunks<EpisodeAction> | undefined {
      if (query.device !== undefined || query.podcast !== undefined || query.aggregated || query.isArchive)
        return undefined
      const rows = recent.all(userId, query.since)
      if (rows.length > CHUNK) return undefined
      return rows.length === 0 ? [] : [rows.sort(BY_TIME).map(rowToAction)]
    },

    /** The actions that `readLong` may return; undefined if none. Later uploads get higher numbers. */
    boundsOf(userId: UserId, { since }: ActionQuery): Bounds | undefined {
      const { first = null, last = null } = bounds.get(userId, since) ?? {}
      return first === null || last === null ? undefined : { first, last }
    },

    /** Returns all matching actions by event time and upload order, in chunks that are read on demand. */
    readLong,
  }
}

const idsOf = (places: readonly Place[]) => JSON.stringify(places.map(({ id }) => id))

function keepLater(states: Map<number, KeyRow>, episode: number, row: KeyRow): void {
  const current = states.get(episode)
  if (!current || isLater(row, current)) states.set(episode, row)
}

/** Whether `row` rather than `current` holds the state of the episode. */
function isLater(row: KeyRow, current: KeyRow): boolean {
  return row.id > current.id ? tellsState(row, current) : !tellsState(current, row)
}
