import { signal } from '@preact/signals'
import { sanitizeUrl } from '../../domain/shared/feed-url.ts'
import { type Answer, ApiError, call } from '../api/client.ts'
import { account } from './session.ts'
import type { DeviceChange, Holders } from './subscription-changes.ts'

export type Device = Answer<'listDevices'>[number]
export type OwnPodcast = Answer<'listOwnSubscriptions'>[number]

/** Of the person; undefined until they are known. */
export const devices = signal<readonly Device[] | undefined>(undefined)
/** Device IDs of each sync group. */
export const groups = signal<readonly (readonly string[])[]>([])
/** Undefined until it is known. */
export const holders = signal<Holders | undefined>(undefined)

/** Milliseconds for which nobody asks again; apps change subscriptions, too. */
const FRESH = 60_000
/** Changed feeds up to which asking for each is less than asking for all. */
const FEW = 5

const deviceCache = createCache(fetchDevices, FRESH)
const podcastCache = createCache(fetchOwnPodcasts, FRESH)
/** Whose they are. */
let owner: string | undefined

/** Sees to it that devices, groups and holders are known. Rejects with `ApiError`. */
export async function ensureSubscriptions(): Promise<void> {
  resetForUser()
  await Promise.all([deviceCache.get(), podcastCache.get()])
}

/** Sees to it that devices and groups are known, which is less. Rejects with `ApiError`. */
export async function ensureDevices(): Promise<void> {
  resetForUser()
  await deviceCache.get()
}

/** Fetches all that the person is subscribed to, and with it the holders. Rejects with `ApiError`. */
export function loadOwnPodcasts(): Promise<readonly OwnPodcast[]> {
  resetForUser()
  return podcastCache.load()
}

/** Fetches devices and sync groups. Rejects with `ApiError`. */
export function loadDevices(): Promise<readonly Device[]> {
  resetForUser()
  return deviceCache.load()
}

/** How many of the podcasts the server has not fetched yet. Rejects with `ApiError`. */
export async function countUnfetched(): Promise<number> {
  return (await call('listOwnSubscriptions', { query: { state: 'new' } })).length
}

async function fetchOwnPodcasts(): Promise<readonly OwnPodcast[]> {
  const list = await call('listOwnSubscriptions')
  holders.value = new Map(list.map((podcast) => [podcast.url, new Set(podcast.devices)]))
  return list
}

async function fetchDevices(): Promise<readonly Device[]> {
  const path = { username: ownName() }
  const [list, sync] = await Promise.all([call('listDevices', { path }), call('getSyncGroups', { path })])
  devices.value = list
  groups.value = sync.synchronized
  return list
}

/** The devices that have a feed, however its address is written. */
export function holdersOf(url: string): ReadonlySet<string> {
  return holders.value?.get(feedUrl(url)) ?? new Set()
}

/** A feed's address as the server keeps it. */
export function feedUrl(url: string): string {
  return sanitizeUrl(url) ?? url
}

/** What podcasts are called, by feed URL. */
export type Titles = Readonly<Record<string, string>>

/**
 * Sends changes, device by device, and learns what came of them (sync groups follow). The titles are for podcasts whose feed the server
 * does not know. Rejects with `ApiError`; what was sent before stays.
 */
export async function applyChanges(changes: readonly DeviceChange[], titles?: Titles): Promise<void> {
  const username = ownName()
  try {
    for (const { device, add, remove } of changes)
      await call('uploadSubscriptionChanges', {
        path: { username, deviceid: device },
        body: { add, remove, ...(titles && add.length > 0 && { titles }) },
      })
  } finally {
    await refreshHolders([...new Set(changes.flatMap(({ add, remove }) => [...add, ...remove]))])
  }
}

/** Makes a device for what is kept by hand only. Rejects with `ApiError`. */
export async function createDevice(id: string, caption: string): Promise<void> {
  await call('updateDevice', { path: { username: ownName(), deviceid: id }, body: { caption, type: 'other' } })
  await loadDevices()
}

async function refreshHolders(urls: readonly string[]): Promise<void> {
  if (urls.length > FEW) {
    await loadOwnPodcasts()
    return
  }
  const found = await Promise.all(urls.map(async (url) => [feedUrl(url), await fetchHolders(url)] as const))
  holders.value = new Map([...(holders.value ?? []), ...found])
}

async function fetchHolders(url: string): Promise<ReadonlySet<string>> {
  try {
    const own = await call('getOwnPodcast', { query: { url } })
    return new Set(own.devices.filter(({ subscribed }) => subscribed).map(({ id }) => id))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unknown_podcast') return new Set()
    throw error
  }
}

function resetForUser(): void {
  const name = ownName()
  if (owner === name) return
  owner = name
  deviceCache.clear()
  podcastCache.clear()
  devices.value = undefined
  groups.value = []
  holders.value = undefined
}

function ownName(): string {
  return account.value?.username ?? ''
}

/** Something that several parts of the page need, loaded once for all of them. */
export interface Cache<T> {
  /** What was last loaded, or is being loaded, unless it is too old. */
  get(): Promise<T>
  /** Loads it anew, for all who ask from now on as well. */
  load(): Promise<T>
  clear(): void
}

/** `fresh` is for how many milliseconds nobody asks again. */
function createCache<T>(request: () => Promise<T>, fresh: number): Cache<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined

  function load(): Promise<T> {
    const loading = { at: Date.now(), answer: request() }
    last = loading
    // Whoever asks next tries again.
    loading.answer.catch(() => {
      if (last === loading) last = undefined
    })
    return loading.answer
  }

  return {
    load,
    get: () => (last && Date.now() - last.at <= fresh ? last.answer : load()),
    clear() {
      last = undefined
    },
  }
}
