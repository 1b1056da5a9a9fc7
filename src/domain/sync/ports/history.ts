import type { UserId } from '../../shared/ids.ts'
import type { ActionKind } from './episode-actions.ts'

/** What is done to histories in the background; each looks at every action once. */
export type HistoryTask = 'history_folding' | 'history_removal'

/** An action of one media URL, as it is stored. */
export interface HistoryAction {
  readonly id: number
  readonly deviceId: number
  readonly kind: ActionKind
  /** The client's event time, Unix seconds. */
  readonly at: number
  readonly started: number | undefined
  readonly position: number | undefined
  readonly total: number | undefined
  /** Where the part begins that counts as heard at its own time, if that is not `started`. */
  readonly heardFrom: number | undefined
  /** The time of the first of the reports that it stands for. */
  readonly foldedSince: number | undefined
}

/** A stretch of the episode that was heard, by an action that is gone; `from` and `to` in seconds of the episode. */
export interface Heard {
  readonly at: number
  readonly from: number
  readonly to: number
}

/** The same of an episode, by its URLs. */
export interface HeardEpisode extends Heard {
  readonly podcast: string
  readonly episode: string
}

export interface Rewrite {
  /** Numbers of actions. */
  readonly removed: ReadonlySet<number>
  /** What stands in the place of others from now on, by its number. */
  readonly changed: ReadonlyMap<number, HistoryAction>
  readonly heard: readonly Heard[]
}

/** Plans for pieces of the list of one media URL, the last uploaded actions first. */
export type HistoryPlan = (piece: readonly HistoryAction[]) => Rewrite

/** Actions are numbered in the order of their upload, over all users. */
export interface HistoryStore {
  /** The number of the last action that was uploaded before a logical time; 0 if there is none. */
  lastBefore(seq: number): Promise<number>
  /** The number up to which the task has looked at all actions. */
  doneUntil(task: HistoryTask): Promise<number>
  noteDone(task: HistoryTask, until: number): Promise<void>
  /**
   * Media URLs of users, by their numbers, with some of the actions after one and up to another; `until` is the last
   * action that they are of.
   */
  nextEpisodes(
    after: number,
    until: number,
  ): Promise<{
    readonly until: number
    readonly ofUsers: readonly { readonly userId: UserId; readonly userEpisodeIds: readonly number[] }[]
  }>
  /**
   * Applies a plan to the actions of each media URL up to a number, in jobs of some milliseconds that a power cut may take
   * back. Nothing gets a new logical time. Tells how many actions are gone.
   */
  rewrite(
    userId: UserId,
    userEpisodeIds: readonly number[],
    until: number,
    createPlan: () => HistoryPlan,
  ): Promise<number>
}
