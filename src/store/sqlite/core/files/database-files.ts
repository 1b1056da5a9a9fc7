import { closeSync, openSync, readSync, statSync } from 'node:fs'

/** Size of the header of a database file, and offsets in it (https://sqlite.org/fileformat2.html). */
const HEADER_BYTES = 100
const PAGE_SIZE_AT = 16
const PAGES_AT = 28
const USER_VERSION_AT = 60
/** First number of a write-ahead log. The last bit is the byte order of the checksums. */
const LOG_MAGIC = 0x377f0682

export interface FileTrouble {
  readonly file: string
  readonly kind: 'moved' | 'overwritten' | 'hidden'
  readonly error?: unknown
}

interface Identity {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
}

/** Watches the files of an open database. Other programs may change it through SQLite. */
export function watchFiles(path: string, stamp: number) {
  const files = [path, `${path}-wal`, `${path}-shm`].map((file) => ({ file, opened: identityOf(file) }))
  // Never closed, since closing a file drops the locks that SQLite holds on it in this process.
  const database = openIfThere(path)
  const log = openIfThere(`${path}-wal`)
  const header = Buffer.alloc(HEADER_BYTES)

  let size = 0n
  /** Stamp found in the file, which is valid until a checkpoint writes the stamp of this run. */
  let before = readStamp()
  let isOverwritten = false

  function readStamp(): number | undefined {
    return database !== undefined && readSync(database, header, 0, HEADER_BYTES, 0) === HEADER_BYTES
      ? header.readInt32BE(USER_VERSION_AT)
      : undefined
  }

  function isOther(now: bigint): boolean {
    const found = readStamp()
    if (found === stamp) before = stamp
    else if (found !== before) return true
    const pageSize = header.readUInt16BE(PAGE_SIZE_AT)
    const isShort =
      now < size && now < BigInt(header.readUInt32BE(PAGES_AT)) * BigInt(pageSize === 1 ? 65_536 : pageSize)
    size = now
    return isShort
  }

  function hasNoBeginning(): boolean {
    return (
      log !== undefined &&
      readSync(log, header, 0, HEADER_BYTES, 0) === HEADER_BYTES &&
      (header.readUInt32BE(0) & ~1) !== LOG_MAGIC
    )
  }

  function findTrouble(): FileTrouble | undefined {
    const found = files.map(({ file }) => identityOf(file))
    const moved = files.find(({ opened }, at) => opened !== undefined && !isSameFile(opened, found[at]))
    if (moved) return { file: moved.file, kind: 'moved' }
    if (isOverwritten || isOther(found[0]?.size ?? 0n)) {
      isOverwritten = true
      return { file: path, kind: 'overwritten' }
    }
    if (hasNoBeginning()) {
      isOverwritten = true
      return { file: `${path}-wal`, kind: 'overwritten' }
    }
    return undefined
  }

  return {
    /** Returns trouble with the files, if any. Moved files may come back; overwritten ones stay broken. */
    find(): FileTrouble | undefined {
      try {
        return findTrouble()
      } catch (error) {
        return { file: path, kind: 'hidden', error }
      }
    },
  }
}

/** Big integers, because some file systems use all 64 bits. */
function identityOf(file: string): Identity | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })
}

/** Compares inode numbers, which cannot be reused while the files are open. */
function isSameFile(one: Identity, other: Identity | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev
}

function openIfThere(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false }) ? openSync(file, 'r') : undefined
}

/** Returns the stamp in a database file, if any. No connection of this process may have the file open. */
export function stampIn(path: string): number | undefined {
  const file = openIfThere(path)
  if (file === undefined) return undefined
  try {
    const header = Buffer.alloc(HEADER_BYTES)
    return readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES ? header.readInt32BE(USER_VERSION_AT) : undefined
  } finally {
    closeSync(file)
  }
}
