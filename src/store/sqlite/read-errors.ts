import { constants, type Database } from 'bun:sqlite'
import { constants as os } from 'node:os'

/** System errors that SQLite reports as SQLITE_CORRUPT, though the disk has given nothing back that could be wrong. */
const OF_THE_DISK: ReadonlySet<number> = new Set([os.errno.EIO, os.errno.ENXIO, os.errno.ERANGE])

/**
 * Whether the disk has ever refused this connection to read the database file. SQLite keeps the number of the last system error for as
 * long as the file is open, so that damage that shows after such an error is taken for another one of the disk.
 */
export function hadReadError(db: Database): boolean {
  const errno = new Int32Array(2)
  db.fileControl(constants.SQLITE_FCNTL_LAST_ERRNO, errno)
  return OF_THE_DISK.has(errno[0] ?? 0)
}
