import { computed, signal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { accountSetting, changeAccountSettings } from '../sync/account-settings.ts'

export type ServerCheck = Answer<'getExamination'>['checks'][number]

const OPEN: readonly string[] = ['error', 'warning', 'todo'] satisfies ServerCheck['status'][]

export function isOpen({ status }: Pick<ServerCheck, 'status'>): boolean {
  return OPEN.includes(status)
}

/** Results of the checks: only the open ones until the page *Server* has asked for all. For administrators. */
export const serverChecks = signal<readonly ServerCheck[]>([])

/** Open entries, which Home and the page *Server* share, so that both show the same number. */
export const openChecks = computed(() => serverChecks.value.filter(isOpen))

/** Rejects with `ApiError`. */
export async function loadChecks(signal?: AbortSignal): Promise<readonly ServerCheck[]> {
  const { checks } = await call('getExamination', signal ? { signal } : {})
  serverChecks.value = checks
  return checks
}

/** Has the server examine itself. Rejects with `ApiError`. */
export async function examineServer(): Promise<readonly ServerCheck[]> {
  await call('examineServer')
  // It takes some seconds, in which other things may have changed, such as a first backup.
  return loadChecks()
}

/** The setting of the account that hides the list on Home, in every browser. */
const SETTING = 'podstep.checklist'
const HIDDEN = 'hidden'

export function areChecksHidden(): boolean {
  return accountSetting(SETTING) === HIDDEN
}

/** Hides it for good. Rejects with `ApiError`, and it is still there then. */
export async function hideChecks(): Promise<void> {
  await changeAccountSettings({ set: { [SETTING]: HIDDEN } })
}
