import type { Clock } from '../../platform/clock.ts'
import { createHostQueue } from '../shared/concurrency.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { FEEDS_PER_REQUEST, MARKS_PER_REQUEST, NAMED_MARKS_PER_REQUEST } from '../shared/limits.ts'
import { slugOf } from '../shared/text.ts'
import { type EpisodeActions, listenStateOf, readGuid } from '../sync/episode-actions.ts'
import type { EpisodeAction } from '../sync/ports/episode-actions.ts'
import type { SyncClient } from '../sync/subscriptions.ts'
import type { MarkableEpisode, MarkedEpisode, MarkFilter, MarkStore } from './ports/inbox.ts'

/** State set by a mark. `in_progress` undoes another mark and requires a position. */
export type Mark = 'played' | 'new' | 'in_progress'

type EpisodeName = Pick<EpisodeAction, 'podcast' | 'episode' | 'guid'>

/** Playback position and length, in seconds. */
type Place = Partial<Pick<EpisodeAction, 'position' | 'total'>>

export type Marked = { readonly episodes: readonly (EpisodeName & Place)[] } | { readonly all: MarkFilter }

export interface MarkResult {
  readonly marked: number
  /** True if more episodes match than one request marks. */
  readonly hasMore: boolean
  /** Argument for `undo`; undefined if nothing was marked. */
  readonly undo: string | undefined
  readonly timestamp: number
}

/** Actions per job of the write queue. A job takes about 20 ms; other users' writes run in between. */
const ACTIONS_PER_JOB = 1000

/** Marks are ordinary actions without a device, so earlier actions stay in the history (docs/protocol.md#D91). */
export function createMarks(parts: {
  readonly store: MarkStore
  readonly episodeActions: EpisodeActions
  readonly clock: Clock
}) {
  const { store, episodeActions, clock } = parts
  // Requests of one user run one at a time, so that no episode is marked twice.
  const queue = createHostQueue({ atOnce: 8, perHost: 1 })

  async function* findEpisodes(
    userId: UserId,
    marked: Marked,
    state: Mark,
  ): AsyncGenerator<readonly (MarkableEpisode & { place?: Place })[]> {
    if ('all' in marked) {
      const filter = await parseFilter(userId, marked.all)
      const found = await store.inFilter(userId, filter)
      if (found) yield* found
      else if (filter.podcasts && filter.tag === undefined) throw unknownPodcast()
      return
    }
    if (state === 'in_progress' && !marked.episodes.every(({ position }) => position))
      throw invalid('episodes', 'in_progress needs the position of each episode')
    const episodes = marked.episodes.map(parseEpisode)
    const markable = await store.named(userId, episodes)
    yield markable.map((episode, index) => ({ ...episode, place: episodes[index] ?? {} }))
  }

  async function parseFilter(userId: UserId, filter: MarkFilter): Promise<MarkFilter> {
    const podcasts = filter.podcasts?.map((url) => sanitizeUrl(url) ?? url)
    const tag = filter.tag === undefined ? undefined : slugOf(filter.tag)
    const newest = filter.newest && parseEpisode(filter.newest, undefined)
    if (newest && !(await store.has(userId, newest)))
      throw new DomainError('unknown_episode', 'none of your podcasts has this episode')
    return { ...filter, podcasts, tag, newest }
  }

  /** Stores the actions in batches, so that a large request needs neither much memory nor a long transaction. */
  async function write(syncClient: SyncClient, pieces: AsyncIterable<readonly EpisodeAction[]>): Promise<MarkResult> {
    const times: number[] = []
    let timestamp: number | undefined
    let count = 0
    const waiting: EpisodeAction[] = []

    async function store(actions: readonly EpisodeAction[]): Promise<void> {
      const written = await episodeActions.mark(syncClient, actions)
      timestamp = written.timestamp
      count += written.added
      if (written.added > 0) times.push(written.clock)
    }

    let hasMore = false
    for await (const actions of pieces) {
      const room = MARKS_PER_REQUEST - count - waiting.length
      hasMore = actions.length > room
      waiting.push(...actions.slice(0, room))
      while (waiting.length >= ACTIONS_PER_JOB) await store(waiting.splice(0, ACTIONS_PER_JOB))
      if (hasMore) break
    }
    if (waiting.length > 0 || timestamp === undefined) await store(waiting)
    return { marked: count, hasMore, undo: formatUndo(times), timestamp: timestamp ?? 0 }
  }

  async function* actionsOf(userId: UserId, marked: Marked, state: Mark) {
    const isFirst = createIsFirst()
    for await (const episodes of findEpisodes(userId, marked, state))
      yield episodes
        .filter(isFirst)
        .flatMap((episode) => planMark(state, episode, clock.seconds(), episode.place) ?? [])
  }

  async function* earlierOf(userId: UserId, times: readonly number[]) {
    const isFirst = createIsFirst()
    for await (const episodes of store.marked(userId, times))
      yield episodes.filter(isFirst).flatMap((episode) => planUndo(episode, clock.seconds()) ?? [])
  }

  return {
    /**
     * Idempotent, even if requests run at the same time. Throws `validation_failed`, `unknown_podcast`,
     * `unknown_episode`.
     */
    async mark(syncClient: SyncClient, marked: Marked, state: Mark): Promise<MarkResult> {
      if ('episodes' in marked && marked.episodes.length > NAMED_MARKS_PER_REQUEST)
        throw invalid('episodes', `episodes must be ${NAMED_MARKS_PER_REQUEST} at most`)
      if ('all' in marked && state === 'in_progress')
        throw invalid('episodes', 'in_progress needs single episodes and their positions')
      if ('all' in marked && (marked.all.podcasts?.length ?? 0) > FEEDS_PER_REQUEST)
        throw invalid('all', `all.podcasts must be ${FEEDS_PER_REQUEST} at most`)
      const { userId } = syncClient
      return queue.run(String(userId), () => write(syncClient, actionsOf(userId, marked, state)))
    },

    /**
     * Undoes the marks of one response, except for episodes whose state has changed since. Throws
     * `validation_failed`.
     */
    async undo(syncClient: SyncClient, undo: string): Promise<MarkResult> {
      const { userId } = syncClient
      const times = parseUndo(undo)
      return queue.run(String(userId), () => write(syncClient, earlierOf(userId, times)))
    },
  }
}

