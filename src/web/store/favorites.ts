import { signal } from '@preact/signals'
import { call } from '../api/client.ts'
import { ownName } from './session.ts'

interface Episode {
  /** The feed URL. */
  readonly podcast: string
  /** The media URL. */
  readonly url: string
}

/** What was changed in this tab, by media URL: newer than what a page has loaded. */
const changed = signal<ReadonlyMap<string, boolean>>(new Map())

/** Whether an episode is a favorite, given what a page has loaded. */
export function isFavorite({ url }: Pick<Episode, 'url'>, loaded: boolean): boolean {
  return changed.value.get(url) ?? loaded
}

/** Makes an episode a favorite, or no favorite, which apps see as a setting of the episode. Rejects with `ApiError`. */
export async function setFavorite({ podcast, url }: Episode, isWanted: boolean): Promise<void> {
  await call('changeSettings', {
    path: { username: ownName(), scope: 'episode' },
    query: { podcast, episode: url },
    body: isWanted ? { set: { is_favorite: true } } : { remove: ['is_favorite'] },
  })
  changed.value = new Map([...changed.value, [url, isWanted]])
}

/** The media URLs of the user's favorites, and forgets what was changed before. Rejects with `ApiError`. */
export async function loadFavorites(signal?: AbortSignal) {
  const list = await call('listFavorites', { path: { username: ownName() }, ...(signal && { signal }) })
  changed.value = new Map()
  return list
}
