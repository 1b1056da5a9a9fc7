import type { Housekeeping } from './domain/accounts/housekeeping.ts'
import type { MailQueue } from './domain/accounts/mail.ts'
import type { Indexer } from './domain/directory/indexer.ts'
import type { UpgradeProbe } from './domain/directory/upgrades.ts'
import type { MoveProbe } from './domain/feeds/move-probe.ts'
import type { Feeds } from './domain/feeds/refresh.ts'
import type { Webhooks } from './domain/outlets/webhooks.ts'
import type { Backups } from './domain/server/backups.ts'
import type { ActivityLog } from './domain/sync/activity/activity.ts'
import type { LastSeen } from './domain/sync/devices.ts'
import type { FeedGuids } from './domain/sync/feed-guids.ts'
import type { ListHistory } from './domain/sync/list-changes/list-changes.ts'
import type { Imports } from './domain/transfer/imports.ts'
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
  readonly moveProbe: MoveProbe
  readonly lastSeen: LastSeen
  readonly activity: ActivityLog
  readonly feedGuids: FeedGuids
  readonly listHistory: ListHistory
  readonly housekeeping: Housekeeping
  readonly webhooks: Webhooks
  readonly imports: Imports
  readonly backups: Backups
  readonly backupCron: string
  readonly background: Background
  /** Tells open connections that the server is still there. */
  readonly heartbeat: () => void
  /** Feeds are left alone, by the setting `outbound`. */
  readonly isOff: boolean
}

/** All that the server does without a request. */
export function createJobs(parts: JobParts): readonly Job[] {
  const {
    mailQueue,
    feeds,
    feedRefreshCron,
    indexer,
    probe,
    moveProbe,
    lastSeen,
    activity,
    feedGuids,
    listHistory,
    housekeeping,
    webhooks,
    imports,
    backups,
    backupCron,
    background,
    heartbeat,
    isOff,
  } = parts
  const job = (name: string, pattern: string, run: () => void): Job => ({ name, pattern, isForStart: false, run })
  const later = (name: string, pattern: string, work: () => Promise<unknown>): Job =>
    job(name, pattern, () => background.run(work))
  const alsoAtStart = (each: Job): Job => ({ ...each, isForStart: true })
  const ofFeeds = [
    // Not at the start: many servers start at the same time, after a power cut.
    later('feeds', feedRefreshCron, () => feeds.refreshDue()),
    later('upgrades', '53 * * * *', () => probe.run()),
    later('moves', '29 * * * *', () => moveProbe.run()),
  ]
  return [
    alsoAtStart(later('mail', '* * * * *', () => mailQueue.deliverDue())),
    // In the middle of a minute: feeds are refreshed at its beginning.
    later('webhooks', '30 * * * * *', () => webhooks.run()),
    ...(isOff ? [] : ofFeeds),
    alsoAtStart(later('directory', '41 * * * *', () => indexer.run())),
    // More often than connections without a byte are closed, by us (serve.ts) or by a proxy.
    job('heartbeat', '*/20 * * * * *', heartbeat),
    alsoAtStart(later('guids of feeds', '47 * * * *', () => feedGuids.run())),
    later('changes of lists', '37 * * * *', () => listHistory.clean()),
    later('last seen', '*/5 * * * *', lastSeen.save),
    later('activity', '*/5 * * * *', activity.save),
    later('old activity', '37 * * * *', () => activity.clean()),
    // Not on the hour, when everything else on the machine wakes up.
    alsoAtStart(later('housekeeping', '17 * * * *', () => housekeeping.run())),
    later('files of imports', '23 * * * *', () => imports.sweep()),
    job('backup', backupCron, () => backups.run()),
    // Soon after a start, but not while everything else begins; never in the second in which the schedule makes one.
    later('overdue backup', '30 */5 * * * *', () => backups.flush()),
  ]
}
