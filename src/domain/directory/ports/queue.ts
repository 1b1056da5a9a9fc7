import type { UserId } from '../../shared/ids.ts'
import type { ListedEpisode } from './inbox.ts'

export interface QueuedEpisode {
  readonly podcast: string
  /** Media URL. */
  readonly episode: string
}

/** Takes episode IDs and returns those of the new queue, in order. Throws to leave the queue unchanged. */
export type QueuePlan = (queued: readonly number[], named: readonly number[]) => readonly number[]

export interface QueueStore {
  list(userId: UserId): Promise<ListedEpisode[]>
  /** Replaces the queue with the result of `plan` and stores unknown episodes. `at` is in Unix seconds. */
  update(userId: UserId, episodes: readonly QueuedEpisode[], at: number, plan: QueuePlan): Promise<void>
  /** Removes one episode, or all if `episode` is omitted. */
  remove(userId: UserId, episode?: QueuedEpisode): Promise<void>
}
