import { computed, signal } from '@preact/signals'
import { type Answer, ApiError, call } from '../../api/client.ts'
import { begunHere, finishedHere } from '../playback/now-playing.ts'
import type { Playable } from '../playback/playable.ts'
import { createResource, onUserChange } from '../resource.ts'
import { ownName } from '../session.ts'
import { ownPodcasts } from '../subscriptions.ts'

/** An episode with its podcast and how far the user is with it. */
export type ListedEpisode = Answer<'listInbox'>['items'][number]
type Page = Answer<'listInbox'>

/** Episodes that Home asks for: as many as it shows on the widest screen. */
const FEW = 12
/** Episodes on a page of the inbox, and at most. */
const PER_PAGE = 50
const PER_PAGE_MAX = 100

/** Episodes that were begun and not finished, last heard first. */
export const begun = createResource(async () => (await call('listInProgress', { query: { per_page: FEW } })).items)
/** The same, where what this browser plays comes first, and ends with its end, also before it was reported. */
export const begunAnywhere = computed(() => {
  const { value: finished } = finishedHere
  const list = begun.value.value?.filter(({ episode }) => episode.url !== finished)
  const { value: playing } = begunHere
  if (!list || !playing) return list
  const rest = list.filter(({ episode }) => episode.url !== playing.url)
  return [list.find(({ episode }) => episode.url === playing.url) ?? toListed(playing), ...rest]
})
/** New episodes that were not played to the end. */
export const newest = createResource(
  async () => (await call('listInbox', { query: { new: 'true', per_page: FEW } })).items,
)
/** How many of its newest hundred episodes were not played to the end, and how many of these are new, by feed URL. */
export const unplayed = createResource(
  async () => new Map((await call('listUnplayed')).map((count) => [count.url, count] as const)),
)

/** An episode that plays, as far as the player knows it. */
function toListed(playable: Playable): ListedEpisode {
  const { podcast, podcastTitle, url, title, duration, guid = '', hasPicture = false } = playable
  const known = newest.value.value?.find(({ episode }) => episode.url === url)
  if (known) return { ...known, state: 'in_progress' }
  const hasCover = ownPodcasts.value?.find((own) => own.url === podcast)?.has_picture !== false
  return {
    // Lists ask only whether there is a picture, and show the one that this server has.
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

/** What the inbox shows. */
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
  /** Where the next page begins; null after the last one. */
  readonly next: string | null
  /** The feed URLs of what is or was listed: which podcasts have a tag is known to the server alone. */
  readonly podcasts: ReadonlySet<string>
}

/** The inbox as far as it was loaded; undefined until then. It stays while the user looks at other pages. */
export const inbox = signal<Inbox | undefined>(undefined)

onUserChange(() => {
  inbox.value = undefined
})

/**
 * Loads what is new in the inbox, and keeps what was loaded of older episodes; with another filter it begins again.
 * Rejects with `ApiError`.
 */
export async function loadInbox(filter: InboxFilter): Promise<void> {
  const owner = ownName()
  const { value: known } = inbox
  const old = known && isSameFilter(known.filter, filter) ? known : undefined
  const size = Math.min(PER_PAGE_MAX, Math.max(PER_PAGE, old?.items.length ?? 0))
  const page = await fetchPage(filter, '', size).catch((error: unknown) => pageOfHome(filter, error))
  if (owner !== ownName()) return
  // Of what is loaded again, older pages are as they were when somebody saw them last.
  const rest = page.next === null ? [] : olderThan(old?.items ?? [], page.items)
  inbox.value = {
    filter,
    items: [...page.items, ...rest],
    next: rest.length > 0 ? (old?.next ?? null) : page.next,
    podcasts: withPodcastsOf(old?.podcasts, page),
  }
}

/** The episodes that Home keeps for when the server cannot be reached. Rejects with `error` where they are no answer. */
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
  // The filter was changed, or the list loaded again, while the page was under way.
  if (!now || now.next !== before.next || !isSameFilter(now.filter, before.filter)) return
  const items = [...now.items, ...page.items]
  inbox.value = { ...now, items, next: page.next, podcasts: withPodcastsOf(now.podcasts, page) }
}

function withPodcastsOf(known: Iterable<string> = [], { items }: Page): ReadonlySet<string> {
  return new Set([...known, ...items.map(({ podcast }) => podcast.url)])
}

/** Those that are not on the page and older than what is. */
function olderThan(items: readonly ListedEpisode[], page: readonly ListedEpisode[]): ListedEpisode[] {
  const last = page.at(-1)
  if (!last) return []
  const known = new Set(page.map(keyOf))
  return items.filter((item) => item.episode.released <= last.episode.released && !known.has(keyOf(item)))
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

/** What tells an episode from all others. */
export function keyOf({ podcast, episode }: ListedEpisode): string {
  return `${podcast.url} ${episode.url}`
}

/** The seconds that are left of an episode; undefined if nobody knows its length. */
export function secondsLeft({ state, position = 0, total = 0, episode }: ListedEpisode): number | undefined {
  const length = total || episode.duration || 0
  return length > 0 && state === 'in_progress' ? Math.max(0, length - position) : undefined
}

/** Shows the episodes as they are given in all lists that they belong to, before the server has been asked. */
export function showAs(items: readonly ListedEpisode[]): void {
  const { value: begunNow } = begun.value
  const { value: newestNow } = newest.value
  const { value: inboxNow } = inbox
  const isUnplayed = ({ state }: ListedEpisode) => state !== 'played'
  if (begunNow) begun.set(placeIn(begunNow, items, ({ state }) => state === 'in_progress', byTimestamp))
  if (newestNow) newest.set(placeIn(newestNow, items, isUnplayed, byRelease).slice(0, FEW))
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

/** The list with these episodes as they are given, without those that do not belong there. */
function placeIn(
  list: readonly ListedEpisode[],
  items: readonly ListedEpisode[],
  isWanted: (item: ListedEpisode) => boolean,
  order: Order,
): ListedEpisode[] {
  const given = new Set(items.map(keyOf))
  return [...list.filter((item) => !given.has(keyOf(item))), ...items.filter(isWanted)].sort(order)
}

// Times as the API writes them are in order as text. The newest come first.
const byRelease: Order = (one, other) => compare(other.episode.released, one.episode.released)
const byTimestamp: Order = (one, other) => compare(other.timestamp ?? '', one.timestamp ?? '')

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Loads what Home shows of episodes again, and the numbers behind. Never rejects: what is there stays if that fails. */
export async function reloadEpisodes(): Promise<void> {
  unplayed.load().catch(() => undefined)
  await Promise.allSettled([begun.load(), newest.load()])
}
