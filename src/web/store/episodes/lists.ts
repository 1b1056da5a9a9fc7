import { computed, signal } from '@preact/signals'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { finishedHere, inProgressHere } from '../playback/now-playing.ts'
import type { Playable } from '../playback/playable.ts'
import { createResource, onUserChange } from '../resource.ts'
import { ownName } from '../session.ts'
import { ownPodcasts } from '../subscriptions.ts'

/** An episode with its podcast and the user's progress. */
export type ListedEpisode = Answer<'listInbox'>['items'][number]
type Page = Answer<'listInbox'>

/** Number of episodes Home requests: as many as fit on the widest screen. */
const HOME_EPISODES = 12
/** Episodes on a page of the inbox: default and maximum. */
const PER_PAGE = 50
const PER_PAGE_MAX = 100

/** Episodes in progress, most recently played first. */
export const inProgress = createResource(
  async () => (await call('listInProgress', { query: { per_page: HOME_EPISODES } })).items,
)
/** Like `inProgress`, but includes playback in this browser that is not reported yet. The current episode is first. */
export const inProgressAnywhere = computed(() => {
  const { value: finished } = finishedHere
  const list = inProgress.value.value?.filter(({ episode }) => episode.url !== finished)
  const { value: playing } = inProgressHere
  if (!list || !playing) return list
  const rest = list.filter(({ episode }) => episode.url !== playing.url)
  return [list.find(({ episode }) => episode.url === playing.url) ?? toListed(playing), ...rest]
})
/** New, unplayed episodes. */
export const newest = createResource(
  async () => (await call('listInbox', { query: { new: 'true', per_page: HOME_EPISODES } })).items,
)
/** Counts of unplayed and of new episodes among a podcast's newest hundred, by feed URL. */
export const unplayed = createResource(
  async () => new Map((await call('listUnplayed')).map((count) => [count.url, count] as const)),
)

/** Converts the player's episode for a list, as far as its fields are known. */
function toListed(playable: Playable): ListedEpisode {
  const { podcast, podcastTitle, url, title, duration, guid = '', hasPicture = false } = playable
  const listed = newest.value.value?.find(({ episode }) => episode.url === url)
  if (listed) return { ...listed, state: 'in_progress' }
  const hasCover = ownPodcasts.value?.find((own) => own.url === podcast)?.has_picture !== false
  return {
    // Lists only check that the picture URL is set; they show this server's copy.
    podcast: { url: podcast, title: podcastTitle, logo_url: hasCover ? podcast : '', artwork: '' },
    episode: {
      ...{ title, url, guid, duration, has_picture: hasPicture },
      ...{ image_url: '', released: '', website: '', mygpo_link: '' },
    },
    state: 'in_progress',
  }
}

/** Converts a listed episode for the player. */
export function toPlayable({ podcast, episode, state, position }: ListedEpisode): Playable {
  const { url, title, duration: length, guid, has_picture: hasPicture } = episode
  return {
    ...{ podcast: podcast.url, podcastTitle: podcast.title, url, title, duration: length, guid, hasPicture },
    ...(position !== undefined && { position }),
    isPlayed: state === 'played',
  }
}

export interface InboxFilter {
  /** A feed URL; '' for all podcasts. */
  readonly podcast: string
  /** The slug of a tag; '' for all podcasts. */
  readonly tag: string
  /** The ID of a folder; '' for all podcasts. */
  readonly folder: string
  readonly show: 'new' | 'unplayed' | 'all'
}

export const EVERYTHING: InboxFilter = { podcast: '', tag: '', folder: '', show: 'new' }

interface Inbox {
  readonly filter: InboxFilter
  readonly items: readonly ListedEpisode[]
  /** Cursor of the next page; null on the last one. */
  readonly next: string | null
  /** Feed URLs listed so far under this filter, since only the server knows which podcasts have a tag. */
  readonly podcasts: ReadonlySet<string>
}

/** Loaded pages of the inbox; undefined until loaded. Kept while the user visits other pages. */
export const inbox = signal<Inbox | undefined>(undefined)

onUserChange(() => {
  inbox.value = undefined
})

/**
 * Reloads the start of the inbox and keeps older episodes that are already loaded. Starts over if the filter changed.
 * Rejects with `ApiError`.
 */
export async function loadInbox(filter: InboxFilter): Promise<void> {
  const owner = ownName()
  const { value: previous } = inbox
  const old = previous && isSameFilter(previous.filter, filter) ? previous : undefined
  const size = Math.min(PER_PAGE_MAX, Math.max(PER_PAGE, old?.items.length ?? 0))
  const page = await fetchPage(filter, '', size).catch((error: unknown) => pageOfHome(filter, error))
  if (owner !== ownName()) return
  // Episodes beyond the reloaded page keep their old state.
  const rest = page.next === null ? [] : olderThan(old?.items ?? [], page.items)
  inbox.value = {
    filter,
    items: [...page.items, ...rest],
    next: rest.length > 0 ? (old?.next ?? null) : page.next,
    podcasts: withPodcastsOf(old?.podcasts, page),
  }
}

