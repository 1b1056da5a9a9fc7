import { computed } from '@preact/signals'
import { call } from '../../api/client.ts'
import { createResource } from '../resource.ts'
import { ownName } from '../session.ts'
import { loadDevices, loadSubscribedDevices } from '../subscriptions.ts'

/** Account settings, shared with apps. The client knows a few of them. */
const resource = createResource(fetchSettings)

interface SettingsChange {
  readonly set?: Readonly<Record<string, unknown>>
  readonly remove?: string[]
}

interface AutoSync {
  /** Whether all current and future devices form one sync group (docs/protocol.md#auto-sync). */
  readonly isOn: boolean
  /** IDs of excluded devices. */
  readonly except: readonly string[]
}

/** Undefined until it is loaded. */
export const autoSync = computed(() => resource.value.value && readAutoSync(resource.value.value))

/** Setting: play the rest of a list when the queue is empty (docs/web-client.md). */
const KEEP_PLAYING = 'podstep.keep_playing'

/** Undefined until it is loaded. */
export const keepsPlaying = computed(() => resource.value.value && Object(resource.value.value)[KEEP_PLAYING] === true)

/** Rejects with `ApiError`. */
export async function setKeepPlaying(isOn: boolean): Promise<void> {
  await changeAccountSettings(isOn ? { set: { [KEEP_PLAYING]: true } } : { remove: [KEEP_PLAYING] })
}

/** Returns the settings, loaded again unless they are recent. Rejects with `ApiError`. */
export function ensureAccountSettings(): Promise<object> {
  return resource.get()
}

/** Returns a setting; undefined if unset or not loaded yet. */
export function accountSetting(name: string): unknown {
  const settings: Readonly<Record<string, unknown>> = { ...resource.value.value }
  return settings[name]
}

/** Stores settings from another operation's answer. */
export function setAccountSettings(settings: object): void {
  resource.set(settings)
}

/** Reloads the settings. Rejects with `ApiError`. */
export async function loadAccountSettings(): Promise<void> {
  await resource.load()
}

/**
 * Switches automatic syncing on, which joins all devices except `except` at once, or off, which keeps the sync group.
 * Rejects with `ApiError`.
 */
export async function setAutoSync(isOn: boolean, except: readonly string[] = []): Promise<void> {
  const set = { auto_sync: true, auto_sync_except: except }
  await changeAccountSettings(isOn ? { set } : { remove: ['auto_sync'] })
  await Promise.all([loadDevices(), loadSubscribedDevices()])
}

/** Excludes a device from automatic syncing. The device need not exist yet. Rejects with `ApiError`. */
export async function leaveOut(id: string): Promise<void> {
  await ensureAccountSettings()
  const { isOn = false, except = [] } = autoSync.value ?? {}
  if (isOn) await changeAccountSettings({ set: { auto_sync_except: [...except, id] } })
}

/** Rejects with `ApiError`. */
export async function changeAccountSettings(body: SettingsChange): Promise<void> {
  resource.set(await call('changeSettings', { path: path(), body }))
}

function fetchSettings(): Promise<object> {
  return call('getSettings', { path: path() })
}

function path() {
  return { username: ownName(), scope: 'account' }
}

function readAutoSync(settings: object): AutoSync {
  const { auto_sync: value, auto_sync_except: except } = Object(settings)
  return {
    isOn: value === true,
    except: Array.isArray(except) ? except.filter((each) => typeof each === 'string') : [],
  }
}
