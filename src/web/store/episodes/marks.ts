import { call } from '../../api/client.ts'
import { endPlaying } from '../player.ts'
import {
  fetchPage,
  type InboxFilter,
  type ListedEpisode,
  type Page,
  PER_PAGE_MAX,
  reloadEpisodes,
  showAs,
} from './lists.ts'

type State = ListedEpisode['state']

/** What is needed to mark an episode, and to take that back. */
export interface Markable {
  readonly podcast: { readonly url: string }
  readonly episode: { readonly url: string; readonly guid?: string }
  readonly state: State
  readonly position?: number
  readonly total?: number
}

/** Episodes that the server marks with one request. */
const MARKS_PER_REQUEST = 1000

/**
 * Marks episodes as played or new, on the page at once. Rejects with `ApiError`; then they are what they were.
 */
export async function markEpisodes(items: readonly ListedEpisode[], as: 'played' | 'new'): Promise<void> {
  const changed = items.filter(({ state }) => state !== as)
  showAs(changed.map((item) => ({ ...item, state: as })))
  try {
    await sendMarks(changed, as)
  } catch (error) {
    showAs(changed)
    throw error
  } finally {
    void reloadEpisodes()
  }
}

/** Takes a mark back: the episodes are what they were when they were given to `markEpisodes`. Rejects with `ApiError`. */
export async function restoreEpisodes(items: readonly ListedEpisode[]): Promise<void> {
  await sendBack(items)
  showAs(items)
  await reloadEpisodes()
}

/** Makes episodes on the server again what they were. Rejects with `ApiError`. */
export async function sendBack(items: readonly Markable[]): Promise<void> {
  for (const [state, some] of Map.groupBy(items, placeOf)) await sendMarks(some, state)
}

/** The state that can be sent: one in progress at an unknown place is new to all apps. */
function placeOf({ state, position = 0 }: Markable): State {
  return state === 'in_progress' && position < 1 ? 'new' : state
}

/** Marks episodes on the server; what the player has of them ends. Rejects with `ApiError`. */
export async function sendMarks(items: readonly Markable[], as: State): Promise<void> {
  await endPlaying(items.map(({ episode }) => episode.url))
  for (let from = 0; from < items.length; from += MARKS_PER_REQUEST) {
    const episodes = items.slice(from, from + MARKS_PER_REQUEST).map(({ podcast, episode, position, total }) => ({
      podcast: podcast.url,
      episode: episode.url,
      ...(episode.guid && { guid: episode.guid }),
      ...(as === 'in_progress' && position && { position, ...(total && { total }) }),
    }))
    await call('markEpisodes', { body: { as, episodes } })
  }
}

/**
 * The unplayed episodes of the inbox that are older than `item`, newest first, however many they are. `onProgress` is
 * called with how many have been found after each page but the last. Rejects with `ApiError`.
 */
export async function findOlder(
  item: ListedEpisode,
  filter: InboxFilter,
  onProgress: (found: number) => void = () => undefined,
): Promise<readonly ListedEpisode[]> {
  const found: ListedEpisode[] = []
  // Times of the API are UTC without saying so. The server takes any number for what was released in the same second.
  let next: string | null = `${Date.parse(`${item.episode.released}Z`) / 1000}.0`
  while (next !== null) {
    const page: Page = await fetchPage({ ...filter, onlyUnplayed: true }, next, PER_PAGE_MAX)
    found.push(...page.items)
    next = page.next
    if (next !== null) onProgress(found.length)
  }
  return found
}
