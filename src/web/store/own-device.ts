import { computed } from '@preact/signals'
import { call } from '../api/client.ts'
import { clientName, isBrowser, isMobile } from '../locales/client-name.ts'
import { t } from '../locales/index.ts'
import { accountKey } from './paths.ts'
import { ownName } from './session.ts'
import { createDevice, type Device, devices, ensureDevices, groups, loadDevices } from './subscriptions.ts'
import { leaveOut } from './sync/account-settings.ts'

/** Prefix of the device IDs of browsers, which distinguishes them from apps. */
const PREFIX = 'browser-'

/** Pending `ensureDevice` call and its user, shared by the parts of a page that call it at the same time. */
let running: { readonly username: string; readonly device: Promise<Device> } | undefined

/**
 * Returns the device of this browser, which all its tabs share. Creates it on first use and after it was deleted.
 * Rejects with `ApiError`.
 */
export function ensureDevice(): Promise<Device> {
  const username = ownName()
  if (running?.username === username) return running.device
  const started = { username, device: findOrCreate() }
  running = started
  const end = () => {
    if (running === started) running = undefined
  }
  started.device.then(end, end)
  return started.device
}

async function findOrCreate(): Promise<Device> {
  storedId()
  await ensureDevices()
  // Read again after the request: if several tabs chose an ID at the same time, the last one stored wins.
  const id = storedId()
  const existing = find(id)
  if (existing) return existing
  // A browser without podcasts has nothing to sync with the devices that have some.
  const isLeftOut = ownPodcastDevices.value !== undefined && ownPodcastDevices.value.length > 0
  const [client] = await Promise.all([ownClient(), isLeftOut && leaveOut(id)])
  await createDevice(id, clientName(client) || t('devices.thisBrowser'), typeOf(client))
  await loadDevices()
  return find(id) ?? { id, caption: id, type: 'other', subscriptions: 0, last_contact: '' }
}

function find(id: string): Device | undefined {
  return devices.value?.find((device) => device.id === id)
}

/** Returns the ID of this browser for the signed-in user. Generates and stores one if necessary. */
function storedId(): string {
  const stored = localStorage.getItem(storageKey())
  if (stored !== null && isBrowserId(stored)) return stored
  const random = crypto.getRandomValues(new Uint8Array(5))
  const id = PREFIX + Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')
  localStorage.setItem(storageKey(), id)
  return id
}

function storageKey(): string {
  return accountKey('device', ownName())
}

/** Returns the server's name for this browser, such as “Firefox on Linux”; '' if unknown. */
async function ownClient(): Promise<string> {
  const sessions = await call('listSessions').catch(() => [])
  return sessions.find(({ current }) => current)?.client ?? ''
}

/** Chooses the type that gives the browser the same icon in the list of devices as in that of sessions. */
function typeOf(client: string): string {
  if (isMobile(client)) return 'mobile'
  return isBrowser(client) ? 'laptop' : 'other'
}

function isBrowserId(id: string): boolean {
  return id.startsWith(PREFIX)
}

export function isOwnDevice(id: string): boolean {
  return localStorage.getItem(storageKey()) === id
}

/** Whether a device was created by this web client, in any browser. */
export function isBrowserDevice({ id }: Pick<Device, 'id'>): boolean {
  return isBrowserId(id)
}

/**
 * Returns the devices that can be offered for podcasts. Leaves out browsers that have none and are in no sync group, as
 * they show the podcasts of all devices anyway.
 */
export function podcastDevices<D extends Pick<Device, 'id' | 'subscriptions'>>(
  all: readonly D[],
  groups: readonly (readonly string[])[],
): readonly D[] {
  return all.filter(
    (device) => !isBrowserDevice(device) || device.subscriptions > 0 || groups.flat().includes(device.id),
  )
}

/** `podcastDevices` of the user; undefined until loaded. */
export const ownPodcastDevices = computed(() => devices.value && podcastDevices(devices.value, groups.value))

/** The user's browsers that are not in `ownPodcastDevices`. */
export const listeningBrowsers = computed(
  () => devices.value?.filter((device) => !ownPodcastDevices.value?.includes(device)) ?? [],
)

/** Returns `ownPodcastDevices`, or creates the device of this browser if there are none. Rejects with `ApiError`. */
export async function ensurePodcastDevices(): Promise<readonly Device[]> {
  await ensureDevices()
  const found = ownPodcastDevices.value ?? []
  return found.length > 0 ? found : [await ensureDevice()]
}
