import { invalid } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { FEEDS_PER_REQUEST, tooManyFeeds } from '../shared/limits.ts'
import { fold } from '../shared/text.ts'
import type { Folder, FolderChange, FolderName, FolderStore } from './ports/folders.ts'

const NAME_MAX = 100

export type Folders = ReturnType<typeof createFolders>

/** Folders into which users sort their podcasts (docs/protocol.md#folders). */
export function createFolders(store: FolderStore) {
  return {
    list: (userId: UserId): Promise<Folder[]> => store.list(userId),

    /** Returns the ID of the folder, which is created if missing. Throws `validation_failed`, `quota_exceeded`. */
    create: async (userId: UserId, name: string): Promise<number> => store.ensure(userId, parseName(name)),

    /** Throws `validation_failed`, `not_found`. */
    rename: async (userId: UserId, id: number, name: string): Promise<void> =>
      store.rename(userId, id, parseName(name)),

    /** The podcasts stay subscribed. Throws `not_found`. */
    remove: (userId: UserId, id: number): Promise<void> => store.remove(userId, id),

    /** Adds podcasts that the user has or had to a folder, and skips others. Returns how many were not in it. */
    fill: (userId: UserId, id: number, podcasts: readonly string[]): Promise<number> =>
      store.fill(userId, id, podcasts),

    /**
     * All or nothing. Throws `validation_failed`, `payload_too_large`, `not_found`, `unknown_podcast`,
     * `quota_exceeded`.
     */
    async assign(userId: UserId, { podcasts, add, remove }: FolderChange): Promise<void> {
      if (podcasts.length > FEEDS_PER_REQUEST) throw tooManyFeeds()
      if (add.some((id) => remove.includes(id))) throw invalid('remove', 'a folder is in add and in remove')
      const urls = podcasts.map((text, index) => {
        const url = sanitizeUrl(text)
        if (url === undefined) throw invalid('podcasts', `podcasts[${index}] must be a URL`)
        return url
      })
      await store.assign(userId, { podcasts: urls, add, remove })
    },
  }
}

/** Throws `validation_failed`. */
function parseName(text: string): FolderName {
  const name = text.replaceAll(/\s+/g, ' ').trim()
  const { length } = [...name]
  if (length === 0 || length > NAME_MAX) throw invalid('name', `name must have 1 to ${NAME_MAX} characters`)
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) throw invalid('name', 'name must not contain control characters')
  if (!/[\p{L}\p{N}\p{P}\p{S}]/u.test(name)) throw invalid('name', 'name must contain a visible character')
  return { name, key: fold(name) }
}
