import { isUnavailable } from '../domain/shared/errors.ts'
import type { Service } from '../domain/shared/service.ts'
import type { Store } from '../domain/store.ts'
import { type Family, histogramSamples, labelled, single } from '../platform/metrics.ts'

export interface ServerSources {
  readonly version: string
  /** Rejects with `unavailable` as `/readyz` does. */
  readonly ready: () => Promise<void>
  readonly memoryBytes: () => number | undefined
  readonly store: Pick<Store, 'disk' | 'writeCounts'>
  /** Of all services. */
  readonly counters: readonly NonNullable<Service['counters']>[]
}

/**
 * How the server is at this moment. What cannot be told while the database cannot be read is left out, so that the rest
 * says why.
 */
export async function readServer(sources: ServerSources, startedAt: number): Promise<Family[]> {
  const stored = await Promise.all([
    database(sources).catch(emptyIfUnavailable),
    ...sources.counters.map(async (read) => Promise.resolve(read()).catch(emptyIfUnavailable)),
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
  ]
}

function emptyIfUnavailable(error: unknown): Family[] {
  if (isUnavailable(error)) return []
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