/** Returns Home's offline copy of new episodes. Rejects with `error` if it does not fit the filter or error. */
async function pageOfHome({ podcast, tag, folder, show }: InboxFilter, error: unknown): Promise<Page> {
  const isOffline = error instanceof ApiError && error.code === 'offline'
  if (!isOffline || podcast !== '' || tag !== '' || folder !== '' || show !== 'new') throw error
  return { items: (await call('getHome')).inbox, next: null }
}

/** Loads the next page of the inbox. Rejects with `ApiError`. */
export async function loadMoreOfInbox(): Promise<void> {
  const before = inbox.value
  if (!before || before.next === null) return
  const page = await fetchPage(before.filter, before.next, PER_PAGE)
  const now = inbox.value
  // The filter changed or the list was reloaded during the request.
  if (!now || now.next !== before.next || !isSameFilter(now.filter, before.filter)) return
  const items = [...now.items, ...page.items]
  inbox.value = { ...now, items, next: page.next, podcasts: withPodcastsOf(now.podcasts, page) }
}

function withPodcastsOf(urls: Iterable<string> = [], { items }: Page): ReadonlySet<string> {
  return new Set([...urls, ...items.map(({ podcast }) => podcast.url)])
}

/** Returns the items that are older than the page and not on it. */
function olderThan(items: readonly ListedEpisode[], page: readonly ListedEpisode[]): ListedEpisode[] {
  const last = page.at(-1)
  if (!last) return []
  const pageKeys = new Set(page.map(keyOf))
  return items.filter((item) => item.episode.released <= last.episode.released && !pageKeys.has(keyOf(item)))
}

export function isSameFilter(one: InboxFilter, other: InboxFilter): boolean {
  return (
    one.podcast === other.podcast && one.tag === other.tag && one.folder === other.folder && one.show === other.show
  )
}

function fetchPage({ podcast, tag, folder, show }: InboxFilter, before: string, perPage: number): Promise<Page> {
  return call('listInbox', {
    query: {
      per_page: perPage,
      ...(before !== '' && { before }),
      ...(podcast !== '' && { podcast }),
      ...(tag !== '' && { tag }),
      ...(folder !== '' && { folder }),
      ...(show !== 'all' && { [show]: 'true' }),
    },
  })
}

/** Returns the unique key of an episode. */
export function keyOf({ podcast, episode }: ListedEpisode): string {
  return `${podcast.url} ${episode.url}`
}

/** Returns the remaining seconds of an episode in progress; undefined if its length is unknown. */
export function secondsLeft({ state, position = 0, total = 0, episode }: ListedEpisode): number | undefined {
  const length = total || episode.duration || 0
  return length > 0 && state === 'in_progress' ? Math.max(0, length - position) : undefined
}

/** Updates episodes in all lists they belong to, before the server has confirmed the change. */
export function showAs(items: readonly ListedEpisode[]): void {
  const { value: listed } = inProgress.value
  const { value: newestNow } = newest.value
  const { value: inboxNow } = inbox
  const isUnplayed = ({ state }: ListedEpisode) => state !== 'played'
  if (listed) inProgress.set(placeIn(listed, items, ({ state }) => state === 'in_progress', byTimestamp))
  if (newestNow) newest.set(placeIn(newestNow, items, isUnplayed, byRelease).slice(0, HOME_EPISODES))
  if (!inboxNow) return
  const { filter, next, podcasts } = inboxNow
  const end = next === null ? '' : (inboxNow.items.at(-1)?.episode.released ?? '')
  const isListed = (item: ListedEpisode) =>
    item.episode.released >= end &&
    (filter.podcast === '' || filter.podcast === item.podcast.url) &&
    ((filter.tag === '' && filter.folder === '') || podcasts.has(item.podcast.url)) &&
    (filter.show === 'all' || isUnplayed(item))
  inbox.value = { ...inboxNow, items: placeIn(inboxNow.items, items, isListed, byRelease) }
}

type Order = (one: ListedEpisode, other: ListedEpisode) => number

/** Returns the list with `items` updated or inserted, or removed if they fail `isWanted`. */
function placeIn(
  list: readonly ListedEpisode[],
  items: readonly ListedEpisode[],
  isWanted: (item: ListedEpisode) => boolean,
  order: Order,
): ListedEpisode[] {
  const updated = new Set(items.map(keyOf))
  return [...list.filter((item) => !updated.has(keyOf(item))), ...items.filter(isWanted)].sort(order)
}

// Times in the API's format sort as text. Newest first.
const byRelease: Order = (one, other) => compare(other.episode.released, one.episode.released)
const byTimestamp: Order = (one, other) => compare(other.timestamp ?? '', one.timestamp ?? '')

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Reloads the episodes and counts that Home shows. Never rejects: old data stays after a failure. */
export async function reloadEpisodes(): Promise<void> {
  unplayed.load().catch(() => undefined)
  await Promise.allSettled([inProgress.load(), newest.load()])
}
