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
  loadDevices,
  loadSubscribedDevices,
  subscribedDevices,
} from '../subscriptions.ts'
import { autoSync, ensureAccountSettings, loadAccountSettings, setAutoSync } from './account-settings.ts'

/** Devices that could be kept in sync, and the effect of doing so. */
export interface SyncOffer {
  /** Device IDs. */
  readonly devices: readonly string[]
  /** Podcasts that each sync group or single device would gain, largest gain first. */
  readonly gains: readonly Gain[]
  /** Whether an app without podcasts would get all podcasts of a browser. */
  readonly isGift: boolean
}

export interface Gain {
  readonly devices: readonly string[]
  /** Feed URLs. */
  readonly urls: readonly string[]
}

interface OfferInput {
  readonly devices: readonly Pick<Device, 'id' | 'subscriptions'>[]
  readonly groups: readonly (readonly string[])[]
  /** IDs of the devices subscribed to a podcast, by feed URL. */
  readonly holders: ReadonlyMap<string, ReadonlySet<string>>
  /** IDs of devices that the user has excluded from syncing. */
  readonly except: readonly string[]
  /** Key of the offer that the user has declined, see `keyOf`. */
  readonly declined: string
}

/** Returns the offer for these devices; undefined if all are in sync or the user has declined it. */
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

/** Returns the podcasts each set would gain from the others, largest gain first. */
function gainsOf(sets: readonly (readonly string[])[], has: OfferInput['holders']): Gain[] {
  const union = [...has].filter(([, holding]) => sets.flat().some((id) => holding.has(id)))
  return sets
    .map((set) => ({
      devices: set,
      urls: union.filter(([, holding]) => !set.some((id) => holding.has(id))).map(([url]) => url),
    }))
    .toSorted((a, b) => b.urls.length - a.urls.length)
}

function isGift([app, browser, ...others]: readonly Gain[], all: number): boolean {
  if (!app || !browser || others.length > 0 || app.urls.length < all) return false
  const isBrowser = (id: string) => isBrowserDevice({ id })
  return browser.devices.every(isBrowser) && !app.devices.some(isBrowser)
}

/** Returns the key of an offer. Device IDs contain no spaces. */
function keyOf(ids: readonly string[]): string {
  return ids.toSorted().join(' ')
}

/** Offers declined since page load, by storage key, because changes of storage do not trigger updates. */
const declined = signal<Readonly<Record<string, string>>>({})

/** Whether everything that `syncOffer` depends on is loaded. */
export const isSyncOfferKnown = computed(
  () => devices.value !== undefined && subscribedDevices.value !== undefined && autoSync.value !== undefined,
)

/** The current offer; undefined without one or before it is loaded. */
export const syncOffer = computed<SyncOffer | undefined>(() => {
  if (!devices.value || !subscribedDevices.value || !autoSync.value || ownName() === '') return undefined
  return offerFor({
    devices: devices.value,
    groups: groups.value,
    holders: subscribedDevices.value,
    except: autoSync.value.isOn ? autoSync.value.except : [],
    declined: declined.value[storageKey()] ?? localStorage.getItem(storageKey()) ?? '',
  })
})

/** Loads the data of `syncOffer` unless it is recent. Rejects with `ApiError`. */
export async function ensureSyncOffer(): Promise<void> {
  await ensureSubscriptions()
  // Most users have all devices in one group and do not need the settings.
  if (deviceSets(ownPodcastDevices.value ?? [], groups.value).length > 1) await ensureAccountSettings()
}

/** Reloads the data of `syncOffer`. Rejects with `ApiError`. */
export async function reloadSyncOffer(): Promise<void> {
  await Promise.all([loadDevices(), loadSubscribedDevices()])
  await ensureSyncOffer()
}

/** Hides the offer in this browser until the user's devices change. */
export function decline({ devices: ids }: SyncOffer): void {
  localStorage.setItem(storageKey(), keyOf(ids))
  declined.value = { ...declined.value, [storageKey()]: keyOf(ids) }
}

function storageKey(): string {
  return accountKey('sync-declined', ownName())
}

/** Podcasts that each device would gain if all were kept in sync; undefined until loaded. */
export const autoSyncGains = computed<readonly Gain[] | undefined>(() => {
  if (!ownPodcastDevices.value || !subscribedDevices.value) return undefined
  const sets = deviceSets(ownPodcastDevices.value, groups.value).map((set) => set.map(({ id }) => id))
  return gainsOf(sets, subscribedDevices.value)
})

/**
 * Keeps all current and future devices in sync, except browsers without podcasts. Resolves to an undo function. Rejects
 * with `ApiError`.
 */
export async function enableAutoSync(): Promise<() => Promise<void>> {
  await ensureSubscriptions()
  const before = groups.value
  const gains = autoSyncGains.value ?? []
  const excluded = autoSync.value?.isOn ? autoSync.value.except : []
  await setAutoSync(true, [...excluded, ...listeningBrowsers.value.map(({ id }) => id)])
  return async () => {
    await setAutoSync(false)
    await separate(before, gains)
  }
}

/** Restores the sync groups and removes the gained podcasts. */
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
  await Promise.all([loadDevices(), loadSubscribedDevices(), loadAccountSettings()])
}
