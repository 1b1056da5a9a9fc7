import type { ListedEpisode } from '../../../domain/directory/ports/inbox.ts'
import type { OwnSearchStore } from '../../../domain/directory/ports/own-search.ts'
import type { UserId } from '../../../domain/shared/ids.ts'
import { listenStateOf } from '../../../domain/sync/episode-actions.ts'
import { nextTurn } from '../../../platform/clock.ts'
import type { StoreParts } from '../../parts.ts'
import { prepareStates } from '../../sync/actions/episode-states.ts'
import { PODCAST_DETAILS, type PodcastRow, podcastColumnsFor, toPodcastObject } from '../../sync/podcast-rows.ts'
import { createOwnPodcasts } from '../inbox/own-podcasts.ts'
import { prepareListedRows, toListedEpisode } from '../listed-episodes.ts'
import { prepareEpisodeSearch } from './episode-search.ts'
import { prepareSearch } from './search.ts'

/** Limit of episodes for the search in the history: those that the server learned of last. */
const HISTORY_MAX = 5000

/** Search in the podcasts, episodes and history of a user (docs/protocol.md#D115). */
export function createOwnSearchStore({ db, snapshot, addresses }: StoreParts): OwnSearchStore {
  const findPodcasts = prepareSearch(db, 'own')
  const findEpisodes = prepareEpisodeSearch(db)
  const ownPodcasts = createOwnPodcasts({ db, snapshot, addresses })
  const listedRows = prepareListedRows(db)
  const statesOf = prepareStates(db)
  const podcastsById = db.prepare<PodcastRow, [UserId, string]>(
    `SELECT ${podcastColumnsFor('+?1')} FROM json_each(?2) j CROSS JOIN podcasts p ON p.id = CAST(j.value AS INTEGER) ${PODCAST_DETAILS} ORDER BY j.key`,
  )
  const selectHistory = db.prepare<{ id: number }, [UserId]>(
    `SELECT k.document_id AS id
       FROM (SELECT DISTINCT episode_id FROM user_episodes WHERE user_id = ?1 ORDER BY episode_id DESC LIMIT ${HISTORY_MAX}) ue
       CROSS JOIN episode_documents k ON k.episode_id = ue.episode_id`,
  )

  function read(userId: UserId, ids: readonly number[], isHistory: boolean): ListedEpisode[] {
    const states = statesOf(userId, ids)
    // Details of a podcast that is now hidden from the user must not be found either.
    const rows = listedRows(userId, ids).filter(({ title }) => title !== null)
    const all = rows.map((row) => toListedEpisode(row, states.get(row.episodeId)))
    return isHistory ? all.filter(({ action }) => listenStateOf(action) !== 'new') : all
  }

  return {
    async find(userId, query, limits) {
      const own = await ownPodcasts.list(userId)
      const podcasts = await snapshot.read(() => {
        const ids = findPodcasts(query, userId, limits.podcasts)
        return podcastsById.all(userId, JSON.stringify(ids)).map(toPodcastObject)
      })
      await nextTurn()
      const found = await snapshot.read(() => {
        const documents = selectHistory.all(userId).map(({ id }) => id)
        // Some results may have been downloaded but not played.
        return findEpisodes(
          query.words,
          { own, history: documents },
          { own: limits.episodes, history: 2 * limits.history },
        )
      })
      await nextTurn()
      return snapshot.read(() => ({
        podcasts,
        episodes: read(userId, found.own, false),
        history: read(userId, found.history, true).slice(0, limits.history),
      }))
    },
  }
}
