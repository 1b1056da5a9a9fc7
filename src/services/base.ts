import type { Database } from 'bun:sqlite'
import type { LoadedConfig } from '../config/load.ts'
import type { Config } from '../config/options.ts'
import type { Mailer } from '../domain/accounts/mail.ts'
import type { Pictures } from '../domain/directory/artwork.ts'
import type { ChapterSource } from '../domain/feeds/chapters.ts'
import type { FeedSource } from '../domain/feeds/ports.ts'
import type { TranscriptSource } from '../domain/feeds/transcripts.ts'
import type { WebhookSender } from '../domain/outlets/webhooks.ts'
import type { BackupStore } from '../domain/server/backups.ts'
import type { Hints } from '../domain/shared/hints.ts'
import { createRateLimit, noLimit } from '../domain/shared/rate-limit.ts'
import type { Background } from '../platform/background.ts'
import type { Clock } from '../platform/clock.ts'
import type { Random } from '../platform/crypto.ts'
import type { Log } from '../platform/log.ts'
import { createLru } from '../platform/lru.ts'
import type { PasswordHasher } from '../platform/password.ts'
import type { Connections } from '../store/postgres/connections.ts'
import type { Store } from '../store/stores.ts'
import type { StartReader } from '../transfer/process/client.ts'

export type Engine =
  | { readonly sqlite: Database; readonly postgres?: undefined }
  | { readonly sqlite?: undefined; readonly postgres: Connections }

export interface ServiceParts {
  readonly clock: Clock
  readonly random: Random
  readonly hasher: PasswordHasher
  readonly log: Log
  readonly version: string
  readonly settings?: Omit<LoadedConfig, 'config'>
  readonly addresses?: () => readonly string[]
  readonly memoryBytes?: () => number
  readonly mailer?: Mailer
  readonly feedSource?: FeedSource
  readonly pictures?: Pictures
  readonly fetchesNewFeeds?: boolean
  readonly chapterSource?: ChapterSource
  readonly transcriptSource?: TranscriptSource
  readonly webhookSender?: WebhookSender
  readonly startReader?: StartReader
  readonly backupStore?: BackupStore
  readonly delayRefusal?: () => Promise<void>
  readonly pause?: (signal: AbortSignal) => Promise<void>
}

export interface Base extends ServiceParts {
  readonly config: Config
  readonly engine: Engine
  readonly store: Store
  readonly hints: Hints
  readonly background: Background
  /** Rejects while changes cannot be stored. */
  readonly ready: () => Promise<void>
}

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

const LIMITED_KEYS_MAX = 20_000

export function limit({ config, clock }: Base, max: number, windowMs: number) {
  return config.rateLimit
    ? createRateLimit({ max, windowMs }, createLru(LIMITED_KEYS_MAX, clock, windowMs), clock)
    : noLimit
}
