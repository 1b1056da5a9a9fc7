import type {
  Before,
  InboxStore,
  ListedEpisode,
  PageBefore,
  PageOfTime,
  UnplayedCount,
} from '../../../domain/directory/ports/inbox.ts'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { listenStateOf } from '../../../domain/sync/episode-actions.ts'
import type { EpisodeAction } from '../../../domain/sync/ports/episode-actions.ts'
import { nextTurn } from '../../../platform/clock.ts'
import type { StoreParts } from '../../parts.ts'
import { prepareStates } from '../../sync/actions/episode-states.ts'
import { prepareListedRows, toListedEpisode } from '../listed-episodes.ts'
import { prepareInProgress } from './in-progress.ts'
import { createOwnPodcasts, IS_LISTED } from './own-podcasts.ts'

interface KeyRow {
  readonly id: number
  readonly released: number
}

/** Release time from which a podcast's episodes count; without an entry, all of them do. */
type Floors = ReadonlyMap<PodcastId, number>

const NO_FLOORS: Floors = new Map()

interface HeadRow {
  readonly podcastId: PodcastId
  readonly released: number
}

/** Podcasts per query for the newest episode, which takes a few milliseconds. */
const PODCASTS_AT_ONCE = 1000
const EPISODES_PER_PAGE = 1000
/** Pages read at first, which nearly always contain enough unplayed episodes. */
const PAGES_AT_FIRST = 4
const KEYS_AT_ONCE = 4000
const STATES_AT_ONCE = 250
const COUNTED_EPISODES = 100
const COUNTED_PODCASTS_AT_ONCE = 5

const NEWEST: Before = { at: Number.MAX_SAFE_INTEGER, id: 0 }

