import { usernameKey } from '../../domain/accounts/identifiers.ts'
import type { OwnedPodcastList, PodcastListStore } from '../../domain/directory/ports/podcast-lists.ts'
import { isHiddenFrom, isSecretUrl } from '../../domain/directory/privacy.ts'
import { DomainError } from '../../domain/shared/errors.ts'
import type { PodcastId, UserId } from '../../domain/shared/ids.ts'
import { fixedQuotaExceeded, LISTED_FEEDS_PER_USER, LISTS_PER_USER } from '../../domain/shared/limits.ts'
import type { PodcastObject } from '../../domain/shared/podcast.ts'
import type { StoreParts } from '../parts.ts'
import { IS_LOCAL, PODCAST_DETAILS, type PodcastRow, podcastColumnsFor, toPodcastObject } from '../sync/podcast-rows.ts'
import { IS_UNDECIDED, preparePrivacy } from './privacy.ts'

interface ListRow {
  readonly userId: UserId
  readonly title: string
  readonly urls: string
}

type ItemRow = PodcastRow & {
  readonly id: PodcastId | null
  readonly listed: string
  readonly isPrivate: number
  readonly isUndecided: number
  readonly isInside: number
  readonly isOwn: number
}

interface Usage {
  readonly lists: number
  readonly feeds: number
}

export function createPodcastListStore({ db, snapshot, queue, sync }: StoreParts): PodcastListStore {
  const isPrivate = preparePrivacy(db)
  const list = db.prepare<OwnedPodcastList, [string]>(
    `SELECT u.username AS owner, l.name, l.title FROM users u CROSS JOIN podcast_lists l ON l.user_id = u.id
      WHERE u.username_key = ?1 AND u.state = 'active' ORDER BY l.created_at, l.name`,
  )
  const find = db.prepare<ListRow, [string, string]>(
    `SELECT u.id AS userId, l.title, l.urls FROM users u CROSS JOIN podcast_lists l ON l.user_id = u.id AND l.name = +?2
      WHERE u.username_key = +?1 AND u.state = 'active'`,
  )
  const items = db.prepare<ItemRow, [string, UserId | null]>(
    `SELECT p.id, j.value AS listed, ${podcastColumnsFor('+?2')}, p.is_private AS isPrivate, ${IS_UNDECIDED} AS isUndecided,
            p.is_inside = 1 AND NOT ${IS_LOCAL} AS isInside,
            EXISTS (SELECT 1 FROM listeners l WHERE l.user_id = ?2 AND l.podcast_id = p.id AND l.devices > 0) AS isOwn
       FROM json_each(?1) j LEFT JOIN podcasts p ON p.url = j.value ${PODCAST_DETAILS} ORDER BY j.key`,
  )
  const usage = db.prepare<Usage, [UserId]>(
    'SELECT COUNT(*) AS lists, IFNULL(CAST(SUM(feeds) AS INTEGER), 0) AS feeds FROM podcast_lists WHERE user_id = ?1',
  )
  const insert = db.prepare<undefined, [UserId, string, string, number, number, string]>(
    `INSERT INTO podcast_lists (user_id, name, title, feeds, created_at, urls) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
     ON CONFLICT (user_id, name) DO NOTHING`,
  )
  const update = db.prepare<undefined, [UserId, string, number, string]>(
    'UPDATE podcast_lists SET feeds = ?3, urls = ?4 WHERE user_id = ?1 AND name = ?2',
  )
  const remove = db.prepare<undefined, [UserId, string]>('DELETE FROM podcast_lists WHERE user_id = ?1 AND name = ?2')

  function isHidden(row: ItemRow, isAnonymous: boolean): boolean {
    if (row.id === null) return isSecretUrl(row.listed)
    return isHiddenFrom({
      isPrivate: row.isUndecided === 1 ? isPrivate(row.id) : row.isPrivate === 1,
      isOwn: row.isOwn === 1,
      isInside: row.isInside === 1,
      isAnonymous,
    })
  }

  function podcastsOf(urls: readonly string[], reader: UserId | undefined, isOwner: boolean): PodcastObject[] {
    return items.all(JSON.stringify(urls), reader ?? null).flatMap((row) => {
      const hidden = isHidden(row, reader === undefined)
      if (row.id !== null && !hidden) return [toPodcastObject(row)]
      return hidden && !isOwner ? [] : [barePodcast(row.listed)]
    })
  }

  function checkUsage(userId: UserId): void {
    const { lists, feeds } = usage.get(userId) ?? { lists: 0, feeds: 0 }
    if (lists > LISTS_PER_USER) throw fixedQuotaExceeded(LISTS_PER_USER, 'podcast lists')
    if (feeds > LISTED_FEEDS_PER_USER) throw fixedQuotaExceeded(LISTED_FEEDS_PER_USER, 'feeds in its podcast lists')
  }

  const listUrls = db.prepare<{ urls: string }, [UserId, string]>(
    'SELECT urls FROM podcast_lists WHERE user_id = ?1 AND name = ?2',
  )

  return {
    list: (username) => snapshot.read(() => list.all(usernameKey(username))),

    read: (username, name, reader) =>
      snapshot.read(() => {
        const found = find.get(usernameKey(username), name)
        if (!found) return undefined
        const urls = found.urls === '' ? [] : found.urls.split('\n')
        return { title: found.title, podcasts: podcastsOf(urls, reader, reader === found.userId) }
      }),

    create: (userId, { name, title, urls }, at) =>
      queue.run(userId, () => {
        sync.clockOf(userId)
        if (insert.run(userId, name, title, urls.length, at, urls.join('\n')).changes === 0)
          throw new DomainError('list_exists', 'a list with this name exists; replace or remove it', {
            field: 'title',
          })
        checkUsage(userId)
      }),

    replace: (userId, name, urls) =>
      queue.run(userId, () => {
        if (update.run(userId, name, urls.length, urls.join('\n')).changes === 0) throw noSuchList()
        checkUsage(userId)
      }),

    remove: (userId, name) =>
      queue.run(userId, () => {
        if (remove.run(userId, name).changes === 0) throw noSuchList()
      }),

    listUrls: (userId, name) =>
      snapshot.read(() => {
        const row = listUrls.get(userId, name)
        if (!row) return undefined
        return row.urls === '' ? [] : row.urls.split('\n')
      }),
  }
}

function noSuchList(): DomainError {
  return new DomainError('not_found', 'no such podcast list')
}

function barePodcast(url: string): PodcastObject {
  const details = { author: '', description: '', website: '', logoUrl: '', language: '' }
  return { ...details, url, title: url, subscribers: 0, subscribersLastWeek: 0 }
}
