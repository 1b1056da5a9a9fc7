import type { MarkableEpisode, MarkedEpisode, MarkFilter, MarkStore } from '../../../domain/directory/ports/inbox.ts'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { nextTurn } from '../../../platform/clock.ts'
import type { StoreParts } from '../../parts.ts'
import { pages } from '../../shared/pages.ts'
import { oneOfLinked } from '../../sync/actions/action-columns.ts'
import { kindOf, STATE_KINDS } from '../../sync/actions/action-kinds.ts'
import { type EpisodeName, prepareUserEpisodes } from '../../sync/actions/episode-states.ts'
import { IS_SHARED_GUID, OWN_GUID } from '../../sync/actions/joined-episodes.ts'
import { IS_VISIBLE } from '../listed-episodes.ts'
import { createOwnPodcasts, IS_LISTED } from './own-podcasts.ts'

interface MarkableRow extends Pick<MarkableEpisode, 'podcast' | 'key'>, EpisodeName {
  readonly duration: number | null
}

interface MarkRow extends MarkableRow {
  readonly id: number
  /** JSON: the last action of each media URL of the episode. */
  readonly lastIds: string
}

interface EarlierRow {
  readonly kind: number
  readonly position: number | null
  readonly total: number | null
}

const EPISODES_AT_ONCE = 250
/** Actions of an episode that are searched for the state before a mark. */
const LINKS_MAX = 1000
/** Date of undated episodes, which are older than all others. */
const UNDATED = Number.MIN_SAFE_INTEGER
const RELEASED = `IFNULL(n.released, ${UNDATED})`

