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
  /** Why it was refused; undefined for what was granted. */
  readonly reason: ErrorCode | undefined
  /** The ID of the device, whether or not there is such a device; undefined where none is named. */
  readonly device: string | undefined
  readonly app: string | undefined
  readonly isBrowser: boolean
}

export interface Activity extends ActivityKey {
  /** Unix seconds: the first and the last time. */
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
  /** Whether the user lets apps be named (`store_user_agent`, docs/protocol.md#activity). */
  readonly namesApps: boolean
}

export interface ActivityStore {
  list(userId: UserId, since: number): Promise<StoredActivity>
  /** Adds to the row that each continues, or a new one, and trims. Passes over users who are gone. */
  save(rows: readonly UserActivity[]): Promise<void>
  removeOld(before: number, limit: number): Promise<number>
}
