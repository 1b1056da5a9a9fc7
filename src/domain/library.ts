import type { Clock } from '../platform/clock.ts'
import type { DirectoryKeeper } from './directory-keeper.ts'
import { DomainError, invalid } from './errors.ts'
import { sanitizeUrl } from './feed-url.ts'
import type { UserId } from './ids.ts'
import type { DeviceOfPodcast, LibraryStore, OwnPodcast, SubscribedPodcast } from './library-ports.ts'
import { type List, mapList } from './lists.ts'
import { timeOf } from './logical-clock.ts'

/** Since when; undefined if nobody knows. */
export type Dated<T> = T & { readonly addedAt: number | undefined }

/** What somebody has, with everything a page about it shows. */
export interface Library {
  /** Longest held first; with `onlyNew` those alone of which nobody has asked the feed yet. */
  list(userId: UserId, onlyNew?: boolean): Promise<List<Dated<SubscribedPodcast>>>
  /** Throws `validation_failed`, `unknown_podcast` (the user has never had it). */
  find(userId: UserId, url: string): Promise<Dated<OwnPodcast & { readonly devices: DeviceOfPodcast[] }>>
}

export function createLibrary(store: LibraryStore, keeper: DirectoryKeeper, clock: Clock): Library {
  function dated<T extends OwnPodcast>(podcast: T): Dated<T> {
    const { addedSeq } = podcast
    return { ...podcast, addedAt: addedSeq === undefined ? undefined : timeOf(addedSeq, clock.seconds()) }
  }

  return {
    async list(userId, onlyNew) {
      // A podcast counts as private until somebody has looked.
      await keeper.catchUp()
      return mapList(await store.list(userId, onlyNew), dated)
    },

    async find(userId, given) {
      if (given.trim() === '') throw invalid('url', 'url is required')
      const url = sanitizeUrl(given)
      if (url === undefined) throw invalid('url', 'url must be an http or https address')
      await keeper.catchUp()
      const podcast = await store.find(userId, url)
      if (!podcast) throw new DomainError('unknown_podcast', 'you have never had this podcast')
      return dated(podcast)
    },
  }
}
