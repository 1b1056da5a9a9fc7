/** A copy of the database in the folder of backups. Times are whole Unix seconds. */
export interface BackupFile {
  readonly name: string
  /** When it was begun, by its name. */
  readonly at: number
  readonly bytes: number
}

/** What came of the last attempt: a file, or the reason why there is none. */
export type BackupResult = {
  readonly at: number
  readonly seconds: number
} & ({ readonly file: string; readonly bytes: number } | { readonly cause: string })

/** No copy was made; the message says why, in words for administrators. */
export class BackupFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupFailure'
  }
}

/** The folder of backups, and making them. Writing rejects with the system's errors, unless something else is said. */
export interface BackupStore {
  /** Newest first; none if there is no folder yet. Rejects with `BackupFailure`. */
  list(): Promise<BackupFile[]>
  /**
   * Makes a consistent copy of the database, checks it, and puts it in its place when all of it is on the disk. Returns its size. Rejects
   * with `BackupFailure`, and leaves nothing then.
   */
  make(name: string): Promise<number>
  /** Breaks off the copy that is being made, if any: `make` rejects as soon as the thread has noticed. */
  abort(): void
  /** `make` rejects at once; the thread is left to itself, and keeps no process that ends. */
  abandon(): void
  remove(name: string): Promise<void>
  /** Removes what backups that were killed have left. Not while one is being made. Rejects with `BackupFailure`. */
  removeLeftovers(): Promise<void>
  /** What `writeResult` has written; undefined if nothing was, or it cannot be read. */
  readResult(): Promise<BackupResult | undefined>
  writeResult(result: BackupResult): Promise<void>
}
