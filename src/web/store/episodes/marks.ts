import { call, type Options } from '../../api/client.ts'
import { endPlaying } from '../player.ts'
import { type InboxFilter, type ListedEpisode, reloadEpisodes, showAs } from './lists.ts'

/** An episode as a mark names it. */
export interface Markable {
  readonly podcast: { readonly url: string }
  readonly episode: { readonly url: string; readonly guid?: string }
}

/** Which episodes of the user's podcasts: all that everything in it applies to. */
export type MarkFilter = NonNullable<Options<'markEpisodes'>['body']['all']>

/** The server's names for marks, with which it restores what was before them. */
export type Undo = readonly string[]

/** Episodes that one request marks by name. */
const MARKS_PER_REQUEST = 1000

/**
 * Marks episodes as played or new, on the page at once. Rejects with `ApiError`; then they are what they were.
 */
export async function markEpisodes(items: readonly ListedEpisode[], as: 'played' | 'new'): Promise<Undo> {
  const changed = items.filter(({ state }) => state !== as)
  showAs(changed.map((item) => ({ ...item, state: as })))
  try {
    return await sendMarks(changed, as)
  } catch (error) {
    showAs(changed)
    throw error
  } finally {
    void reloadEpisodes()
  }
}

/** Undoes marks: the episodes are what they were when they were given to `markEpisodes`. Rejects with `ApiError`. */
export async function restoreEpisodes(items: readonly ListedEpisode[], undo: Undo): Promise<void> {
  await undoMarks(undo)
  showAs(items)
  await reloadEpisodes()
}

/** Marks episodes on the server; what the player has of them ends. Rejects with `ApiError`. */
export async function sendMarks(items: readonly Markable[], as: 'played' | 'new'): Promise<Undo> {
  await endPlaying(items.map(({ episode }) => episode.url))
  const undo: string[] = []
  for (let from = 0; from < items.length; from += MARKS_PER_REQUEST) {
    const episodes = items.slice(from, from + MARKS_PER_REQUEST).map(({ podcast, episode }) => ({
      podcast: podcast.url,
      episode: episode.url,
      ...(episode.guid && { guid: episode.guid }),
    }))
    const marked = await call('markEpisodes', { body: { as, episodes } })
    if (marked.undo !== null) undo.push(marked.undo)
  }
  return undo
}

/** Marks all episodes of a filter, however many, and tells how many were not so before. Rejects with `ApiError`. */
export async function markAll(
  all: MarkFilter,
  as: 'played' | 'new',
): Promise<{ readonly n: number; readonly undo: Undo }> {
  const undo: string[] = []
  let n = 0
  for (let hasMore = true; hasMore; ) {
    const marked = await call('markEpisodes', { body: { as, all } })
    n += marked.marked
    if (marked.undo !== null) undo.push(marked.undo)
    hasMore = marked.has_more
  }
  return { n, undo }
}

/** Rejects with `ApiError`; what was undone before that stays so. */
export async function undoMarks(undo: Undo): Promise<void> {
  for (const each of undo.toReversed()) await call('markEpisodes', { body: { undo: each } })
}

/** The podcasts of the inbox, for a mark. */
export function podcastsOf({ podcast, tag, folder }: InboxFilter): MarkFilter {
  return {
    ...(podcast !== '' && { podcasts: [podcast] }),
    ...(tag !== '' && { tag }),
    ...(folder !== '' && { folder: Number(folder) }),
  }
}