export function createMarkStore({ db, snapshot, addresses }: StoreParts): MarkStore {
  const ownPodcasts = createOwnPodcasts({ db, snapshot, addresses })
  const userEpisodes = prepareUserEpisodes(db)
  // The key of an episode without actions is its guid or media URL, the same at all addresses of the podcast.
  const markableColumns = (podcast: string, media: string, guid: string) =>
    `${podcast} AS podcast, p.id AS podcastId, ${media} AS url, e.id AS mediaId, ${guid} AS guid,
     CASE WHEN ${IS_VISIBLE} THEN NULLIF(d.duration, 0) END AS duration,
     IFNULL(CAST(min(p.id, IFNULL((SELECT MIN(r.other_id) FROM address_relations r WHERE r.podcast_id = p.id), p.id)) AS TEXT), ${podcast})
       || ' ' || COALESCE(CASE WHEN (d.guid = ${guid} AND ${IS_SHARED_GUID}) IS NOT TRUE THEN ${guid} END, ${media}) AS key`
  const markable = db.prepare<MarkableRow, [UserId, string]>(
    `SELECT ${markableColumns('j.value ->> 0', 'j.value ->> 1', `COALESCE(j.value ->> 2, NULLIF(d.guid, ''))`)}
       FROM json_each(?2) j LEFT JOIN podcasts p ON p.url = j.value ->> 0
       LEFT JOIN episodes e ON e.podcast_id = p.id AND e.url = j.value ->> 1
       LEFT JOIN episode_details d ON d.episode_id = e.id ORDER BY j.key`,
  )
  const markableById = db.prepare<MarkableRow, [UserId, string]>(
    `SELECT ${markableColumns('p.url', 'e.url', `NULLIF(d.guid, '')`)}
       FROM json_each(?2) j CROSS JOIN episodes e ON e.id = CAST(j.value AS INTEGER) CROSS JOIN podcasts p ON p.id = e.podcast_id
       CROSS JOIN episode_details d ON d.episode_id = e.id ORDER BY j.key`,
  )
  const placeOf = db.prepare<{ at: number; id: number }, [string, string]>(
    `SELECT ${RELEASED} AS at, n.episode_id AS id
       FROM (SELECT id FROM podcasts WHERE url = +?1
             UNION ALL SELECT r.other_id FROM podcasts q CROSS JOIN address_relations r ON r.podcast_id = q.id WHERE q.url = +?1) a
       CROSS JOIN episodes e ON e.podcast_id = a.id AND e.url = +?2
       CROSS JOIN episode_details n ON n.episode_id = e.id LIMIT 1`,
  )
  const idsOf = db.prepare<{ id: number }, [number, number, number, number, number]>(
    `SELECT n.episode_id AS id FROM episode_details n INDEXED BY episode_details_released
      WHERE n.podcast_id = +?1 AND (${RELEASED}, n.episode_id) <= (+?2, +?3) AND ${RELEASED} >= +?4 AND ${RELEASED} < +?5
        AND ${IS_LISTED} ORDER BY n.released DESC NULLS LAST, n.episode_id DESC`,
  )
  const uploadsOf = db.prepare<{ deviceId: number; firstId: number; lastId: number }, [UserId, string]>(
    `SELECT u.device_id AS deviceId, u.first_id AS firstId, u.last_id AS lastId
       FROM action_devices v CROSS JOIN json_each(?2) j CROSS JOIN action_uploads u ON u.device_id = v.id AND u.seq = CAST(j.value AS INTEGER)
      WHERE v.user_id = +?1 AND v.uid = '' ORDER BY u.first_id`,
  )
  // Only marks that are still the state of their episode, so that later listening is not undone.
  const marksOf = db.prepare<MarkRow, [UserId, number, number, number, number]>(
    `SELECT a.id, ${markableColumns('p.url', 'e.url', OWN_GUID)},
            CASE WHEN ue.joined_id IS NULL THEN json_array(ue.last_action_id)
              ELSE (SELECT json_group_array(x.last_action_id) FROM user_episodes x WHERE x.joined_id = ue.joined_id) END AS lastIds
       FROM episode_actions a CROSS JOIN user_episodes ue ON ue.id = a.user_episode_id
       CROSS JOIN episodes e ON e.id = ue.episode_id CROSS JOIN podcasts p ON p.id = e.podcast_id
       LEFT JOIN episode_details d ON d.episode_id = e.id
      WHERE a.id > +?2 AND a.id <= +?3 AND a.user_id = +?1 AND a.device_id = +?4 AND a.kind < ${STATE_KINDS}
        AND a.id = IFNULL((SELECT g.state_action_id FROM joined_episodes g WHERE g.id = ue.joined_id), ue.state_action_id)
      ORDER BY a.id LIMIT ?5`,
  )
  const stateBefore = db.prepare<EarlierRow, [string, number]>(
    oneOfLinked(
      LINKS_MAX,
      `SELECT a.kind, a.position, a.total FROM linked CROSS JOIN episode_actions a ON a.id = linked.id WHERE a.id <> +?2`,
      `ORDER BY a.kind < ${STATE_KINDS} DESC, a.at DESC, a.id DESC`,
    ),
  )

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

  function withEarlier(userId: UserId, rows: readonly MarkRow[]): MarkedEpisode[] {
    return withStates(userId, rows).map((episode, n) => {
      const { id = 0, lastIds = '[]' } = rows[n] ?? {}
      const earlier = stateBefore.get(lastIds, id)
      if (!earlier) return { ...episode, before: undefined }
      const { kind, position, total } = earlier
      return { ...episode, before: { kind: kindOf(kind), position: position ?? undefined, total: total ?? undefined } }
    })
  }

  async function* inFilter(userId: UserId, filter: MarkFilter, podcasts: readonly PodcastId[]) {
    const { newest, isNew } = filter
    const newestKey = newest && (await snapshot.read(() => placeOf.get(newest.podcast, newest.episode)))
    const { at, id } = newestKey ?? LATEST
    const since = isNew === undefined ? new Map<PodcastId, number>() : await ownPodcasts.newSince(userId, podcasts)
    for (const podcast of podcasts) {
      const from = isNew === true ? (since.get(podcast) ?? UNDATED) : UNDATED
      const below = isNew === false ? (since.get(podcast) ?? UNDATED) : Number.MAX_SAFE_INTEGER
      const all = await snapshot.read(() => idsOf.all(podcast, at, id, from, below))
      for (const batch of slices(all, EPISODES_AT_ONCE)) {
        const ids = JSON.stringify(batch.map(({ id: episode }) => episode))
        yield await snapshot.read(() => withStates(userId, markableById.all(userId, ids)))
        await nextTurn()
      }
    }
  }

  return {
    async named(userId, episodes) {
      const found: MarkableEpisode[] = []
      for (const batch of slices(episodes, EPISODES_AT_ONCE)) {
        if (found.length > 0) await nextTurn()
        const urls = JSON.stringify(batch.map(({ podcast, episode, guid = null }) => [podcast, episode, guid]))
        found.push(...(await snapshot.read(() => withStates(userId, markable.all(userId, urls)))))
      }
      return found
    },

    async inFilter(userId, filter) {
      const podcasts = await ownPodcasts.list(userId, filter)
      return podcasts.length > 0 ? inFilter(userId, filter, podcasts) : undefined
    },

    async has(userId, { podcast, episode }) {
      const podcasts = await ownPodcasts.list(userId, { podcasts: [podcast] })
      return podcasts.length > 0 && (await snapshot.read(() => placeOf.get(podcast, episode) !== null))
    },

    async *marked(userId, times) {
      for (const { deviceId, firstId, lastId } of await snapshot.read(() =>
        uploadsOf.all(userId, JSON.stringify(times)),
      )) {
        const read = (last: MarkRow | undefined) =>
          marksOf.all(userId, last?.id ?? firstId - 1, lastId, deviceId, EPISODES_AT_ONCE)
        for await (const rows of pages(snapshot, EPISODES_AT_ONCE, read)) {
          yield await snapshot.read(() => withEarlier(userId, rows))
          await nextTurn()
        }
      }
    },
  }
}

const LATEST = { at: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }
