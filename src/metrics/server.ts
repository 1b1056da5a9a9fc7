import type { MailQueue } from '../domain/accounts/mail.ts'
import type { Feeds } from '../domain/feeds/refresh.ts'
import type { Webhooks } from '../domain/outlets/webhooks.ts'
import type { Backups } from '../domain/server/backups.ts'
import { DomainError, isUnavailable } from '../domain/shared/errors.ts'
import type { Store } from '../domain/store.ts'
import { type Family, histogramSamples, labelled, single } from './family.ts'

/** Where the numbers are. */
export interface ServerSources {
  readonly version: string
  /** Rejects with `unavailable` as `/readyz` does. */
  readonly ready: () => Promise<void>
  /** Undefined where nobody is told. */
  readonly memoryBytes: () => number | undefined
  readonly store: Pick<Store, 'disk' | 'writeCounts'>
  readonly backups: Pick<Backups, 'status' | 'list'>
  readonly mail: Pick<MailQueue, 'isOn' | 'status' | 'counts'>
  readonly webhooks: Pick<Webhooks, 'waiting' | 'counts'>
  readonly feeds: Pick<Feeds, 'counts'>
  readonly feedWorker: { readonly counts: () => { readonly starts: number; readonly failures: number } }
  readonly thumbnails: { readonly counts: () => { readonly made: number; readonly waiting: number } }
  readonly streams: { readonly count: () => number }
}

/**
 * How the server is at this moment. What cannot be told while the database cannot be read is left out, so that the rest
 * says why.
 */
export async function readServer(sources: ServerSources, startedAt: number): Promise<Family[]> {
  const stored = await Promise.all([
    ...[database, mail, webhooks].map((read) => read(sources).catch(emptyIfUnavailable)),
    backupFamilies(sources),
  ])
  // After the reads, which may just have shown that it is not. Why, `/readyz` and the log tell.
  const isReady = await sources.ready().then(
    () => 1,
    () => 0,
  )
  return [
    labelled('gauge', ['podstep_info', 'Always 1; the label says which version is running.'], 'version', {
      [sources.version]: 1,
    }),
    single('gauge', 'podstep_ready', 'Whether changes can be stored, as /readyz tells: 1 or 0.', isReady),
    single('gauge', 'process_start_time_seconds', 'When the server was started, in Unix seconds.', startedAt),
    single('gauge', 'process_resident_memory_bytes', 'Memory that the server takes.', sources.memoryBytes()),
    ...writing(sources),
    ...stored.flat(),
    ...feeds(sources),
    single('gauge', 'podstep_live_streams', 'Open pages that are told of changes.', sources.streams.count()),
    single(
      'counter',
      'podstep_thumbnails_made_total',
      'Thumbnails of pictures that were made.',
      sources.thumbnails.counts().made,
    ),
    single(
      'gauge',
      'podstep_thumbnails_waiting',
      'Pictures that wait to be made into thumbnails.',
      sources.thumbnails.counts().waiting,
    ),
  ]
}

function emptyIfUnavailable(error: unknown): Family[] {
  if (isUnavailable(error)) return []
  throw error
}

/** The folder of backups cannot be read: then the last attempt has failed as well, or the next one will. */
function emptyIfUnusable(error: unknown): [] {
  if (error instanceof DomainError && error.code === 'backup_failed') return []
  throw error
}

function writing({ store }: ServerSources): Family[] {
  const { waiting, groupSizes, failures } = store.writeCounts()
  const sizes = 'podstep_write_group_size'
  return [
    single('gauge', 'podstep_write_queue_depth', 'Changes that wait to be written.', waiting),
    {
      name: sizes,
      help: 'Changes that were written together, in one transaction.',
      type: 'histogram',
      values: histogramSamples(sizes, groupSizes),
    },
    single('counter', 'podstep_write_failures_total', 'Changes that could not be written.', failures),
  ]
}

async function database({ store }: ServerSources): Promise<Family[]> {
  const disk = await store.disk.use()
  return [
    single('gauge', 'podstep_database_size_bytes', 'Size of the database file.', disk.database),
    single('gauge', 'podstep_database_wal_size_bytes', 'Size of its write-ahead log.', disk.writeAheadLog),
    single('gauge', 'podstep_disk_free_bytes', 'Free space where the database is.', disk.free),
  ]
}

async function mail({ mail }: ServerSources): Promise<Family[]> {
  const [{ total }, counts] = [await mail.status(), mail.counts()]
  return [
    single(
      'gauge',
      'podstep_mail_enabled',
      'Whether the settings let the server send mail: 1 or 0.',
      Number(mail.isOn),
    ),
    single('gauge', 'podstep_mail_queue_depth', 'Mails that wait to be sent.', total),
    labelled(
      'counter',
      ['podstep_mail_attempts_total', 'Attempts to send a mail, by result: sent or failed.'],
      'result',
      counts,
    ),
  ]
}

async function webhooks({ webhooks }: ServerSources): Promise<Family[]> {
  return [
    single('gauge', 'podstep_webhook_queue_depth', 'Messages that wait to be delivered.', await webhooks.waiting()),
    labelled(
      'counter',
      ['podstep_webhook_attempts_total', 'Attempts to deliver a message, by result: delivered or failed.'],
      'result',
      webhooks.counts(),
    ),
  ]
}

async function backupFamilies({ backups }: ServerSources): Promise<Family[]> {
  const { isOn, isRunning, isOverdue, last, nextAt } = await backups.status()
  const newest = (await backups.list().catch(emptyIfUnusable))[0]
  const gauge = (name: string, help: string, value: number | undefined) => single('gauge', name, help, value)
  return [
    gauge('podstep_backup_enabled', 'Whether the settings want backups: 1 or 0.', Number(isOn)),
    gauge('podstep_backup_running', 'Whether a backup is being made: 1 or 0.', Number(isRunning)),
    gauge('podstep_backup_overdue', 'Whether the last good backup is too old: 1 or 0.', Number(isOverdue)),
    gauge('podstep_backup_last_attempt_timestamp_seconds', 'When the last backup was begun.', last?.at),
    gauge('podstep_backup_last_success', 'Whether the last backup was made: 1 or 0.', last && Number('file' in last)),
    gauge('podstep_backup_last_duration_seconds', 'How long the last backup took.', last?.seconds),
    gauge('podstep_backup_newest_timestamp_seconds', 'When the newest backup in the folder was begun.', newest?.at),
    gauge('podstep_backup_newest_size_bytes', 'Size of the newest backup in the folder.', newest?.bytes),
    gauge('podstep_backup_next_timestamp_seconds', 'When the schedule makes the next one.', nextAt),
  ]
}

function feeds(sources: ServerSources): Family[] {
  const { results, running, waiting } = sources.feeds.counts()
  const worker = sources.feedWorker.counts()
  return [
    labelled(
      'counter',
      ['podstep_feed_fetches_total', 'Feeds that were fetched, by result: feed, unchanged, or why there was none.'],
      'result',
      { feed: 0, unchanged: 0, ...Object.fromEntries(results) },
    ),
    single('gauge', 'podstep_feed_fetches_running', 'Feeds that are being fetched.', running),
    single('gauge', 'podstep_feed_fetches_waiting', 'Feeds that are due and wait for their turn.', waiting),
    single(
      'counter',
      'podstep_feed_worker_starts_total',
      'Starts of the feed worker, which ends when there is nothing to do.',
      worker.starts,
    ),
    single(
      'counter',
      'podstep_feed_worker_failures_total',
      'Ends of the feed worker by a crash, or because it was stuck.',
      worker.failures,
    ),
  ]
}
