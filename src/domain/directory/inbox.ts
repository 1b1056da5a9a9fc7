import { invalid } from '../shared/errors.ts'
import { sanitizeUrl } from '../shared/feed-url.ts'
import type { UserId } from '../shared/ids.ts'
import type { Tag } from './ports/directory.ts'
import type { Before, InboxStore, ListedEpisode, PageBefore, PageOfTime, UnplayedCount } from './ports/inbox.ts'

const TAGS_MAX = 100

export function createInbox(store: InboxStore) {
  return {
    inProgress: (userId: UserId, page: PageBefore): Promise<PageOfTime<ListedEpisode>> =>
      store.inProgress(userId, page),

    list(
      userId: UserId,
      page: PageBefore & {
        readonly podcast: string | undefined
        readonly tag: string | undefined
        readonly folder: number | undefined
        readonly onlyUnplayed: boolean
        readonly onlyNew: boolean
      },
    ): Promise<PageOfTime<ListedEpisode>> {
      const { podcast, onlyUnplayed, ...rest } = page
      const podcasts = podcast === undefined ? undefined : [sanitizeUrl(podcast) ?? podcast]
      return store.inbox(userId, { ...rest, podcasts, onlyUnplayed: onlyUnplayed || page.onlyNew })
    },

    async tags(userId: UserId): Promise<Tag[]> {
      return (await store.tags(userId)).slice(0, TAGS_MAX)
    },

    unplayed: (userId: UserId): Promise<UnplayedCount[]> => store.unplayed(userId),
  }
}

/** Parses the output of `formatBefore`; undefined if empty or missing. Throws `validation_failed`. */
export function parseBefore(text: string | undefined): Before | undefined {
  if (text === undefined || text === '') return undefined
  const [, at, id] = /^(-?\d{1,15})\.(-?\d{1,15})$/.exec(text) ?? []
  if (at === undefined || id === undefined) throw invalid('before', 'before must be the `next` of another page')
  return { at: Number(at), id: Number(id) }
}

export function formatBefore({ at, id }: Before): string {
  return `${at}.${id}`
}
