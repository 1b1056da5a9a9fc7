import type { Database } from 'bun:sqlite'
import type { OwnEpisode, PodcastStore } from '../../../domain/directory/ports/podcasts.ts'
import type { PodcastId, UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { excerptOf, fold } from '../../../domain/shared/text.ts'
import { listenStateOf } from '../../../domain/sync/episode-actions.ts'
import { nextTurn } from '../../../platform/clock.ts'
import type { Snapshot } from '../core/snapshot.ts'
import { prepareStates } from '../sync/actions/episode-states.ts'
import { PODCAST_DETAILS } from '../sync/podcast-rows.ts'
import { EPISODE_COLUMNS, type EpisodeRow, toEpisodeObject } from './episode-rows.ts'

interface TitleRow {
  readonly id: number
  readonly title: string
  readonly season: number | null
}

type OwnRow = EpisodeRow & { readonly episodeId: number; readonly isFavorite: number }

const TITLES_AT_ONCE = 2000
const STATES_AT_ONCE = 250
const NOTES_READ = 3000
const DESCRIPTION_MAX = 300
const PICTURE_LINK = /<a [^<>]*>🖼[^<]*<\/a>/gu

export function prepareOwnEpisodes(db: Database, snapshot: Snapshot): PodcastStore['ownEpisodes'] {
  const statesOf = prepareStates(db)
  const listed = 'FROM episode_details WHERE podcast_id = +?1 AND is_listed = 1'
  const titles = db.prepare<TitleRow, [PodcastId, number, number]>(
    `SELECT episode_id AS id, title, season ${listed} ORDER BY released DESC, episode_id DESC LIMIT ?2 OFFSET ?3`,
  )
  const seasonsOf = db.prepare<{ season: number }, [PodcastId]>(
    `SELECT DISTINCT season ${listed} AND season IS NOT NULL ORDER BY season DESC LIMIT 100`,
  )
  const byId = db.prepare<OwnRow, [UserId, string]>(
    `SELECT ed.episode_id AS episodeId, ${EPISODE_COLUMNS.replace('ed.description', `substr(ed.description, 1, ${NOTES_READ}) AS description`)},
            EXISTS (SELECT 1 FROM settings s WHERE s.user_id = +?1 AND s.scope = 'episode' AND s.favorite_at IS NOT NULL
                       AND s.target = p.url || ' ' || e.url) AS isFavorite
       FROM json_each(?2) j CROSS JOIN episodes e ON e.id = j.value CROSS JOIN episode_details ed ON ed.episode_id = e.id
       CROSS JOIN podcasts p ON p.id = e.podcast_id ${PODCAST_DETAILS} ORDER BY j.key`,
  )

  async function matching(podcast: PodcastId, text: string, season: number | undefined): Promise<number[]> {
    const wanted = fold(text.trim())
    const found: number[] = []
    for (let offset = 0; ; offset += TITLES_AT_ONCE) {
      snapshot.use()
      const rows = titles.all(podcast, TITLES_AT_ONCE, offset)
      for (const row of rows)
        if ((season === undefined || row.season === season) && (wanted === '' || fold(row.title).includes(wanted)))
          found.push(row.id)
      if (rows.length < TITLES_AT_ONCE) return found
      await nextTurn()
    }
  }

  async function unplayed(userId: UserId, ids: readonly number[]): Promise<number[]> {
    const found: number[] = []
    for (const some of slices(ids, STATES_AT_ONCE)) {
      snapshot.use()
      const states = statesOf(userId, some)
      for (const id of some) if (listenStateOf(states.get(id)) !== 'played') found.push(id)
      await nextTurn()
    }
    return found
  }

  return async (userId, podcast, { text, season, onlyUnplayed, isOldestFirst }, { offset, limit }) => {
    const all = await matching(podcast, text, season)
    const wanted = onlyUnplayed ? await unplayed(userId, all) : all
    const ids = (isOldestFirst ? wanted.toReversed() : wanted).slice(offset, offset + limit)
    snapshot.use()
    const states = statesOf(userId, ids)
    const episodes = byId.all(userId, JSON.stringify(ids)).map(({ episodeId, isFavorite, ...row }): OwnEpisode => {
      // Without the tag in which it was cut, and without pictures, which are links here.
      const description = row.description.replace(/<[^>]*$/, '').replaceAll(PICTURE_LINK, '')
      const episode = toEpisodeObject({ ...row, description })
      return {
        ...episode,
        description: excerptOf(episode.description, DESCRIPTION_MAX),
        action: states.get(episodeId),
        isFavorite: isFavorite === 1,
      }
    })
    return { total: wanted.length, seasons: seasonsOf.all(podcast).map(({ season }) => season), episodes }
  }
}
