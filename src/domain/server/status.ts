import type { Clock } from '../../platform/clock.ts'
import type { UserStore } from '../accounts/ports.ts'
import type { RegistrationMode } from '../accounts/user.ts'
import type { DiskStore, DiskUse } from '../feeds/ports.ts'
import type { BackupStatus, Backups } from './backups.ts'

/** A setting of the server that is in effect, fit to be shown: of a secret only whether it is set. */
export interface EffectiveSetting {
  readonly key: string
  /** As it would stand in the file; `''` without a value. */
  readonly value: string
  readonly origin: 'default' | 'file' | 'environment' | 'secret file' | 'command line'
  readonly isSecret: boolean
  readonly description: string
}

/** What does not change while the server runs. */
interface ServerFacts {
  readonly version: string
  /** Public address; undefined if it is taken from the request. */
  readonly baseUrl: string | undefined
  readonly dataDir: string
  /** Names of what is done again and again. */
  readonly jobs: readonly string[]
  readonly settings: readonly EffectiveSetting[]
}

export interface ServerState extends ServerFacts {
  readonly startedAt: number
  readonly uptimeSeconds: number
  readonly memoryBytes: number
  readonly disk: DiskUse
  readonly backup: BackupStatus
}

export interface ServerStatus {
  read(): Promise<ServerState>
  readonly settings: readonly EffectiveSetting[]
}

export interface ServerStatusParts extends ServerFacts {
  readonly disk: DiskStore
  readonly backups: Backups
  readonly clock: Clock
  /** Undefined where nobody is told. */
  readonly memoryBytes: (() => number) | undefined
}

/** The process and its machine, since it was made. */
export function createServerStatus({ disk, backups, clock, memoryBytes, ...facts }: ServerStatusParts): ServerStatus {
  const startedAt = clock.seconds()
  // The other clock may have been set since.
  const start = clock.monotonic()
  return {
    settings: facts.settings,

    async read() {
      const uptimeSeconds = Math.floor((clock.monotonic() - start) / 1000)
      const [diskUse, backup] = await Promise.all([disk.use(), backups.status()])
      return { ...facts, startedAt, uptimeSeconds, memoryBytes: memoryBytes?.() ?? 0, disk: diskUse, backup }
    },
  }
}

/** What a page must know before anybody has signed in. */
export interface ServerInfo {
  readonly version: string
  readonly registration: RegistrationMode
  /** Whether a reset of the password comes by mail. */
  readonly canMail: boolean
  /** Nobody can sign in yet: the next account becomes administrator, whatever `registration` says (docs/protocol.md#registration). */
  isFirstRun(): Promise<boolean>
}

export function createServerInfo(
  facts: Omit<ServerInfo, 'isFirstRun'>,
  { anyActive }: Pick<UserStore, 'anyActive'>,
): ServerInfo {
  return { ...facts, isFirstRun: async () => !(await anyActive()) }
}
