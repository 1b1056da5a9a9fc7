import type {
  Before,
  InboxStore,
  ListedEpisode,
  MarkableEpisode,
  PageBefore,
  PageOfTime,
  UnplayedCount,
} from '../../../domain/directory/ports/inbox.ts'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { listenStateOf } from '../../../domain/sync/episode-actions.ts'
import type { EpisodeAction } from '../../../domain/sync/ports/episode-actions.ts'
import { nextTurn } from '../../../platform/clock.ts'
import type { StoreParts } from '../parts.ts'
import { type EpisodeName, prepareStates, prepareUserEpisodes } from '../sync/actions/episode-states.ts'
import { IS_SHARED_GUID } from '../sync/actions/joined-episodes.ts'
import { prepareInProgress } from './in-progress.ts'
import { IS_VISIBLE, LISTED_COLUMNS, LISTED_JOINS, type ListedRow, toListedEpisode } from './listed-episodes.ts'
import { createTagReader } from './podcast-tags.ts'

interface KeyRow {
  readonly id: number
  readonly released: number
}

interface HeadRow {
  readonly podcastId: PodcastId
  readonly released: number
}

interface MarkableRow extends Pick<MarkableEpisode, 'podcast' | 'key'>, EpisodeName {
  readonly duration: number | null
}

/** Podcasts of which the newest episode is looked for at once: some milliseconds' work. */
const PODCASTS_AT_ONCE = 1000
const EPISODES_PER_PAGE = 1000
const KEYS_AT_ONCE = 4000
const STATES_AT_ONCE = 250
const COUNTED_EPISODES = 100
const COUNTED_PODCASTS_AT_ONCE = 5
const PODCAST_EPISODES_MAX = 50_000

/** SQL: whether the feed still has the episode `n`; the few that it dropped are found by their index. */
const IS_LISTED = `NOT EXISTS (SELECT 1 FROM episode_details u INDEXED BY episode_details_unlisted
    WHERE u.podcast_id = n.podcast_id AND u.episode_id = n.episode_id AND u.is_listed = 0)`

const NEWEST: Before = { at: Number.MAX_SAFE_INTEGER, id: 0 }

