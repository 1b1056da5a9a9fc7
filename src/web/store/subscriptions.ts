import { signal } from '@preact/signals'
import { sanitizeUrl } from '../../domain/shared/feed-url.ts'
import { type Answer, ApiError, call } from '../api/client.ts'
import { ownName } from './session.ts'

export type Device = Answer<'listDevices'>[number]
export type OwnPodcast = Answer<'listOwnSubscriptions'>[number]

/** The user's devices; undefined until they are loaded. */
export const devices = signal<readonly Device[] | undefined>(undefined)
/** The device IDs of each sync group. */
export const groups = signal<readonly (readonly string[])[]>([])
/** Which devices have which podcast; undefined until it is loaded. */
export const holders = signal<Holders | undefined>(undefined)

/** Milliseconds after which data is loaded again, since apps change subscriptions, too. */
const MAX_AGE = 60_000
/** Up to this number of changed feeds, asking for each costs less than loading the whole list. */
const FEW = 5

const deviceCache = createCache(fetchDevices, MAX_AGE)
const podcastCache = createCache(fetchOwnPodcasts, MAX_AGE)
/** The user whose data this is. */
let owner: string | undefined

/** Loads `devices`, `groups` and `holders` unless they are recent. Rejects with `ApiError`. */
export async function ensureSubscriptions(): Promise<void> {
  resetForUser()
  await Promise.all([deviceCache.get(), podcastCache.get()])
}

/** Loads `devices` and `groups` unless they are recent. Rejects with `ApiError`. */
export async function ensureDevices(): Promise<void> {
  resetForUser()
  await deviceCache.get()
}

/** Loads the user's podcasts again, and with them `holders`. Rejects with `ApiError`. */
export function loadOwnPodcasts(): Promise<readonly OwnPodcast[]> {
  resetForUser()
  return podcastCache.load()
}

/** Loads `devices` and `groups` again. Rejects with `ApiError`. */
export function loadDevices(): Promise<readonly Device[]> {
  resetForUser()
  return deviceCache.load()
}

/** The number of the user's podcasts whose feed the server has not fetched yet. Rejects with `ApiError`. */
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

/** The devices that are subscribed to a feed, in whatever spelling its URL is given. */
export function holdersOf(url: string): ReadonlySet<string> {
  return holders.value?.get(feedUrl(url)) ?? new Set()
}

/** A feed URL as the server stores it. */
export function feedUrl(url: string): string {
  return sanitizeUrl(url) ?? url
}

/** Titles of podcasts by feed URL. */
export type Titles = Readonly<Record<string, string>>

/**
 * Uploads changes, one request per sync group or single device, and loads what came of them. `titles` name podcasts
 * whose feed the server has not read yet. Rejects with `ApiError`; changes that were uploaded before the error stay.
 */
export async function applyChanges(changes: readonly DeviceChange[], titles?: Titles): Promise<void> {
  const username = ownName()
  try {
    for (const { device, add, remove } of mergeByGroup(changes, groups.value))
      await call('uploadSubscriptionChanges', {
        path: { username, deviceid: device },
        body: { add, remove, ...(titles && add.length > 0 && { titles }) },
      })
  } finally {
    await refreshHolders([...new Set(changes.flatMap(({ add, remove }) => [...add, ...remove]))])
  }
}

/** Creates a device for subscriptions without an app. Rejects with `ApiError`. */
export async function createDevice(id: string, caption: string): Promise<void> {
  await call('updateDevice', { path: { username: ownName(), deviceid: id }, body: { caption, type: 'other' } })
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

interface Cache<T> {
  /** What was loaded last, or is being loaded, unless it is too old; then it is loaded again. */
  get(): Promise<T>
  /** Loads it again. */
  load(): Promise<T>
  clear(): void
}

/** Loads something once for all components that need it, and again when it is older than `maxAge` milliseconds. */
function createCache<T>(request: () => Promise<T>, maxAge: number): Cache<T> {
  let last: { readonly at: number; readonly answer: Promise<T> } | undefined

  function load(): Promise<T> {
    const loading = { at: Date.now(), answer: request() }
    last = loading
    // After a failure the next call tries again.
    loading.answer.catch(() => {
      if (last === loading) last = undefined
    })
    return loading.answer
  }

  return {
    load,
    get: () => (last && Date.now() - last.at <= maxAge ? last.answer : load()),
    clear() {
      last = undefined
    },
  }
}

/** Feed URLs that one device gets or loses. */
export interface DeviceChange {
  readonly device: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** The IDs of the devices that are subscribed to a feed, by feed URL. */
type Holders = ReadonlyMap<string, ReadonlySet<string>>

/** The changes that undo these. */
export function invert(changes: readonly DeviceChange[]): DeviceChange[] {
  return changes.map(({ device, add, remove }) => ({ device, add: remove, remove: add }))
}

/** The changes that bring a feed from the devices that have it to the wanted ones. */
export function changesBetween(url: string, has: ReadonlySet<string>, wanted: ReadonlySet<string>): DeviceChange[] {
  return [
    ...[...wanted.difference(has)].map((device) => ({ device, add: [url], remove: [] })),
    ...[...has.difference(wanted)].map((device) => ({ device, add: [], remove: [url] })),
  ]
}

/** The changes that unsubscribe feeds on every device that has them. */
export function removeEverywhere(urls: readonly string[], holders: Holders): DeviceChange[] {
  const byDevice = new Map<string, string[]>()
  for (const url of urls)
    for (const device of holders.get(url) ?? []) byDevice.set(device, [...(byDevice.get(device) ?? []), url])
  return [...byDevice].map(([device, remove]) => ({ device, add: [], remove }))
}

/**
 * The devices by the subscriptions they share: each sync group, and each device that is in none. Within a set there is
 * nothing to choose. The order is that of `devices`; a device that only `groups` knows is left out.
 */
export function deviceSets<D extends { readonly id: string }>(
  devices: readonly D[],
  groups: readonly (readonly string[])[],
): D[][] {
  const sets = new Map<readonly string[] | string, D[]>()
  for (const device of devices) {
    const key = groups.find((group) => group.includes(device.id)) ?? device.id
    sets.set(key, [...(sets.get(key) ?? []), device])
  }
  return [...sets.values()]
}

/**
 * One change per sync group: the server passes a change of one device on to the others of its group, so that uploading
 * it for each of them would be repetition.
 */
export function mergeByGroup(
  changes: readonly DeviceChange[],
  groups: readonly (readonly string[])[],
): readonly DeviceChange[] {
  const merged = new Map<readonly string[] | string, DeviceChange>()
  for (const change of changes) {
    const key = groups.find((group) => group.includes(change.device)) ?? change.device
    const first = merged.get(key)
    if (!first) merged.set(key, change)
    else
      merged.set(key, {
        device: first.device,
        add: [...new Set([...first.add, ...change.add])],
        remove: [...new Set([...first.remove, ...change.remove])],
      })
  }
  return [...merged.values()]
}
