import type { Housekeeping } from './domain/accounts/housekeeping.ts'
import type { MailQueue } from './domain/accounts/mail.ts'
import type { Indexer } from './domain/directory/indexer.ts'
import type { UpgradeProbe } from './domain/directory/upgrades.ts'
import type { Feeds } from './domain/feeds/refresh.ts'
import type { Backups } from './domain/server/backups.ts'
import type { LastSeen } from './domain/sync/devices.ts'
import type { Background } from './platform/background.ts'

export interface Job {
  readonly name: string
  /** When, as a cron pattern in local time. */
  readonly pattern: string
  /** Whether it also runs when the server starts, for what fell due while nothing ran. */
  readonly isForStart: boolean
  /** Begins; `idle` of the application waits for the end, and a failure goes to the log. */
  run(): void
}

interface JobParts {
  readonly mailQueue: MailQueue
  readonly feeds: Feeds
  readonly feedRefreshCron: string
  readonly indexer: Indexer
  readonly probe: UpgradeProbe
  readonly lastSeen: LastSeen
  readonly housekeeping: Housekeeping
  readonly backups: Backups
  readonly backupCron: string
  readonly background: Background
}

/** All that the server does without a request. */
export function createJobs(parts: JobParts): readonly Job[] {
  const { mailQueue, feeds, feedRefreshCron, indexer, probe, lastSeen, housekeeping, backups, backupCron, background } =
    parts
  return [
    { name: 'mail', pattern: '* * * * *', isForStart: true, run: () => background.run(() => mailQueue.deliverDue()) },
    // Not at the start: many servers start at the same time, after a power cut.
    {
      name: 'feeds',
      pattern: feedRefreshCron,
      isForStart: false,
      run: () => background.run(() => feeds.refreshDue()),
    },
    { name: 'directory', pattern: '41 * * * *', isForStart: true, run: () => background.run(() => indexer.run()) },
    { name: 'upgrades', pattern: '53 * * * *', isForStart: false, run: () => background.run(() => probe.run()) },
    // More often than connections without a byte are closed, by us (serve.ts) or by a proxy.
    { name: 'heartbeat', pattern: '*/20 * * * * *', isForStart: false, run: () => feeds.heartbeat() },
    { name: 'last seen', pattern: '*/5 * * * *', isForStart: false, run: () => background.run(lastSeen.save) },
    // Not on the hour, when everything else on the machine wakes up.
    {
      name: 'housekeeping',
      pattern: '17 * * * *',
      isForStart: true,
      run: () => background.run(() => housekeeping.run()),
    },
    { name: 'backup', pattern: backupCron, isForStart: false, run: () => backups.run() },
    // Soon after a start, but not while everything else begins; never in the second in which the schedule makes one.
    {
      name: 'overdue backup',
      pattern: '30 */5 * * * *',
      isForStart: false,
      run: () => background.run(() => backups.flush()),
    },
  ]
}