/** Costs grow with podcasts and page size, not with episodes: only podcasts that can reach the page are read. */
export function createInboxStore({ db, snapshot, addresses }: StoreParts): InboxStore {
  const statesOf = prepareStates(db)
  const inProgress = prepareInProgress(db)
  const ownPodcasts = createOwnPodcasts({ db, snapshot, addresses })
  const urlOf = db.prepare<{ url: string }, [PodcastId]>('SELECT url FROM podcasts WHERE id = ?1')
  // Two arms, so that the index finds where to continue in a feed whose episodes all have one date.
  const heads = db.prepare<{ podcastId: PodcastId; released: number | null }, [string, number, number]>(
    `SELECT CAST(j.value AS INTEGER) AS podcastId,
            COALESCE(
              (SELECT n.released FROM episode_details n INDEXED BY episode_details_released
                WHERE n.podcast_id = CAST(j.value AS INTEGER) AND n.released = +?2 AND n.episode_id < +?3 AND ${IS_LISTED} LIMIT 1),
              (SELECT n.released FROM episode_details n INDEXED BY episode_details_released
                WHERE n.podcast_id = CAST(j.value AS INTEGER) AND n.released < +?2 AND ${IS_LISTED}
                ORDER BY n.released DESC NULLS LAST, n.episode_id DESC LIMIT 1)) AS released
       FROM json_each(?1) j`,
  )
  const newestOf = db.prepare<KeyRow, [PodcastId, number, number, number, number]>(
    `SELECT n.episode_id AS id, n.released FROM episode_details n INDEXED BY episode_details_released
      WHERE n.podcast_id = +?1 AND n.released = +?2 AND ?2 >= ?4 AND n.episode_id < +?3 AND ${IS_LISTED}
     UNION ALL
     SELECT n.episode_id AS id, n.released FROM episode_details n INDEXED BY episode_details_released
      WHERE n.podcast_id = +?1 AND n.released < +?2 AND n.released >= +?4 AND ${IS_LISTED}
     ORDER BY released DESC NULLS LAST, id DESC LIMIT ?5`,
  )
  const allOf = db.prepare<{ id: number; released: number | null }, [PodcastId, number]>(
    `SELECT n.episode_id AS id, n.released FROM episode_details n INDEXED BY episode_details_released
      WHERE n.podcast_id = +?1 AND ${IS_LISTED} ORDER BY n.released DESC NULLS LAST, n.episode_id DESC LIMIT ?2`,
  )
  const listedRows = prepareListedRows(db)

  const floorOf = (floors: Floors, podcastId: PodcastId) => floors.get(podcastId) ?? Number.MIN_SAFE_INTEGER

  async function newestPodcasts(
    podcasts: readonly PodcastId[],
    floors: Floors,
    before: Before,
    limit: number,
  ): Promise<HeadRow[]> {
    let best: HeadRow[] = []
    for (const batch of slices(podcasts, PODCASTS_AT_ONCE)) {
      if (best.length > 0) await nextTurn()
      const rows = await snapshot.read(() => heads.all(JSON.stringify(batch), before.at, before.id))
      for (const { podcastId, released } of rows)
        if (released !== null && released >= floorOf(floors, podcastId)) best.push({ podcastId, released })
      best = best.sort((one, other) => other.released - one.released)
      // Those of the same second as the last one may come before it.
      const last = best[limit - 1]
      if (last) best = best.filter(({ released }) => released >= last.released)
    }
    return best
  }

  async function newestEpisodes(
    podcasts: readonly PodcastId[],
    floors: Floors,
    before: Before,
    limit: number,
  ): Promise<KeyRow[]> {
    const best = await newestPodcasts(podcasts, floors, before, limit)
    let oldest = Number.MIN_SAFE_INTEGER
    let keys: KeyRow[] = []
    let read = 0

    function keepNewest(): void {
      keys = keys.sort(byRelease).slice(0, limit)
      const last = keys[limit - 1]
      if (last) oldest = last.released
    }

    // Episodes older than a full page of others cannot be on the page.
    if (best.length >= limit) oldest = best[limit - 1]?.released ?? oldest
    for (const { podcastId, released } of best) {
      if (released < oldest) break
      const from = Math.max(oldest, floorOf(floors, podcastId))
      const rows = await snapshot.read(() => newestOf.all(podcastId, before.at, before.id, from, limit))
      for (const row of rows) keys.push(row)
      if (keys.length >= 2 * limit) keepNewest()
      read += rows.length
      if (read < KEYS_AT_ONCE) continue
      read = 0
      await nextTurn()
    }
    keepNewest()
    return keys
  }

  async function episodesOf(userId: UserId, keys: readonly KeyRow[], states: ReadonlyMap<number, EpisodeAction>) {
    const ids = keys.map(({ id }) => id)
    const rows = await snapshot.read(() => listedRows(userId, ids))
    return rows.map((row) => toListedEpisode(row, states.get(row.episodeId)))
  }

  async function statesOfMany(userId: UserId, ids: readonly number[]): Promise<Map<number, EpisodeAction>> {
    const found = new Map<number, EpisodeAction>()
    for (const batch of slices(ids, STATES_AT_ONCE)) {
      if (batch !== ids) await nextTurn()
      for (const [id, action] of await snapshot.read(() => statesOf(userId, batch))) found.set(id, action)
    }
    return found
  }

  async function list(
    userId: UserId,
    { before = NEWEST, limit, onlyUnplayed, onlyNew, ...filter }: Parameters<InboxStore['inbox']>[1],
  ): Promise<PageOfTime<ListedEpisode>> {
    const podcasts = await ownPodcasts.list(userId, filter)
    const floors = onlyNew ? await ownPodcasts.newSince(userId, podcasts) : NO_FLOORS
    let keyLimit = onlyUnplayed ? Math.min(limit * PAGES_AT_FIRST, EPISODES_PER_PAGE) : limit
    for (;;) {
      const keys = await newestEpisodes(podcasts, floors, before, keyLimit)
      const states = await statesOfMany(
        userId,
        keys.map(({ id }) => id),
      )
      const matching = onlyUnplayed ? keys.filter(({ id }) => listenStateOf(states.get(id)) !== 'played') : keys
      if (matching.length < limit && keys.length === keyLimit && onlyUnplayed && keyLimit < EPISODES_PER_PAGE) {
        keyLimit = EPISODES_PER_PAGE
        continue
      }
      const page = matching.slice(0, limit)
      const last = page.length < matching.length || page.length === limit ? page.at(-1) : keys.at(-1)
      const mayHaveMore = page.length < matching.length || keys.length === keyLimit
      return {
        items: await episodesOf(userId, page, states),
        next: mayHaveMore && last ? { at: last.released, id: last.id } : undefined,
      }
    }
  }

  function countUnplayed(userId: UserId, podcasts: readonly PodcastId[], since: Floors): UnplayedCount[] {
    const episodes = podcasts.map((id) => ({ id, all: allOf.all(id, COUNTED_EPISODES) }))
    const states = statesOf(
      userId,
      episodes.flatMap(({ all }) => all.map(({ id }) => id)),
    )
    return episodes.map(({ id: podcastId, all }) => {
      const unplayed = all.filter(({ id }) => listenStateOf(states.get(id)) !== 'played')
      const isNew = ({ released }: (typeof all)[number]) => released !== null && released >= floorOf(since, podcastId)
      return {
        url: urlOf.get(podcastId)?.url ?? '',
        unplayed: unplayed.length,
        fresh: unplayed.filter(isNew).length,
      }
    })
  }

  return {
    inProgress: (userId: UserId, page: PageBefore) => snapshot.read(() => inProgress(userId, page)),

    inbox: list,

    tags: async (userId) => ownPodcasts.tagsOfMany(await ownPodcasts.list(userId)),

    async unplayed(userId) {
      const found: UnplayedCount[] = []
      const podcasts = await ownPodcasts.list(userId)
      const since = await ownPodcasts.newSince(userId, podcasts)
      for (const batch of slices(podcasts, COUNTED_PODCASTS_AT_ONCE)) {
        if (found.length > 0) await nextTurn()
        found.push(...(await snapshot.read(() => countUnplayed(userId, batch, since))))
      }
      return found
    },
  }
}

function byRelease(one: KeyRow, other: KeyRow): number {
  return other.released - one.released || other.id - one.id
}
