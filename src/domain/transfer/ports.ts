import type { UserId } from '../shared/ids.ts'
import type { ProvisionalTitles } from '../sync/provisional-titles.ts'
import type { ImportSource } from './records.ts'
import type { ImportReport } from './report.ts'

export interface ArchivedFeed {
  readonly url: string
  readonly seq: number
}

/** Writes that only imports need. Each is one transaction and rejects with `unavailable`, `unauthorized`. */
export interface TransferStore {
  /**
   * Writes feeds of a device with their original logical times, but only while the user's logical clock has never
   * moved: otherwise a client may hold a `since` that hides them. Returns the number of new feeds, or undefined and
   * writes no feed if the account has been used or the device is in a sync group. Creates the device. Rejects with
   * `quota_exceeded`.
   */
  placeFeeds(
    userId: UserId,
    uid: string,
    feeds: readonly ArchivedFeed[],
    isSubscribed: boolean,
    at: number,
  ): Promise<number | undefined>
  /** Moves a clock that has never moved to the last time written by `placeFeeds`. */
  startClock(userId: UserId): Promise<void>
  /** Adds provisional titles to feeds that have none; returns how many. */
  addTitles(userId: UserId, titles: ProvisionalTitles): Promise<number>
}

/** `running`, also while the server is off, if the next start resumes it; `interrupted` if the user has to. */
export type ImportState = 'running' | 'interrupted' | 'done' | 'failed' | 'cancelled'

export interface NewImport {
  readonly source: string
  readonly label: string
  /** Stable per source; identifies a resumable import. */
  readonly key: string
  readonly hasFile: boolean
}

export interface Import extends NewImport {
  readonly id: number
  readonly userId: UserId
  readonly state: ImportState
  readonly cursor: string | undefined
  readonly report: ImportReport
  /** Why it failed or was interrupted; '' otherwise. */
  readonly error: string
  readonly startedAt: number
  readonly endedAt: number | undefined
}

/** Number of ended imports kept for each user. */
export const IMPORTS_KEPT = 20

export interface ImportStore {
  /** Resumes an import by key, or creates one. The user must have no running import. Rejects with `unauthorized`. */
  begin(userId: UserId, newImport: NewImport, at: number): Promise<Import>
  /** Saves the progress of a running import, which a power cut may undo, or its end. No effect for a deleted user. */
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
  /** Recognizes the file by its first bytes. Rejects with `validation_failed` for an unknown kind. */
  file(path: string, name: string): Promise<{ readonly kind: string; readonly source: ImportSource }>
  /** Does not connect yet. Throws `validation_failed`. */
  server(request: ServerRequest): { readonly kind: string; readonly key: string; readonly source: ImportSource }
}
