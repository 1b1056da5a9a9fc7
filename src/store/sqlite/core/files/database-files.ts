import { closeSync, openSync, readSync, statSync } from 'node:fs'

/** Bytes at the beginning of a database file that say what it is, and where in them (https://sqlite.org/fileformat2.html). */
const HEADER_BYTES = 100
const PAGE_SIZE_AT = 16
const PAGES_AT = 28
const USER_VERSION_AT = 60
/** A write-ahead log begins with this number; its last bit tells the order of bytes in its sums. */
const LOG_MAGIC = 0x377f0682

export interface FileTrouble {
  readonly file: string
  readonly what: 'moved' | 'overwritten' | 'hidden'
  readonly error?: unknown
}

interface Identity {
  readonly dev: bigint
  readonly ino: bigint
  readonly size: bigint
}

/** Watches the files of an open database. Changes made through SQLite by other programs are fine. */
export function watchFiles(path: string, stamp: number) {
  const files = [path, `${path}-wal`, `${path}-shm`].map((file) => ({ file, opened: identityOf(file) }))
  // These are never closed: to close a file takes the locks away that SQLite has on it in this process.
  const database = openIfThere(path)
  const log = openIfThere(`${path}-wal`)
  const header = Buffer.alloc(HEADER_BYTES)

  let size = 0n
  /** Until a checkpoint has brought the stamp of this run into the file, the one that it has found there is as good. */
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

  function look(): FileTrouble | undefined {
    const found = files.map(({ file }) => identityOf(file))
    const moved = files.find(({ opened }, at) => opened !== undefined && !isSameFile(opened, found[at]))
    if (moved) return { file: moved.file, what: 'moved' }
    if (isOverwritten || isOther(found[0]?.size ?? 0n)) {
      isOverwritten = true
      return { file: path, what: 'overwritten' }
    }
    if (hasNoBeginning()) {
      isOverwritten = true
      return { file: `${path}-wal`, what: 'overwritten' }
    }
    return undefined
  }

  return {
    /** Trouble found in the files. Moved files may come back; overwritten ones stay wrong. */
    find(): FileTrouble | undefined {
      try {
        return look()
      } catch (error) {
        return { file: path, what: 'hidden', error }
      }
    },
  }
}

/** Big integers, because some file systems use all 64 bits. */
function identityOf(file: string): Identity | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })
}

/** As long as they are open, nobody else can get the numbers of their files. */
function isSameFile(one: Identity, other: Identity | undefined): boolean {
  return one.ino === other?.ino && one.dev === other.dev
}

function openIfThere(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false }) ? openSync(file, 'r') : undefined
}

/** The stamp in a database file; undefined if there is none. No connection of this process may have the file open. */
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
