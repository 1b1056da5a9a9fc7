import type { Clock } from '../../platform/clock.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { type EpisodeActions, listenStateOf, readGuid } from '../sync/episode-actions.ts'
import type { EpisodeAction } from '../sync/ports/episode-actions.ts'
import type { SyncClient } from '../sync/subscriptions.ts'
import type { Tag } from './ports/directory.ts'
import type {
  Before,
  InboxStore,
  ListedEpisode,
  MarkableEpisode,
  PageBefore,
  PageOfTime,
  UnplayedCount,
} from './ports/inbox.ts'

/** What an episode is marked as. `in_progress` takes back another mark: it needs the position. */
export type Mark = 'played' | 'new' | 'in_progress'

type EpisodeName = Pick<EpisodeAction, 'podcast' | 'episode' | 'guid'>

/** How far an episode had been heard, in seconds. */
type Place = Partial<Pick<EpisodeAction, 'position' | 'total'>>

export type Marked = { readonly episodes: readonly (EpisodeName & Place)[] } | { readonly podcast: string }

export interface MarkResult {
  readonly marked: number
  readonly hasMore: boolean
  readonly timestamp: number
}

export const MARKS_PER_REQUEST = 1000

const TAGS_MAX = 100

export function createInbox(store: InboxStore, episodeActions: EpisodeActions, clock: Clock) {
  async function find(userId: UserId, marked: Marked, as: Mark): Promise<(MarkableEpisode & { place?: Place })[]> {
    const isFirst = createIsFirst()
    if ('episodes' in marked) {
      const episodes = marked.episodes.map(parseEpisode)
      const known = await store.episodesToMark(userId, episodes)
      return known.map((episode, index) => ({ ...episode, place: episodes[index] ?? {} })).filter(isFirst)
    }
    const url = sanitizeUrl(marked.podcast) ?? marked.podcast
    const isWanted = (episode: Pick<MarkableEpisode, 'key' | 'action'>) =>
      !isMarked(as, episode.action) && isFirst(episode)
    const found = await store.episodesOfPodcast(userId, url, isWanted, MARKS_PER_REQUEST + 1)
    if (!found) throw new DomainError('unknown_podcast', 'none of your devices is subscribed to this podcast')
    return found
  }

  return {
    inProgress: (userId: UserId, page: PageBefore): Promise<PageOfTime<ListedEpisode>> =>
      store.inProgress(userId, page),

    list(
      userId: UserId,
      page: PageBefore & {
        readonly podcast: string | undefined
        readonly tag: string | undefined
        readonly onlyUnplayed: boolean
      },
    ): Promise<PageOfTime<ListedEpisode>> {
      const { podcast } = page
      return store.inbox(userId, { ...page, podcast: podcast && (sanitizeUrl(podcast) ?? podcast) })
    },

    async tags(userId: UserId): Promise<Tag[]> {
      return (await store.tags(userId)).slice(0, TAGS_MAX)
    },

    unplayed: (userId: UserId): Promise<UnplayedCount[]> => store.unplayed(userId),

    /** Writes ordinary actions without a device. Marking twice changes nothing. Throws `validation_failed`. */
    async mark(syncClient: SyncClient, marked: Marked, as: Mark): Promise<MarkResult> {
      if ('episodes' in marked && marked.episodes.length > MARKS_PER_REQUEST)
        throw invalid('episodes', `episodes must be ${MARKS_PER_REQUEST} at most`)
      if (as === 'in_progress' && !('episodes' in marked && marked.episodes.every(({ position }) => position)))
        throw invalid('episodes', 'in_progress needs the position of each episode')
      const found = await find(syncClient.userId, marked, as)
      const now = clock.seconds()
      const actions = found
        .slice(0, MARKS_PER_REQUEST)
        .flatMap((episode) => planMark(as, episode, now, episode.place) ?? [])
      const timestamp = await episodeActions.mark(syncClient, actions)
      return { marked: actions.length, hasMore: found.length > MARKS_PER_REQUEST, timestamp }
    },
  }
}

/** The length of an episode that is unknown, in seconds: apps take a total of 0 for none. */
const UNKNOWN_LENGTH = 1

/** The action that marks the episode; `undefined` if it is already in that state. `now` in Unix seconds. */
export function planMark(
  as: Mark,
  episode: Omit<MarkableEpisode, 'key'>,
  now: number,
  place: Place = {},
): EpisodeAction | undefined {
  const { podcast, episode: url, guid, length = UNKNOWN_LENGTH, action } = episode
  if (isMarked(as, action, place)) return undefined
  // Later than the state, also if a clock that runs ahead has reported that (docs/protocol.md#D45).
  const at = action ? Math.max(now, action.at + 1) : now
  const named = { podcast, episode: url, guid, at }
  if (as === 'new') return { ...named, kind: 'new' }
  // AntennaPod takes no action without all three; as a mark (D86) it says nothing of listening.
  if (as === 'played') return { ...named, kind: 'play', started: length, position: length, total: length }
  const { position = 1, total = length } = place
  return { ...named, kind: 'play', started: position, position, total: Math.max(total, position + 1) }
}

function isMarked(as: Mark, action: EpisodeAction | undefined, { position }: Place = {}): boolean {
  return listenStateOf(action) === as && (as !== 'in_progress' || action?.position === position)
}

function createIsFirst() {
  const seen = new Set<string>()
  return ({ key }: Pick<MarkableEpisode, 'key'>): boolean => seen.size < seen.add(key).size
}

function parseEpisode({ podcast, episode, guid, ...place }: EpisodeName & Place, index: number): EpisodeName & Place {
  const urls = { podcast: sanitizeUrl(podcast), episode: sanitizeUrl(episode) }
  for (const [key, url] of Object.entries(urls))
    if (url === undefined) throw invalid('episodes', `episodes[${index}].${key} must be a URL`)
  return { ...place, podcast: urls.podcast ?? '', episode: urls.episode ?? '', guid: readGuid(guid) }
}

/** The `before` of a query, as `formatBefore` makes it; undefined if it is missing. Throws `validation_failed`. */
export function parseBefore(text: string | undefined): Before | undefined {
  if (text === undefined || text === '') return undefined
  const [, at, id] = /^(-?\d{1,15})\.(-?\d{1,15})$/.exec(text) ?? []
  if (at === undefined || id === undefined) throw invalid('before', 'before must be the `next` of another page')
  return { at: Number(at), id: Number(id) }
}

export function formatBefore({ at, id }: Before): string {
  return `${at}.${id}`
}