/** Costs grow with podcasts and page size, not with episodes: only podcasts that can reach the page are read. */
export function createInboxStore({ db, snapshot, addresses }: StoreParts): InboxStore {
  const statesOf = prepareStates(db)
  const userEpisodes = prepareUserEpisodes(db)
  const inProgress = prepareInProgress(db)
  const podcastsOfUser = db.prepare<{ id: PodcastId }, [UserId]>(
    'SELECT podcast_id AS id FROM listeners WHERE user_id = ?1 AND devices > 0 ORDER BY podcast_id',
  )
  const addressesOf = db.prepare<{ id: PodcastId }, [UserId, string]>(
    `SELECT l.podcast_id AS id
       FROM (SELECT id FROM podcasts WHERE url = +?2
             UNION SELECT r.other_id FROM podcasts q CROSS JOIN address_relations r ON r.podcast_id = q.id WHERE q.url = +?2) a
       CROSS JOIN listeners l ON l.user_id = +?1 AND l.podcast_id = a.id AND l.devices > 0`,
  )
  const tagReader = createTagReader(db, snapshot)
  const urlOf = db.prepare<{ url: string }, [PodcastId]>('SELECT url FROM podcasts WHERE id = ?1')
  // Two arms, so that the index finds where to continue in a feed whose episodes all have one date.
  const heads = db.prepare<{ podcastId: PodcastId; released: number | null }, [string, number, number]>(
    `SELECT j.value AS podcastId,
            COALESCE(
              (SELECT n.released FROM episode_details n INDEXED BY episode_details_released
                WHERE n.podcast_id = j.value AND n.released = +?2 AND n.episode_id < +?3 AND ${IS_LISTED} LIMIT 1),
              (SELECT n.released FROM episode_details n INDEXED BY episode_details_released
                WHERE n.podcast_id = j.value AND n.released < +?2 AND ${IS_LISTED}
                ORDER BY n.released DESC, n.episode_id DESC LIMIT 1)) AS released
       FROM json_each(?1) j`,
  )
  const newestOf = db.prepare<KeyRow, [PodcastId, number, number, number, number]>(
    `SELECT n.episode_id AS id, n.released FROM episode_details n INDEXED BY episode_details_released
      WHERE n.podcast_id = +?1 AND n.released = +?2 AND ?2 >= ?4 AND n.episode_id < +?3 AND ${IS_LISTED}
     UNION ALL
     SELECT n.episode_id AS id, n.released FROM episode_details n INDEXED BY episode_details_released
      WHERE n.podcast_id = +?1 AND n.released < +?2 AND n.released >= +?4 AND ${IS_LISTED}
     ORDER BY released DESC, id DESC LIMIT ?5`,
  )
  const allOf = db.prepare<{ id: number }, [PodcastId, number]>(
    `SELECT n.episode_id AS id FROM episode_details n INDEXED BY episode_details_released
      WHERE n.podcast_id = +?1 AND ${IS_LISTED} ORDER BY n.released DESC, n.episode_id DESC LIMIT ?2`,
  )
  const listed = db.prepare<ListedRow & { episodeId: number }, [UserId, string]>(
    `SELECT j.value AS episodeId, ${LISTED_COLUMNS}
       FROM json_each(?2) j CROSS JOIN episodes e ON e.id = j.value CROSS JOIN podcasts p ON p.id = e.podcast_id
       ${LISTED_JOINS} ORDER BY j.key`,
  )
  // The key of an episode without actions is its guid or media URL, the same at all addresses of the podcast.
  const markableColumns = (podcast: string, media: string, guid: string) =>
    `${podcast} AS podcast, p.id AS podcastId, ${media} AS url, e.id AS mediaId, ${guid} AS guid,
     CASE WHEN ${IS_VISIBLE} THEN NULLIF(d.duration, 0) END AS duration,
     IFNULL(MIN(p.id, IFNULL((SELECT MIN(r.other_id) FROM address_relations r WHERE r.podcast_id = p.id), p.id)), ${podcast})
       || ' ' || COALESCE(CASE WHEN NOT IFNULL(d.guid = ${guid} AND ${IS_SHARED_GUID}, 0) THEN ${guid} END, ${media}) AS key`
  const markable = db.prepare<MarkableRow, [UserId, string]>(
    `SELECT ${markableColumns('j.value ->> 0', 'j.value ->> 1', `COALESCE(j.value ->> 2, NULLIF(d.guid, ''))`)}
       FROM json_each(?2) j LEFT JOIN podcasts p ON p.url = j.value ->> 0
       LEFT JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value ->> 1
       LEFT JOIN episode_details d ON d.episode_id = e.id ORDER BY j.key`,
  )
  const markableById = db.prepare<MarkableRow, [UserId, string]>(
    `SELECT ${markableColumns('p.url', 'e.url', `NULLIF(d.guid, '')`)}
       FROM json_each(?2) j CROSS JOIN episodes e ON e.id = j.value CROSS JOIN podcasts p ON p.id = e.podcast_id
       CROSS JOIN episode_details d ON d.episode_id = e.id ORDER BY j.key`,
  )

  async function podcastsOf(userId: UserId, podcast?: string): Promise<readonly PodcastId[]> {
    snapshot.use()
    const rows = podcast === undefined ? podcastsOfUser.all(userId) : addressesOf.all(userId, podcast)
    return addresses.onePerPodcast(rows.map(({ id }) => id))
  }

  async function newestPodcasts(podcasts: readonly PodcastId[], before: Before, limit: number): Promise<HeadRow[]> {
    let best: HeadRow[] = []
    for (const some of slices(podcasts, PODCASTS_AT_ONCE)) {
      if (best.length > 0) await nextTurn()
      snapshot.use()
      for (const { podcastId, released } of heads.all(JSON.stringify(some), before.at, before.id))
        if (released !== null) best.push({ podcastId, released })
      best = best.sort((one, other) => other.released - one.released)
      // Those of the same second as the last one may come before it.
      const last = best[limit - 1]
      if (last) best = best.filter(({ released }) => released >= last.released)
    }
    return best
  }

  async function newestEpisodes(podcasts: readonly PodcastId[], before: Before, limit: number): Promise<KeyRow[]> {
    const best = await newestPodcasts(podcasts, before, limit)
    let oldest = Number.MIN_SAFE_INTEGER
    let keys: KeyRow[] = []
    let read = 0

    function keepNewest(): void {
      keys = keys.sort(byRelease).slice(0, limit)
      const last = keys[limit - 1]
      if (last) oldest = last.released
    }

    // What is older than so many others is not on the page, whatever podcast it is of.
    if (best.length >= limit) oldest = best[limit - 1]?.released ?? oldest
    for (const { podcastId, released } of best) {
      if (released < oldest) break
      snapshot.use()
      const rows = newestOf.all(podcastId, before.at, before.id, oldest, limit)
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

  function episodesOf(userId: UserId, keys: readonly KeyRow[], states: ReadonlyMap<number, EpisodeAction>) {
    snapshot.use()
    const rows = listed.all(userId, JSON.stringify(keys.map(({ id }) => id)))
    return rows.map((row) => toListedEpisode(row, states.get(row.episodeId)))
  }

  async function statesOfMany(userId: UserId, ids: readonly number[]): Promise<Map<number, EpisodeAction>> {
    const found = new Map<number, EpisodeAction>()
    for (const some of slices(ids, STATES_AT_ONCE)) {
      if (some !== ids) await nextTurn()
      snapshot.use()
      for (const [id, action] of statesOf(userId, some)) found.set(id, action)
    }
    return found
  }

  async function list(
    userId: UserId,
    { before = NEWEST, limit, podcast, tag, onlyUnplayed }: Parameters<InboxStore['inbox']>[1],
  ): Promise<PageOfTime<ListedEpisode>> {
    const all = await podcastsOf(userId, podcast)
    const podcasts = tag === undefined ? all : await tagReader.withTag(all, tag)
    const room = onlyUnplayed ? EPISODES_PER_PAGE : limit
    const keys = await newestEpisodes(podcasts, before, room)
    const states = await statesOfMany(
      userId,
      keys.map(({ id }) => id),
    )
    const wanted = onlyUnplayed ? keys.filter(({ id }) => listenStateOf(states.get(id)) !== 'played') : keys
    const shown = wanted.slice(0, limit)
    const last = shown.length < wanted.length || shown.length === limit ? shown.at(-1) : keys.at(-1)
    const mayHaveMore = shown.length < wanted.length || keys.length === room
    return {
      items: episodesOf(userId, shown, states),
      next: mayHaveMore && last ? { at: last.released, id: last.id } : undefined,
    }
  }

  function countUnplayed(userId: UserId, podcasts: readonly PodcastId[]) {
    snapshot.use()
    const episodes = podcasts.map((id) => ({ id, all: allOf.all(id, COUNTED_EPISODES) }))
    const states = statesOf(
      userId,
      episodes.flatMap(({ all }) => all.map(({ id }) => id)),
    )
    return episodes.map(({ id: podcastId, all }) => ({
      url: urlOf.get(podcastId)?.url ?? '',
      unplayed: all.filter(({ id }) => listenStateOf(states.get(id)) !== 'played').length,
    }))
  }

  function withStates(userId: UserId, rows: readonly MarkableRow[]): MarkableEpisode[] {
    const own = userEpisodes(userId, rows)
    return rows.map(({ podcast, url, key, guid, duration }, n) => {
      const found = own.get(n)
      return {
        ...{ podcast, episode: url, key: found?.key ?? key, guid: found?.guid ?? guid ?? undefined },
        ...{ length: found?.length ?? duration ?? undefined, action: found?.action },
      }
    })
  }

  return {
    async inProgress(userId: UserId, page: PageBefore) {
      snapshot.use()
      return inProgress(userId, page)
    },

    inbox: list,

    tags: async (userId) => tagReader.tagsOfMany(await podcastsOf(userId)),

    async unplayed(userId) {
      const found: UnplayedCount[] = []
      for (const some of slices(await podcastsOf(userId), COUNTED_PODCASTS_AT_ONCE)) {
        if (found.length > 0) await nextTurn()
        found.push(...countUnplayed(userId, some))
      }
      return found
    },

    async episodesToMark(userId, episodes) {
      const found: MarkableEpisode[] = []
      for (const some of slices(episodes, STATES_AT_ONCE)) {
        if (found.length > 0) await nextTurn()
        snapshot.use()
        const urls = some.map(({ podcast, episode, guid = null }) => [podcast, episode, guid])
        found.push(...withStates(userId, markable.all(userId, JSON.stringify(urls))))
      }
      return found
    },

    async episodesOfPodcast(userId, podcast, isWanted, limit) {
      const [podcastId] = await podcastsOf(userId, podcast)
      if (podcastId === undefined) return undefined
      snapshot.use()
      const found: MarkableEpisode[] = []
      for (const some of slices(allOf.all(podcastId, PODCAST_EPISODES_MAX), STATES_AT_ONCE)) {
        snapshot.use()
        const rows = markableById.all(userId, JSON.stringify(some.map(({ id }) => id)))
        found.push(...withStates(userId, rows).filter(isWanted))
        if (found.length >= limit) return found.slice(0, limit)
        await nextTurn()
      }
      return found
    },
  }
}

function byRelease(one: KeyRow, other: KeyRow): number {
  return other.released - one.released || other.id - one.id
}
