import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { RegistrationMode, UserStore } from '../accounts/ports/users.ts'
import type { DiskStore, DiskUse } from '../feeds/ports.ts'
import type { Job } from '../shared/service.ts'
import type { BackupStatus, Backups } from './backups.ts'

/** A setting in effect, safe to show: the value of a secret only says whether it is set. */
export interface EffectiveSetting {
  readonly key: string
  readonly value: string
  readonly origin: 'default' | 'file' | 'environment' | 'secret file' | 'command line'
  readonly isSecret: boolean
  readonly description: string
}

interface ServerFacts {
  readonly version: string
  /** Public URL; undefined if it is taken from each request. */
  readonly baseUrl: string | undefined
  readonly engine: 'sqlite' | 'postgresql'
  readonly dataDir: string
  readonly isOutbound: boolean
  readonly settings: readonly EffectiveSetting[]
}

export interface ServerState extends ServerFacts {
  readonly jobs: readonly string[]
  readonly startedAt: number
  readonly uptimeSeconds: number
  readonly memoryBytes: number
  readonly disk: DiskUse
  readonly backup: BackupStatus
}

export interface ServerStatusParts extends ServerFacts {
  readonly disk: DiskStore
  readonly backups: Backups
  readonly clock: Clock
  readonly jobs: readonly Job[]
  readonly memoryBytes: (() => number) | undefined
}

export function createServerStatus({ disk, backups, clock, jobs, memoryBytes, ...facts }: ServerStatusParts) {
  const startedAt = clock.seconds()
  // The wall clock may be adjusted later.
  const start = clock.monotonic()
  return {
    settings: facts.settings,

    async read(): Promise<ServerState> {
      const uptimeSeconds = Math.floor((clock.monotonic() - start) / 1000)
      const [diskUse, backup] = await Promise.all([disk.use(), backups.status()])
      const names = jobs.map(({ name }) => name)
      return {
        ...facts,
        jobs: names,
        startedAt,
        uptimeSeconds,
        memoryBytes: memoryBytes?.() ?? 0,
        disk: diskUse,
        backup,
      }
    },
  }
}

export interface ServerInfo {
  readonly version: string
  /** Random for each start, so that no two running servers share it. */
  readonly instance: string
  readonly registration: RegistrationMode
  readonly canMail: boolean
  readonly isOutbound: boolean
  addresses(): readonly string[]
  /** Whether no account can sign in yet. The next one then becomes administrator (docs/protocol.md#registration). */
  isFirstRun(): Promise<boolean>
}

export function createServerInfo(
  facts: Omit<ServerInfo, 'isFirstRun'>,
  { anyActive }: Pick<UserStore, 'anyActive'>,
): ServerInfo {
  return { ...facts, isFirstRun: async () => !(await anyActive()) }
}

export type DatabaseCheck = ReturnType<typeof createDatabaseCheck>

/** Checks the database after an unclean stop: a power cut may lose writes that the disk had acknowledged. */
export function createDatabaseCheck(
  store: { check(): Promise<number>; isSound(): boolean; isOverwritten(): boolean },
  clock: Clock,
  log: Log,
) {
  let isOpen = false

  async function check(): Promise<void> {
    const start = clock.monotonic()
    try {
      if ((await store.check()) > 0) return
      isOpen = false
      log.info('the database has been checked and is sound', {
        seconds: Math.round((clock.monotonic() - start) / 1000),
      })
    } catch (error) {
      log.error('the database could not be checked to its end; the next start tries again', { error })
    }
  }

  return {
    begin(): void {
      isOpen = true
      log.warn('the last stop was not orderly; the database is being checked, which does not keep anybody waiting')
      void check()
    },
    isPassed: (): boolean => !isOpen && store.isSound(),
    isOverwritten: (): boolean => store.isOverwritten(),
  }
}
