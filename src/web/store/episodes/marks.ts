import { call, type Options } from '../../api/client.ts'
import { endPlaying } from '../player.ts'
import { type InboxFilter, type ListedEpisode, reloadEpisodes, showAs } from './lists.ts'

export interface Markable {
  readonly podcast: { readonly url: string }
  readonly episode: { readonly url: string; readonly guid?: string }
}

/** Selection among the episodes of the user's podcasts. All conditions must hold. */
export type MarkFilter = NonNullable<Options<'markEpisodes'>['body']['all']>

/** The server's undo tokens, one per request. */
export type Undo = readonly string[]

/** Maximum number of episodes listed in one request. */
const MARKS_PER_REQUEST = 1000

/**
 * Marks episodes as played or new and shows that at once. Rejects with `ApiError` and restores them if that fails.
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

/** Undoes marks. `items` are the episodes as passed to `markEpisodes`. Rejects with `ApiError`. */
export async function restoreEpisodes(items: readonly ListedEpisode[], undo: Undo): Promise<void> {
  await undoMarks(undo)
  showAs(items)
  await reloadEpisodes()
}

/** Marks episodes on the server and stops the player if it holds one of them. Rejects with `ApiError`. */
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

/** Marks all episodes of a filter. Returns the number of episodes that changed. Rejects with `ApiError`. */
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

/** Rejects with `ApiError`; requests before the failed one stay undone. */
export async function undoMarks(undo: Undo): Promise<void> {
  for (const each of undo.toReversed()) await call('markEpisodes', { body: { undo: each } })
}

/** Returns the mark filter for the podcasts of an inbox filter. */
export function podcastsOf({ podcast, tag, folder }: InboxFilter): MarkFilter {
  return {
    ...(podcast !== '' && { podcasts: [podcast] }),
    ...(tag !== '' && { tag }),
    ...(folder !== '' && { folder: Number(folder) }),
  }
}
