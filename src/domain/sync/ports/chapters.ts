import type { UserId } from '../../shared/ids.ts'
import type { Written } from './written.ts'

/** Whole seconds from the beginning of an episode; `end` is not before `start`. */
export interface ChapterTimes {
  readonly start: number
  readonly end: number
}

/** A part of an episode that a user has marked (docs/protocol.md#chapters), identified by its times. */
export interface Chapter extends ChapterTimes {
  readonly label: string
  readonly isAdvertisement: boolean
}

export interface ChapterStore {
  list(userId: UserId, target: string, since: number): Promise<{ readonly chapters: Chapter[]; readonly clock: number }>
  /** Removes, then adds; creates the device if missing. Rejects with `quota_exceeded`. */
  change(
    userId: UserId,
    target: string,
    change: {
      readonly add: readonly Chapter[]
      readonly remove: readonly ChapterTimes[]
      readonly device: string | undefined
    },
    context: { at: number; seenUntil: number | undefined },
  ): Promise<Written>
}
