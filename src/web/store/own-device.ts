import { computed } from '@preact/signals'
import { call } from '../api/client.ts'
import { clientName, isBrowser, isMobile } from '../locales/client-name.ts'
import { t } from '../locales/index.ts'
import { accountKey } from './paths.ts'
import { ownName } from './session.ts'
import { createDevice, type Device, devices, ensureDevices, groups, loadDevices } from './subscriptions.ts'
import { leaveOut } from './sync/account-settings.ts'

/** Devices of browsers are told from those of apps by their IDs. */
const PREFIX = 'browser-'

/** The running `ensureDevice` by its user, since it is asked for by several parts of a page at once. */
let running: { readonly username: string; readonly device: Promise<Device> } | undefined

/**
 * The device of this browser, made when it is first needed and again after it was deleted. Tabs of the browser share
 * one. Rejects with `ApiError`.
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
  // Read again after the request: of tabs that chose an ID at the same time, all use the one that was stored last.
  const id = storedId()
  const known = find(id)
  if (known) return known
  // A browser that holds no podcasts has nothing to keep in sync with the devices that do.
  const isLeftOut = ownPodcastDevices.value !== undefined && ownPodcastDevices.value.length > 0
  const [client] = await Promise.all([ownClient(), isLeftOut && leaveOut(id)])
  await createDevice(id, clientName(client) || t('devices.thisBrowser'), typeOf(client))
  await loadDevices()
  return find(id) ?? { id, caption: id, type: 'other', subscriptions: 0, last_contact: '' }
}

function find(id: string): Device | undefined {
  return devices.value?.find((device) => device.id === id)
}

/** The ID of this browser for the user who is signed in. It is chosen and stored if there is none yet. */
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

/** What the server takes this browser for, such as “Firefox on Linux”; '' where it cannot tell. */
async function ownClient(): Promise<string> {
  const sessions = await call('listSessions').catch(() => [])
  return sessions.find(({ current }) => current)?.client ?? ''
}

/** So that it has the same sign in the list of devices as in that of sessions. */
function typeOf(client: string): string {
  if (isMobile(client)) return 'mobile'
  return isBrowser(client) ? 'laptop' : 'other'
}

function isBrowserId(id: string): boolean {
  return id.startsWith(PREFIX)
}

/** Whether this is the device of this browser. */
export function isOwnDevice(id: string): boolean {
  return localStorage.getItem(storageKey()) === id
}

/** Whether a device was made by this client, in this or another browser. */
export function isBrowserDevice({ id }: Pick<Device, 'id'>): boolean {
  return isBrowserId(id)
}

/**
 * The devices that podcasts can be put on. Browsers show the podcasts of all devices anyway, so one that holds none is
 * no place to put them.
 */
export function podcastDevices<D extends Pick<Device, 'id' | 'subscriptions'>>(
  all: readonly D[],
  groups: readonly (readonly string[])[],
): readonly D[] {
  return all.filter(
    (device) => !isBrowserDevice(device) || device.subscriptions > 0 || groups.flat().includes(device.id),
  )
}

/** `podcastDevices` of the user; undefined until they are loaded. */
export const ownPodcastDevices = computed(() => devices.value && podcastDevices(devices.value, groups.value))

/** The browsers of the user that are none of `ownPodcastDevices`. */
export const listeningBrowsers = computed(
  () => devices.value?.filter((device) => !ownPodcastDevices.value?.includes(device)) ?? [],
)

/** Like `podcastDevices` of the user. Makes the device of this browser if there is none. Rejects with `ApiError`. */
export async function ensurePodcastDevices(): Promise<readonly Device[]> {
  await ensureDevices()
  const found = ownPodcastDevices.value ?? []
  return found.length > 0 ? found : [await ensureDevice()]
}
