import type { UserId } from './ids.ts'

export type Hint =
  | {
      readonly topic:
        | 'subscriptions'
        | 'devices'
        | 'queue'
        | 'folders'
        | 'settings'
        | 'account'
        | 'app-passwords'
        | 'all'
    }
  | { readonly topic: 'podcast'; readonly url: string }
  | { readonly topic: 'episodes'; readonly podcast?: string }
  | { readonly topic: 'import'; readonly id: number }
  | {
      readonly topic: 'refresh'
      readonly running: boolean
      readonly done: number
      readonly failed: number
      readonly total: number
    }

/** Notifies the open pages of users. A hint may get lost, but is never published before the change is visible. */
export interface Hints {
  /** Whether this user, or anyone, would get a hint. Checked first if building the hint takes work. */
  isWatched(userId?: UserId): boolean
  watching(): readonly UserId[]
  publish(userId: UserId, hint: Hint): void
  publishToAdmins(hint: Hint): void
}
