import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import { quickHash, sha256 } from '../../platform/crypto.ts'
import type { Lru } from '../../platform/lru.ts'
import { hashOfAppPassword } from '../accounts/app-passwords.ts'
import type { AppPasswordStore } from '../accounts/ports/app-passwords.ts'
import type { User } from '../accounts/ports/users.ts'
import { clientLabel } from '../accounts/sessions.ts'
import type { Before, InboxStore, ListedEpisode, PageBefore, PageOfTime } from '../directory/ports/inbox.ts'
import type { QueueStore } from '../directory/ports/queue.ts'
import { DomainError } from '../shared/errors.ts'
import type { UserId } from '../shared/ids.ts'
import type { PodcastObject } from '../shared/podcast.ts'
import type { RateLimit } from '../shared/rate-limit.ts'
import { slugOf, truncateHtml } from '../shared/text.ts'
import type { Folder, FolderStore } from '../sync/ports/folders.ts'
import type { Subscriptions } from '../sync/subscriptions.ts'
import type { EpisodeFile, PrivateFeedStore } from './ports.ts'

export interface FeedRequest {
  readonly token: string
  readonly address: string
  readonly userAgent: string
  readonly base: string
}

export type FeedKind =
  | { readonly list: 'new' | 'in_progress' | 'queue' }
  | { readonly list: 'tag'; readonly tag: string }
  | { readonly list: 'folder'; readonly id: number }

export interface FeedItem extends Omit<ListedEpisode, 'action' | 'guid' | 'hasPicture'> {
  readonly id: string
  readonly notes: string
  readonly mimeType: string
  readonly size: number | undefined
}

export interface Versioned<T> {
  readonly version: string
  /** Unix seconds when this version was first seen. Increases with each version. */
  readonly modifiedAt: number
  read(): Promise<T>
}

export interface PrivateFeed {
  readonly title: string
  readonly items: readonly FeedItem[]
}

const ITEMS_MAX = 200
const PAGES_MAX = 4
const NOTES_MAX = 10_000
const FORMAT_VERSION = '1'
/** Seconds between two updates of the last use, so that reads rarely write, as for sessions. */
const USE_NOTED_EVERY = 3600

/** Feeds and lists of a user for apps that cannot sync. An app password in the URL grants access to nothing else. */
export function createPrivateFeeds(parts: {
  readonly store: PrivateFeedStore
  readonly inbox: InboxStore
  readonly queue: Pick<QueueStore, 'list'>
  readonly folders: Pick<FolderStore, 'list'>
  readonly appPasswords: AppPasswordStore
  readonly subscriptions: Subscriptions
  readonly guesses: RateLimit
  readonly versions: Lru<{ readonly version: string; readonly modifiedAt: number }>
  readonly background: Background
  readonly clock: Clock
}) {
  const { store, inbox, queue, folders, appPasswords, subscriptions, guesses, versions, background, clock } = parts

  /** Answers every invalid token alike. Throws `not_found`, `rate_limited`. */
  async function readerOf({ token, address, userAgent }: FeedRequest): Promise<User> {
    const hash = hashOfAppPassword(token)
    const found = hash && (await appPasswords.find(hash))
    if (found?.scope !== 'feeds' || found.user.state !== 'active') {
      guesses.take(address)
      throw new DomainError('not_found', 'no such resource')
    }
    const at = clock.seconds()
    if (found.usedAt === undefined || at - found.usedAt >= USE_NOTED_EVERY || at < found.usedAt)
      background.run(() => appPasswords.noteUse(found.id, at, clientLabel(userAgent)))
    return found.user
  }

  /** Dates a version for conditional requests: each version gets a later date, even two within one second. */
  function versioned<T>(key: string, version: string, read: () => Promise<T>): Versioned<T> {
    const last = versions.get(key)
    if (last?.version === version) return { ...last, read }
    const modifiedAt = Math.max(clock.seconds(), (last?.modifiedAt ?? 0) + 1)
    versions.set(key, { version, modifiedAt })
    return { version, modifiedAt, read }
  }

  async function pageOf(userId: UserId, kind: FeedKind, page: PageBefore): Promise<PageOfTime<ListedEpisode>> {
    if (kind.list === 'in_progress') return inbox.inProgress(userId, page)
    if (kind.list === 'queue') return { items: await queue.list(userId), next: undefined }
    const tag = kind.list === 'tag' ? slugOf(kind.tag) : undefined
    const folder = kind.list === 'folder' ? kind.id : undefined
    return inbox.inbox(userId, { ...page, tag, folder, onlyUnplayed: false })
  }

  async function folderName(userId: UserId, id: number): Promise<string> {
    const folder = (await folders.list(userId)).find((each) => each.id === id)
    if (!folder) throw new DomainError('not_found', 'no such resource')
    return folder.name
  }

  /** Leaves out episodes of private feeds that users subscribe to as podcasts, and reads more pages to replace them. */
  async function episodesOf(userId: UserId, kind: FeedKind, base: string): Promise<readonly ListedEpisode[]> {
    const found: ListedEpisode[] = []
    let before: Before | undefined
    for (let page = 0; page < PAGES_MAX; page++) {
      const { items, next } = await pageOf(userId, kind, { before, limit: ITEMS_MAX })
      found.push(...items.filter(({ podcast }) => !isPrivateFeed(podcast.url, base)))
      if (next === undefined || found.length >= ITEMS_MAX) break
      before = next
    }
    return found.slice(0, ITEMS_MAX)
  }

  return {
    /** At most 200 episodes, newest first, except for the order of the queue. Throws `not_found`, `rate_limited`. */
    async episodes(request: FeedRequest, kind: FeedKind): Promise<Versioned<PrivateFeed>> {
      const user = await readerOf(request)
      const folder = kind.list === 'folder' ? await folderName(user.id, kind.id) : ''
      const episodes = await episodesOf(user.id, kind, request.base)
      const keys = episodes.map(({ podcast, url }) => ({ podcast: podcast.url, episode: url }))
      const title = titleOf(user, kind, folder)
      // Only the position of an action is part of the version, since apps repeat actions.
      const fields = episodes.map(({ action, ...rest }) => [
        rest,
        kind.list === 'in_progress' && action && positionText(action),
      ])
      const content = [FORMAT_VERSION, request.base, title, fields, await store.fingerprints(user.id, keys)]
      const name = nameOf(kind)
      return versioned(`${user.id} ${name} ${request.base}`, quickHash(JSON.stringify(content)), async () => {
        const files = await store.files(user.id, keys)
        return { title, items: itemsOf(episodes, files, kind) }
      })
    },

    /** Subscriptions of one device or of all. Throws `not_found`, `rate_limited`, `validation_failed`. */
    async subscriptions(
      request: FeedRequest,
      device: string | undefined,
    ): Promise<{
      readonly title: string
      readonly podcasts: Versioned<readonly PodcastObject[]>
      readonly folders: readonly Folder[]
    }> {
      const user = await readerOf(request)
      const podcasts = await (device === undefined
        ? subscriptions.listUser(user.id)
        : subscriptions.listDevicePodcasts(user.id, device))
      if (!podcasts) throw new DomainError('not_found', 'no such resource')
      const title = `Subscriptions of ${user.username}`
      // Only fields that OPML contains: the number of subscribers changes all the time.
      const fields = podcasts.map(({ url, title: name, description, website }) => [url, name, description, website])
      const filed = await folders.list(user.id)
      const version = quickHash(JSON.stringify([FORMAT_VERSION, title, fields, filed]))
      const key = `${user.id} subscriptions ${device ?? ''}`
      return { title, folders: filed, podcasts: versioned(key, version, async () => podcasts) }
    },
  }
}

