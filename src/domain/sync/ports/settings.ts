import type { UserId } from '../../shared/ids.ts'

export type SettingsScope = 'account' | 'device' | 'podcast' | 'episode'

export interface SettingsKey {
  readonly scope: SettingsScope
  readonly target: string
}

export interface SettingsChange {
  readonly set: Readonly<Record<string, unknown>>
  readonly remove: readonly string[]
}

/** JSON objects as text; `{}` if nothing is set. `read` and `change` reject with `unknown_device`. */
export interface SettingsStore {
  read(userId: UserId, key: SettingsKey): Promise<string>
  /** Applies `changeSettings`. Rejects with `payload_too_large`. New favorites are dated `at`. */
  change(userId: UserId, key: SettingsKey, change: SettingsChange, at: number): Promise<string>
  /** Moves the date of a favorite back, never forward; returns whether it did. */
  dateFavorite(userId: UserId, target: string, at: number): Promise<boolean>
}
