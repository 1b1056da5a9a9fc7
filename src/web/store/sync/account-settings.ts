import { computed } from '@preact/signals'
import { call } from '../../api/client.ts'
import { createResource } from '../resource.ts'
import { ownName } from '../session.ts'
import { loadDevices, loadHolders } from '../subscriptions.ts'

/** Settings of the account that apps may share; the client knows a few of them. */
const resource = createResource(fetchSettings)

interface AutoSync {
  /** Whether all devices are one sync group, also those that come later (docs/protocol.md#auto-sync). */
  readonly isOn: boolean
  /** The IDs of the devices that are left out of it. */
  readonly except: readonly string[]
}

/** Undefined until it is loaded. */
export const autoSync = computed(() => resource.value.value && readAutoSync(resource.value.value))

/** Loads `autoSync` unless it is recent. Rejects with `ApiError`. */
export async function ensureAccountSettings(): Promise<void> {
  await resource.get()
}

/** Loads `autoSync` again. Rejects with `ApiError`. */
export async function loadAccountSettings(): Promise<void> {
  await resource.load()
}

/** Switches it on, which joins all devices at once, or off, which leaves the group as it is. Rejects with `ApiError`. */
export async function setAutoSync(isOn: boolean): Promise<void> {
  const body = isOn ? { set: { auto_sync: true }, remove: ['auto_sync_except'] } : { remove: ['auto_sync'] }
  resource.set(await call('changeSettings', { path: path(), body }))
  await Promise.all([loadDevices(), loadHolders()])
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