/** Whether the URL is a private feed of this server, whose items come from other podcasts. */
export function isPrivateFeed(url: string, base: string): boolean {
  return url.startsWith(`${base}/feeds/`)
}

/** Unique name among the feeds of a user. */
function nameOf(kind: FeedKind): string {
  if (kind.list === 'tag') return `tag ${slugOf(kind.tag)}`
  return kind.list === 'folder' ? `folder ${kind.id}` : kind.list
}

function titleOf({ username }: User, kind: FeedKind, folder: string): string {
  if (kind.list === 'in_progress') return `In progress (${username})`
  if (kind.list === 'queue') return `Queue (${username})`
  const only = kind.list === 'tag' ? slugOf(kind.tag) : folder
  return only === '' ? `New episodes (${username})` : `New episodes: ${only} (${username})`
}

function itemsOf(
  episodes: readonly ListedEpisode[],
  files: readonly (EpisodeFile | undefined)[],
  kind: FeedKind,
): FeedItem[] {
  const ids = new Set<string>()
  return episodes.map(({ action, guid, ...episode }, index) => {
    const { notes = '', mimeType = '', size, isGuidShared = false } = files[index] ?? {}
    const byGuid = guid === '' || isGuidShared ? undefined : idOf(episode.podcast.url, 'guid', guid)
    const id = byGuid === undefined || ids.has(byGuid) ? idOf(episode.podcast.url, 'url', episode.url) : byGuid
    ids.add(id)
    const position = kind.list === 'in_progress' && action ? positionText(action) : ''
    return { ...episode, id, notes: position + truncateHtml(notes, NOTES_MAX), mimeType, size }
  })
}

/** Hashes the guid with its podcast, since another feed may use the same one. */
function idOf(podcast: string, kind: 'guid' | 'url', name: string): string {
  return Buffer.from(sha256(`${podcast}\n${kind}\n${name}`))
    .toString('hex')
    .slice(0, 32)
}

function positionText({ position, total }: { position?: number | undefined; total?: number | undefined }): string {
  if (position === undefined) return ''
  return `<p>Played up to ${clockText(position)}${total ? ` of ${clockText(total)}` : ''}.</p>`
}

/** Seconds as `1:02:03`. */
function clockText(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}
