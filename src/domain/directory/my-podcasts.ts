import type { Clock } from '../../platform/clock.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import { type List, mapList } from '../shared/lists.ts'
import { timeOf } from '../sync/cursors.ts'
import type { DeviceOfPodcast, MyPodcastsStore, OwnPodcast, SubscribedPodcast } from './ports.ts'

/** Since when; undefined if nobody knows. */
export type Dated<T> = T & { readonly addedAt: number | undefined }

/** What somebody has, with everything a page about it shows. */
export interface MyPodcasts {
  /** Longest held first; with `onlyNew` those alone of which nobody has asked the feed yet. */
  list(userId: UserId, onlyNew?: boolean): Promise<List<Dated<SubscribedPodcast>>>
  /** Throws `validation_failed`, `unknown_podcast` (the user has never had it). */
  find(userId: UserId, url: string): Promise<Dated<OwnPodcast & { readonly devices: DeviceOfPodcast[] }>>
}

export function createMyPodcasts(store: MyPodcastsStore, clock: Clock): MyPodcasts {
  function dated<T extends OwnPodcast>(podcast: T): Dated<T> {
    const { addedSeq } = podcast
    return { ...podcast, addedAt: addedSeq === undefined ? undefined : timeOf(addedSeq, clock.seconds()) }
  }

  return {
    async list(userId, onlyNew) {
      return mapList(await store.list(userId, onlyNew), dated)
    },

    async find(userId, given) {
      if (given.trim() === '') throw invalid('url', 'url is required')
      const url = sanitizeUrl(given)
      if (url === undefined) throw invalid('url', 'url must be an http or https address')
      const podcast = await store.find(userId, url)
      if (!podcast) throw new DomainError('unknown_podcast', 'you have never had this podcast')
      return dated(podcast)
    },
  }
}
