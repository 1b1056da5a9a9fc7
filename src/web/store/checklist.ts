import { signal } from '@preact/signals'
import { accountKey } from './paths.ts'
import { ownName } from './session.ts'
import { changeAccountSettings, ensureAccountSettings } from './sync/account-settings.ts'

/** The setting of the account that says so, so that it stays hidden in every browser. */
const SETTING = 'podstep.checklist'
const HIDDEN = 'hidden'

const hiddenFor = signal<string | undefined>(undefined)

const storageKey = () => accountKey('checklist', ownName())

/** Whether this browser knows that the user has hidden the checklist. */
export function isChecklistHidden(): boolean {
  return hiddenFor.value === ownName() || localStorage.getItem(storageKey()) === HIDDEN
}

/** Asks the server, for a user who has hidden it in another browser. Rejects with `ApiError`. */
export async function loadChecklistHidden(): Promise<boolean> {
  const settings: Readonly<Record<string, unknown>> = { ...(await ensureAccountSettings()) }
  if (settings[SETTING] === HIDDEN) remember()
  return isChecklistHidden()
}

/** Hides it for good. Rejects with `ApiError`, and it is still there then. */
export async function hideChecklist(): Promise<void> {
  await changeAccountSettings({ set: { [SETTING]: HIDDEN } })
  remember()
}

function remember(): void {
  localStorage.setItem(storageKey(), HIDDEN)
  hiddenFor.value = ownName()
}
