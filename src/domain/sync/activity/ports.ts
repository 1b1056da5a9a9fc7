import type { ErrorCode } from '../../shared/errors.ts'
import type { UserId } from '../../shared/ids.ts'

export type ActivityKind =
  | `${'sent' | 'fetched'}_${'changes' | 'list' | 'actions' | 'settings' | 'chapters'}`
  | 'fetched_updates'
  | 'updated_device'
  | 'signed_in'
  | 'refused'

export interface ActivityKey {
  readonly kind: ActivityKind
  /** Cause of a refusal; otherwise undefined. */
  readonly reason: ErrorCode | undefined
  /** ID of the named device, which may not exist; undefined if none is named. */
  readonly device: string | undefined
  readonly app: string | undefined
  readonly isBrowser: boolean
}

export interface Activity extends ActivityKey {
  /** Unix seconds of the first and the last event. */
  readonly firstAt: number
  readonly lastAt: number
  readonly count: number
  readonly added: number
  readonly removed: number
  readonly items: number
}

export interface UserActivity extends Activity {
  readonly userId: UserId
}

export interface StoredActivity {
  readonly rows: readonly Activity[]
  readonly captions: ReadonlyMap<string, string>
  /** Whether the user allows the names of apps to be kept (`store_user_agent`, docs/protocol.md#activity). */
  readonly namesApps: boolean
}

export interface ActivityStore {
  list(userId: UserId, since: number): Promise<StoredActivity>
  /** Adds each row to the one it continues, or inserts it, and trims. Skips deleted users. */
  save(rows: readonly UserActivity[]): Promise<void>
  removeOld(before: number, limit: number): Promise<number>
}