/** Length in seconds for an episode of unknown length. Apps treat a total of 0 as missing. */
const UNKNOWN_LENGTH = 1

/** Returns the action that marks the episode, or `undefined` if it is already in that state. `now` is Unix seconds. */
export function planMark(
  state: Mark,
  episode: Omit<MarkableEpisode, 'key'>,
  now: number,
  place: Place = {},
): EpisodeAction | undefined {
  const { podcast, episode: url, guid, length = UNKNOWN_LENGTH, action } = episode
  if (isMarked(state, action, place)) return undefined
  // Must be later than the latest action, even if an app's clock was ahead (docs/protocol.md#D45).
  const at = action ? Math.max(now, action.at + 1) : now
  const named = { podcast, episode: url, guid, at }
  if (state === 'new') return { ...named, kind: 'new' }
  // AntennaPod ignores a play action without all three. With all three equal it does not count as listening (D86).
  if (state === 'played') return { ...named, kind: 'play', started: length, position: length, total: length }
  const { position = 1, total = length } = place
  return { ...named, kind: 'play', started: position, position, total: Math.max(total, position + 1) }
}

/** Returns the action that restores the state before the mark, or `undefined` if the mark did not change it. */
export function planUndo({ before, ...episode }: MarkedEpisode, now: number): EpisodeAction | undefined {
  const { position, total } = before ?? {}
  return planMark(listenStateOf(before), episode, now, { position, ...(total && { total }) })
}

function isMarked(state: Mark, action: EpisodeAction | undefined, { position }: Place = {}): boolean {
  return listenStateOf(action) === state && (state !== 'in_progress' || action?.position === position)
}

function createIsFirst() {
  const seen = new Set<string>()
  return ({ key }: Pick<MarkableEpisode, 'key'>): boolean => seen.size < seen.add(key).size
}

function parseEpisode({ podcast, episode, guid, ...place }: EpisodeName & Place, index?: number): EpisodeName & Place {
  const field = index === undefined ? 'all' : 'episodes'
  const prefix = index === undefined ? 'all.newest' : `episodes[${index}]`
  const urls = { podcast: sanitizeUrl(podcast), episode: sanitizeUrl(episode) }
  for (const [key, url] of Object.entries(urls))
    if (url === undefined) throw invalid(field, `${prefix}.${key} must be a URL`)
  return { ...place, podcast: urls.podcast ?? '', episode: urls.episode ?? '', guid: readGuid(guid) }
}

function unknownPodcast(): DomainError {
  return new DomainError('unknown_podcast', 'none of your devices is subscribed to this podcast')
}

/** Logical times of the marks, in base 36. */
const UNDO = /^[0-9a-z]{1,10}(?:\.[0-9a-z]{1,10}){0,99}$/

function formatUndo(times: readonly number[]): string | undefined {
  return times.length > 0 ? times.map((time) => time.toString(36)).join('.') : undefined
}

function parseUndo(text: string): readonly number[] {
  if (!UNDO.test(text)) throw invalid('undo', 'undo must be the `undo` of another response')
  return text.split('.').map((time) => Number.parseInt(time, 36))
}
