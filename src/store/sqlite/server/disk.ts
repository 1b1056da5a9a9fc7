import type { Database as Driver } from 'bun:sqlite'
import { promises } from 'node:fs'
import { dirname } from 'node:path'
import type { DiskStore, DiskUse } from '../../../domain/feeds/ports.ts'
import { single } from '../../../platform/metrics.ts'
import type { Database, Snapshot } from '../../engine.ts'

/** File names of databases in memory, which have a size but no disk. */
const IN_MEMORY: ReadonlySet<string> = new Set(['', ':memory:'])

export function createDiskStore(driver: Driver, db: Database, snapshot: Snapshot): DiskStore {
  const size = db.prepare<{ bytes: number }, []>(
    'SELECT c.page_count * s.page_size AS bytes FROM pragma_page_count c, pragma_page_size s',
  )
  const path = pathOf(driver)

  async function use(): Promise<DiskUse> {
    const database = await snapshot.read(() => size.get()?.bytes ?? 0)
    if (path === undefined) return { database, writeAheadLog: 0, free: undefined }
    const [writeAheadLog = 0, free] = await Promise.all([bytesOf(`${path}-wal`), freeAt(dirname(path))])
    return { database, writeAheadLog, free }
  }

  return {
    use,

    async counters() {
      const { database, writeAheadLog, free } = await use()
      return [
        single('gauge', 'podstep_database_size_bytes', 'Size of the database file.', database),
        single('gauge', 'podstep_database_wal_size_bytes', 'Size of its write-ahead log.', writeAheadLog),
        single('gauge', 'podstep_disk_free_bytes', 'Free space where the database is.', free),
      ]
    },
  }
}

export function pathOf({ filename }: Driver): string | undefined {
  return IN_MEMORY.has(filename) ? undefined : filename
}

/** Returns undefined on any error, so that the other figures are still shown. */
function bytesOf(path: string): Promise<number | undefined> {
  return promises.stat(path).then(
    ({ size }) => size,
    () => undefined,
  )
}

/** Returns the free bytes for this user, without the part that some file systems reserve for root. */
function freeAt(folder: string): Promise<number | undefined> {
  return promises.statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  )
}
