import { computed, signal } from '@preact/signals'
import { type Answer, call } from '../../api/client.ts'
import { accountSetting, changeAccountSettings } from '../sync/account-settings.ts'

export type ServerCheck = Answer<'getExamination'>['checks'][number]

const OPEN: readonly string[] = ['error', 'warning', 'todo'] satisfies ServerCheck['status'][]

export function isOpen({ status }: Pick<ServerCheck, 'status'>): boolean {
  return OPEN.includes(status)
}

/** Check results, for administrators: only open ones until the page *Server* has loaded all. */
export const serverChecks = signal<readonly ServerCheck[]>([])

/** Open checks, shared by Home and the page *Server* so that both show the same number. */
export const openChecks = computed(() => serverChecks.value.filter(isOpen))

/** Rejects with `ApiError`. */
export async function loadChecks(signal?: AbortSignal): Promise<readonly ServerCheck[]> {
  const { checks } = await call('getExamination', signal ? { signal } : {})
  serverChecks.value = checks
  return checks
}

/** Runs all checks on the server. Rejects with `ApiError`. */
export async function examineServer(): Promise<readonly ServerCheck[]> {
  await call('examineServer')
  // Reload: the checks take some seconds, during which a first backup, for example, may have completed.
  return loadChecks()
}

/** Account setting that hides the list on Home in all browsers. */
const SETTING = 'podstep.checklist'
const HIDDEN = 'hidden'

export function areChecksHidden(): boolean {
  return accountSetting(SETTING) === HIDDEN
}

/** Hides the list permanently. Rejects with `ApiError` and leaves it visible. */
export async function hideChecks(): Promise<void> {
  await changeAccountSettings({ set: { [SETTING]: HIDDEN } })
}
