import { signal } from '@preact/signals'
import { sanitizeUrl } from '../../domain/feed-url.ts'
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

let asked: { readonly username: string; readonly at: number; readonly answer: Promise<void> } | undefined

/** Sees to it that devices, groups and holders are known. Rejects with `ApiError`. */
export function knowSubscriptions(): Promise<void> {
  const username = ownName()
  if (asked?.username !== username) forget()
  if (!asked || Date.now() - asked.at > FRESH) {
    const answer = Promise.all([loadDevices(), loadOwnPodcasts()]).then(() => undefined)
    asked = { username, at: Date.now(), answer }
    // Whoever asks next tries again.
    answer.catch(() => {
      asked = undefined
    })
  }
  return asked.answer
}

/** Fetches all that the person is subscribed to. Rejects with `ApiError`. */
export async function loadOwnPodcasts(abort?: AbortSignal): Promise<readonly OwnPodcast[]> {
  const list = await call('listOwnSubscriptions', { ...(abort && { signal: abort }) })
  holders.value = new Map(list.map((podcast) => [podcast.url, new Set(podcast.devices)]))
  return list
}

/** Fetches devices and sync groups. Rejects with `ApiError`. */
export async function loadDevices(): Promise<readonly Device[]> {
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

/**
 * Sends changes, device by device, and learns what came of them (sync groups follow). Rejects with `ApiError`; what was sent before stays.
 */
export async function applyChanges(changes: readonly DeviceChange[]): Promise<void> {
  const username = ownName()
  try {
    for (const { device, add, remove } of changes)
      await call('uploadSubscriptionChanges', { path: { username, deviceid: device }, body: { add, remove } })
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

function forget(): void {
  asked = undefined
  devices.value = undefined
  groups.value = []
  holders.value = undefined
}

function ownName(): string {
  return account.value?.username ?? ''
}
