/* What the thread that makes backups and the others say to each other. */

export interface BackupRequest {
  /** Path of the database. */
  readonly database: string
  readonly folder: string
  readonly name: string
  /** How far the write-ahead log may grow meanwhile; nothing of it can be used again while a copy is made. */
  readonly logBytesMax: number
  /** An integer that is 0 until the copy is to be broken off. */
  readonly stop: Int32Array<SharedArrayBuffer>
}

/** `failure` says why there is no copy. */
export type BackupResponse = { readonly bytes: number } | { readonly failure: string }
