import type { UserStore } from './account-ports.ts'
import type { RegistrationMode } from './user.ts'

/** What a page must know before anybody has signed in. */
export interface ServerInfo {
  readonly version: string
  readonly registration: RegistrationMode
  /** Whether a reset of the password comes by mail. */
  readonly canMail: boolean
  /** Nobody can sign in yet: the next account becomes administrator, whatever `registration` says (protocol.md 18.1). */
  isFirstRun(): Promise<boolean>
}

export function createServerInfo(
  facts: Omit<ServerInfo, 'isFirstRun'>,
  { anyActive }: Pick<UserStore, 'anyActive'>,
): ServerInfo {
  return { ...facts, isFirstRun: async () => !(await anyActive()) }
}
