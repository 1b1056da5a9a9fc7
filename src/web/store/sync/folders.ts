import { type Answer, call } from '../../api/client.ts'
import { createResource } from '../resource.ts'
import { feedUrl } from '../subscriptions.ts'

export type Folder = Answer<'listFolders'>['folders'][number]

const resource = createResource<readonly Folder[]>(async () => (await call('listFolders')).folders)

/** The user's folders, sorted by name; undefined until loaded. */
export const folders = resource.value

/** Returns the folders, loaded again unless they are recent. Rejects with `ApiError`. */
export const ensureFolders = resource.get

/** Rejects with `ApiError`. */
export const loadFolders = resource.load

/** Stores folders from another operation's answer. */
export const setFolders = resource.set

/** Whether a podcast is in a folder. The URL is normalized first. */
export function isInFolder({ podcasts }: Folder, url: string): boolean {
  return podcasts.includes(feedUrl(url))
}

/** Creates a folder, or finds the one with this name. Returns its ID. Rejects with `ApiError`. */
export async function createFolder(name: string): Promise<number> {
  const { folders: now } = await call('createFolder', { body: { name } })
  const idsBefore = new Set(folders.peek()?.map(({ id }) => id))
  resource.set(now)
  // The server folds more characters than this comparison, and another tab may create folders at the same time.
  const normalized = name.replaceAll(/\s+/g, ' ').trim()
  const isSame = (folder: Folder) => folder.name.localeCompare(normalized, undefined, { sensitivity: 'base' }) === 0
  return (now.find(isSame) ?? now.find(({ id }) => !idsBefore.has(id)))?.id ?? 0
}

export async function renameFolder(id: number, name: string): Promise<void> {
  resource.set((await call('renameFolder', { path: { id }, body: { name } })).folders)
}

/** Removes a folder but keeps its podcasts. */
export async function removeFolder(id: number): Promise<void> {
  resource.set((await call('removeFolder', { path: { id } })).folders)
}

/** Adds podcasts to folders and removes them from others, atomically. Rejects with `ApiError`. */
export async function assignFolders(
  urls: readonly string[],
  add: readonly number[],
  remove: readonly number[],
): Promise<void> {
  const body = { podcasts: urls.map(feedUrl), add: [...add], remove: [...remove] }
  resource.set((await call('assignFolders', { body })).folders)
}
