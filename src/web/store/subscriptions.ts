import { signal } from '@preact/signals'
import { sanitizeUrl } from '../../domain/feed-url.ts'
import { type Answer, ApiError, call } from '../api/client.ts'
import { account } from './session.ts'
import { createShared } from './shared.ts'
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

const sharedDevices = createShared(fetchDevices, FRESH)
const sharedList = createShared(fetchOwnPodcasts, FRESH)
/** Whose they are. */
let owner: string | undefined

/** Sees to it that devices, groups and holders are known. Rejects with `ApiError`. */
export async function knowSubscriptions(): Promise<void> {
  forgetOthers()
  await Promise.all([sharedDevices.know(), sharedList.know()])
}

/** Sees to it that devices and groups are known, which is less. Rejects with `ApiError`. */
export async function knowDevices(): Promise<void> {
  forgetOthers()
  await sharedDevices.know()
}

/** Fetches all that the person is subscribed to, and with it the holders. Rejects with `ApiError`. */
export function loadOwnPodcasts(): Promise<readonly OwnPodcast[]> {
  forgetOthers()
  return sharedList.load()
}

/** Fetches devices and sync groups. Rejects with `ApiError`. */
export function loadDevices(): Promise<readonly Device[]> {
  forgetOthers()
  return sharedDevices.load()
}

/** How many of the podcasts the server has not fetched yet. Rejects with `ApiError`. */
export async function countNew(): Promise<number> {
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
    await relearn([...new Set(changes.flatMap(({ add, remove }) => [...add, ...remove]))])
  }
}

/** Makes a device for what is kept by hand only. Rejects with `ApiError`. */
export async function makeDevice(id: string, caption: string): Promise<void> {
  await call('updateDevice', { path: { username: ownName(), deviceid: id }, body: { caption, type: 'other' } })
  await loadDevices()
}

async function relearn(urls: readonly string[]): Promise<void> {
  if (urls.length > FEW) {
    await loadOwnPodcasts()
    return
  }
  const found = await Promise.all(urls.map(async (url) => [feedUrl(url), await askHolders(url)] as const))
  holders.value = new Map([...(holders.value ?? []), ...found])
}

async function askHolders(url: string): Promise<ReadonlySet<string>> {
  try {
    const own = await call('getOwnPodcast', { query: { url } })
    return new Set(own.devices.filter(({ subscribed }) => subscribed).map(({ id }) => id))
  } catch (error) {
    if (error instanceof ApiError && error.word === 'unknown_podcast') return new Set()
    throw error
  }
}

function forgetOthers(): void {
  const name = ownName()
  if (owner === name) return
  owner = name
  sharedDevices.forget()
  sharedList.forget()
  devices.value = undefined
  groups.value = []
  holders.value = undefined
}

function ownName(): string {
  return account.value?.username ?? ''
}
