import { computed } from '@preact/signals'
import { sanitizeUrl } from '../../domain/shared/feed-url.ts'
import { type Answer, ApiError, call } from '../api/client.ts'
import { createResource } from './resource.ts'
import { ownName } from './session.ts'

export type Device = Answer<'listDevices'>[number]
export type OwnPodcast = Answer<'listOwnPodcasts'>[number]

/** Up to this number of changed feeds, one request for each is cheaper than loading all `subscribedDevices`. */
const SINGLE_REQUESTS_MAX = 5

const NO_GROUPS: readonly (readonly string[])[] = []

const deviceResource = createResource(fetchDevices)
const subscribedDevicesResource = createResource(fetchSubscribedDevices)
const podcastResource = createResource(fetchOwnPodcasts)

/** The user's devices; undefined until loaded. */
export const devices = computed(() => deviceResource.value.value?.devices)
/** Device IDs of each sync group. */
export const groups = computed(() => deviceResource.value.value?.groups ?? NO_GROUPS)
/** IDs of the devices subscribed to each podcast; undefined until loaded. */
export const subscribedDevices = subscribedDevicesResource.value
/** The user's podcasts as last loaded. Pages may show them during a reload. */
export const ownPodcasts = podcastResource.value

/** Loads `devices`, `groups` and `subscribedDevices` unless they are recent. Rejects with `ApiError`. */
export async function ensureSubscriptions(): Promise<void> {
  await Promise.all([ensureDevices(), ensureSubscribedDevices()])
}

/** Loads `devices` and `groups` unless they are recent. Rejects with `ApiError`. */
export async function ensureDevices(): Promise<void> {
  await deviceResource.get()
}

/** Stores devices and sync groups from another operation's answer. */
export function setDevices(list: readonly Device[], synchronized: readonly (readonly string[])[]): void {
  deviceResource.set({ devices: list, groups: synchronized })
}

/** Loads `subscribedDevices` unless they are recent. The answer is small, for pages that do not list podcasts. */
export async function ensureSubscribedDevices(): Promise<void> {
  await subscribedDevicesResource.get()
}

/** Loads `devices` and `groups` again. Rejects with `ApiError`. */
export async function loadDevices(): Promise<readonly Device[]> {
  return (await deviceResource.load()).devices
}

/** Loads `subscribedDevices` again. Rejects with `ApiError`. */
export async function loadSubscribedDevices(): Promise<void> {
  await subscribedDevicesResource.load()
}

/** Loads the user's podcasts again, which also updates `subscribedDevices`. Rejects with `ApiError`. */
export function loadOwnPodcasts(): Promise<readonly OwnPodcast[]> {
  return podcastResource.load()
}

async function fetchOwnPodcasts(): Promise<readonly OwnPodcast[]> {
  const owner = ownName()
  const list = await call('listOwnPodcasts')
  if (ownName() === owner) subscribedDevicesResource.set(holdersIn(list))
  return list
}

async function fetchSubscribedDevices(): Promise<Holders> {
  return holdersIn(await call('listHolders'))
}

function holdersIn(list: readonly Pick<OwnPodcast, 'url' | 'devices'>[]): Holders {
  return new Map(list.map(({ url, devices: ids }) => [url, new Set(ids)]))
}

async function fetchDevices() {
  const path = { username: ownName() }
  const [list, sync] = await Promise.all([call('listDevices', { path }), call('getSyncGroups', { path })])
  return { devices: list, groups: sync.synchronized }
}

/** Returns the IDs of the devices subscribed to a feed. The URL need not be sanitized. */
export function holdersOf(url: string): ReadonlySet<string> {
  return subscribedDevices.value?.get(feedUrl(url)) ?? new Set()
}

/** Returns a feed URL as the server stores it. */
export function feedUrl(url: string): string {
  return sanitizeUrl(url) ?? url
}

/** Titles of podcasts by feed URL. */
export type Titles = Readonly<Record<string, string>>

/**
 * Uploads changes, one request per sync group or single device, and reloads `subscribedDevices`. `titles` name podcasts that
 * the server has not fetched yet. Rejects with `ApiError`; changes uploaded before the error stay.
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

/** Creates a device that holds subscriptions without an app. Rejects with `ApiError`. */
export async function createDevice(id: string, caption: string, type = 'other'): Promise<void> {
  await call('updateDevice', { path: { username: ownName(), deviceid: id }, body: { caption, type } })
}

async function refreshHolders(urls: readonly string[]): Promise<void> {
  if (urls.length > SINGLE_REQUESTS_MAX || !subscribedDevices.value) {
    await loadSubscribedDevices()
    return
  }
  const owner = ownName()
  const found = await Promise.all(urls.map(async (url) => [feedUrl(url), await fetchHoldersOf(url)] as const))
  if (ownName() === owner) subscribedDevicesResource.set(new Map([...(subscribedDevices.value ?? []), ...found]))
}

async function fetchHoldersOf(url: string): Promise<ReadonlySet<string>> {
  try {
    const own = await call('getOwnPodcast', { query: { url } })
    return new Set(own.devices.filter(({ subscribed }) => subscribed).map(({ id }) => id))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unknown_podcast') return new Set()
    throw error
  }
}

/** Feed URLs to add to and remove from one device. */
export interface DeviceChange {
  readonly device: string
  readonly add: readonly string[]
  readonly remove: readonly string[]
}

/** IDs of the devices subscribed to a feed, by feed URL. */
type Holders = ReadonlyMap<string, ReadonlySet<string>>

/** Returns the changes that undo these. */
export function invert(changes: readonly DeviceChange[]): DeviceChange[] {
  return changes.map(({ device, add, remove }) => ({ device, add: remove, remove: add }))
}

/** Returns the changes that leave exactly the wanted devices subscribed to a feed. */
export function changesBetween(url: string, has: ReadonlySet<string>, selected: ReadonlySet<string>): DeviceChange[] {
  return [
    ...[...selected.difference(has)].map((device) => ({ device, add: [url], remove: [] })),
    ...[...has.difference(selected)].map((device) => ({ device, add: [], remove: [url] })),
  ]
}

/** Returns the changes that unsubscribe feeds on all devices. */
export function removeEverywhere(urls: readonly string[], holders: Holders): DeviceChange[] {
  const byDevice = new Map<string, string[]>()
  for (const url of urls)
    for (const device of holders.get(url) ?? []) byDevice.set(device, [...(byDevice.get(device) ?? []), url])
  return [...byDevice].map(([device, remove]) => ({ device, add: [], remove }))
}

/**
 * Groups devices by shared subscriptions: a set for each sync group and for each device outside of one. Keeps the order
 * of `devices` and leaves out devices that are only in `groups`.
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
 * Merges changes into one per sync group. The server applies a change of one device to its whole group, so uploading it
 * for each device would be redundant.
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
