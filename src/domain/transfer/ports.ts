import type { UserId } from '../shared/ids.ts'
import type { ProvisionalTitles } from '../sync/provisional-titles.ts'
import type { ImportSource } from './records.ts'
import type { ImportReport } from './report.ts'

export interface ArchivedFeed {
  readonly url: string
  readonly seq: number
}

/** Writes of imports beyond uploads. Each is one transaction and rejects with `unavailable`, `unauthorized`. */
export interface TransferStore {
  /**
   * Writes feeds of a device with the logical times that they had elsewhere, but only while the user's logical clock has
   * never moved: nobody can have been told a `since` then that these times would be hidden from. Tells the number of
   * those that were not there, or undefined, having written no feed, for an account that has been used and for a device
   * of a sync group. Creates the device. Rejects with `quota_exceeded`.
   */
  placeFeeds(
    userId: UserId,
    uid: string,
    feeds: readonly ArchivedFeed[],
    isSubscribed: boolean,
    at: number,
  ): Promise<number | undefined>
  /** Moves a clock that has never moved past all that `placeFeeds` has written. */
  startClock(userId: UserId): Promise<void>
  /** As `keepTitles` of uploads, but leaves titles that there are. Tells how many are new. */
  addTitles(userId: UserId, titles: ProvisionalTitles): Promise<number>
}

/** `running`, also while the server is off, if it goes on by itself; `interrupted` if the user has to ask for that. */
export type ImportState = 'running' | 'interrupted' | 'done' | 'failed' | 'cancelled'

export interface NewImport {
  readonly source: string
  readonly label: string
  /** The same for the same source. */
  readonly key: string
  readonly hasFile: boolean
}

export interface Import extends NewImport {
  readonly id: number
  readonly userId: UserId
  readonly state: ImportState
  readonly cursor: string | undefined
  readonly report: ImportReport
  /** Why it ended, if not well; '' otherwise. */
  readonly error: string
  readonly startedAt: number
  readonly endedAt: number | undefined
}

/** Imports that have ended and are kept for each user; older ones are forgotten. */
export const IMPORTS_KEPT = 20

export interface ImportStore {
  /** A running import, resumed by key or new. Only while no other of the user runs. Rejects with `unauthorized`. */
  begin(userId: UserId, newImport: NewImport, at: number): Promise<Import>
  /** Saves the progress of a running import, which a power cut may undo, or its end. No effect if the user is gone. */
  save(
    id: number,
    progress: { readonly cursor: string | undefined; readonly report: ImportReport } | undefined,
    end?: { readonly state: ImportState; readonly error: string; readonly at: number },
  ): Promise<void>
  find(userId: UserId, id: number): Promise<Import | undefined>
  list(userId: UserId): Promise<Import[]>
  remove(id: number): Promise<void>
  listIn(states: readonly ImportState[]): Promise<Import[]>
}

export interface ImportFiles {
  /** Stores a file; returns its path and digest. Rejects with `payload_too_large`, `unavailable`. */
  receive(pieces: AsyncIterable<Uint8Array>): Promise<{ readonly path: string; readonly digest: string }>
  keep(path: string, id: number): Promise<string>
  find(id: number): Promise<string | undefined>
  remove(pathOrId: string | number): Promise<void>
  sweep(ids: ReadonlySet<number>): Promise<void>
}

export interface ServerRequest {
  readonly from: string
  readonly username: string
  readonly password: string
  readonly kind?: string | undefined
}

export interface ImportSources {
  /** Recognizes the file by its first bytes. Rejects with `validation_failed` for one of no known kind. */
  file(path: string, name: string): Promise<{ readonly kind: string; readonly source: ImportSource }>
  /** Does not connect yet. Throws `validation_failed`. */
  server(request: ServerRequest): { readonly kind: string; readonly key: string; readonly source: ImportSource }
}
