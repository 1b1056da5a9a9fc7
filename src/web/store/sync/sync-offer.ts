import { computed, signal } from '@preact/signals'
import { call, type Options } from '../../api/client.ts'
import { isBrowserDevice, listeningBrowsers, ownPodcastDevices, podcastDevices } from '../own-device.ts'
import { accountKey } from '../paths.ts'
import { ownName } from '../session.ts'
import {
  applyChanges,
  type Device,
  deviceSets,
  devices,
  ensureSubscriptions,
  groups,
  holders,
  loadDevices,
  loadHolders,
} from '../subscriptions.ts'
import { autoSync, ensureAccountSettings, loadAccountSettings, setAutoSync } from './account-settings.ts'

/** Devices that do not share their podcasts yet, and what would happen if they did. */
export interface SyncOffer {
  /** The IDs of all of them. */
  readonly devices: readonly string[]
  /** What each of them gets from the others, by sync group or single device, the most first. */
  readonly gains: readonly Gain[]
  /** Podcasts that were chosen in a browser, for an app that brings none of its own. */
  readonly isGift: boolean
}

export interface Gain {
  readonly devices: readonly string[]
  /** The feed URLs it gets. */
  readonly urls: readonly string[]
}

interface OfferInput {
  readonly devices: readonly Pick<Device, 'id' | 'subscriptions'>[]
  readonly groups: readonly (readonly string[])[]
  /** The IDs of the devices that have a podcast, by feed URL. */
  readonly holders: ReadonlyMap<string, ReadonlySet<string>>
  /** Devices that the user has taken out of the others by hand. */
  readonly except: readonly string[]
  /** The devices of the offer that the user has declined. */
  readonly declined: string
}

/** What to offer to a user with these devices; undefined if all share already, or the user has declined. */
export function offerFor(input: OfferInput): SyncOffer | undefined {
  const { devices: all, groups: own, holders: has, except } = input
  const sets = deviceSets(podcastDevices(all, own), own)
    .map((set) => set.map(({ id }) => id))
    .filter((set) => !set.some((id) => except.includes(id)))
  const ids = sets.flat()
  if (sets.length < 2 || keyOf(ids) === input.declined) return undefined
  const union = [...has.values()].filter((holding) => ids.some((id) => holding.has(id)))
  const gains = gainsOf(sets, has)
  return { devices: ids, gains, isGift: union.length > 0 && isGift(gains, union.length) }
}

/** What each of the sets would get from the others, the most first. */
function gainsOf(sets: readonly (readonly string[])[], has: OfferInput['holders']): Gain[] {
  const union = [...has].filter(([, holding]) => sets.flat().some((id) => holding.has(id)))
  return sets
    .map((set) => ({
      devices: set,
      urls: union.filter(([, holding]) => !set.some((id) => holding.has(id))).map(([url]) => url),
    }))
    .toSorted((a, b) => b.urls.length - a.urls.length)
}

/** Whether an app without podcasts would get all of them from browsers. */
function isGift([app, browser, ...others]: readonly Gain[], all: number): boolean {
  if (!app || !browser || others.length > 0 || app.urls.length < all) return false
  const isBrowser = (id: string) => isBrowserDevice({ id })
  return browser.devices.every(isBrowser) && !app.devices.some(isBrowser)
}

/** Tells offers apart. An ID of a device contains no space. */
function keyOf(ids: readonly string[]): string {
  return ids.toSorted().join(' ')
}

/** What was declined since the page was loaded, by storage key: storage itself is no signal. */
const declined = signal<Readonly<Record<string, string>>>({})

/** Whether `syncOffer` is known without a request. */
export const isSyncOfferKnown = computed(
  () => devices.value !== undefined && holders.value !== undefined && autoSync.value !== undefined,
)

/** What to offer at the moment; undefined if there is nothing to offer, or it is not known yet. */
export const syncOffer = computed<SyncOffer | undefined>(() => {
  if (!devices.value || !holders.value || !autoSync.value || ownName() === '') return undefined
  return offerFor({
    devices: devices.value,
    groups: groups.value,
    holders: holders.value,
    except: autoSync.value.isOn ? autoSync.value.except : [],
    declined: declined.value[storageKey()] ?? localStorage.getItem(storageKey()) ?? '',
  })
})

/** Loads what `syncOffer` is made of unless it is recent. Rejects with `ApiError`. */
export async function ensureSyncOffer(): Promise<void> {
  await ensureSubscriptions()
  // Most users have all devices in one group, and need nothing more.
  if (deviceSets(ownPodcastDevices.value ?? [], groups.value).length > 1) await ensureAccountSettings()
}

/** Loads what `syncOffer` is made of again. Rejects with `ApiError`. */
export async function reloadSyncOffer(): Promise<void> {
  await Promise.all([loadDevices(), loadHolders()])
  await ensureSyncOffer()
}

/** Remembers in this browser that the user wants no such offer until there are other devices. */
export function decline({ devices: ids }: SyncOffer): void {
  localStorage.setItem(storageKey(), keyOf(ids))
  declined.value = { ...declined.value, [storageKey()]: keyOf(ids) }
}

function storageKey(): string {
  return accountKey('sync-declined', ownName())
}

/** What each device would get if all of them were kept in sync; undefined if that is not known yet. */
export const autoSyncGains = computed<readonly Gain[] | undefined>(() => {
  if (!ownPodcastDevices.value || !holders.value) return undefined
  const sets = deviceSets(ownPodcastDevices.value, groups.value).map((set) => set.map(({ id }) => id))
  return gainsOf(sets, holders.value)
})

/**
 * Keeps all devices in sync, also those that come later, but not browsers without podcasts. Resolves to what takes that
 * back. Rejects with `ApiError`.
 */
export async function enableAutoSync(): Promise<() => Promise<void>> {
  await ensureSubscriptions()
  const before = groups.value
  const gains = autoSyncGains.value ?? []
  const takenOut = autoSync.value?.isOn ? autoSync.value.except : []
  await setAutoSync(true, [...takenOut, ...listeningBrowsers.value.map(({ id }) => id)])
  return async () => {
    await setAutoSync(false)
    await separate(before, gains)
  }
}

/** Brings back the sync groups, and the lists without what was gained. */
async function separate(before: readonly (readonly string[])[], gains: readonly Gain[]): Promise<void> {
  const ids = gains.flatMap(({ devices: set }) => set)
  await regroup({ 'stop-synchronize': ids })
  const old = before.filter((group) => group.some((id) => ids.includes(id)))
  if (old.length > 0) await regroup({ synchronize: old })
  await applyChanges(
    gains.flatMap(({ devices: set, urls }) => set.slice(0, 1).map((device) => ({ device, add: [], remove: urls }))),
  )
}

async function regroup(body: Options<'changeSyncGroups'>['body']): Promise<void> {
  await call('changeSyncGroups', { path: { username: ownName() }, body })
  await Promise.all([loadDevices(), loadHolders(), loadAccountSettings()])
}
