import { signal } from '@preact/signals'
import { call } from '../api/client.ts'
import { ownName } from './session.ts'

interface Episode {
  /** Feed URL. */
  readonly podcast: string
  /** Media URL. */
  readonly url: string
}

/** Changes made in this tab, by media URL. They override data that a page has loaded. */
const changed = signal<ReadonlyMap<string, boolean>>(new Map())

/** Whether an episode is a favorite. `loaded` is the state that a page has loaded. */
export function isFavorite({ url }: Pick<Episode, 'url'>, loaded: boolean): boolean {
  return changed.value.get(url) ?? loaded
}

/** Adds or removes a favorite, which apps see as an episode setting. Rejects with `ApiError`. */
export async function setFavorite({ podcast, url }: Episode, isWanted: boolean): Promise<void> {
  await call('changeSettings', {
    path: { username: ownName(), scope: 'episode' },
    query: { podcast, episode: url },
    body: isWanted ? { set: { is_favorite: true } } : { remove: ['is_favorite'] },
  })
  changed.value = new Map([...changed.value, [url, isWanted]])
}

/** Loads the user's favorites and clears local changes. Rejects with `ApiError`. */
export async function loadFavorites(signal?: AbortSignal) {
  const list = await call('listFavorites', { path: { username: ownName() }, ...(signal && { signal }) })
  changed.value = new Map()
  return list
}
