import type { UserId } from '../../shared/ids.ts'
import type { ListedEpisode } from './inbox.ts'

export interface QueuedEpisode {
  readonly podcast: string
  /** Media URL. */
  readonly episode: string
}

/** Numbers of episodes, in order. Throws to leave the queue as it is. */
export type QueuePlan = (queued: readonly number[], named: readonly number[]) => readonly number[]

export interface QueueStore {
  list(userId: UserId): Promise<ListedEpisode[]>
  /** Makes the queue what `plan` says. Episodes that the server does not know become known; `at` is in Unix seconds. */
  update(userId: UserId, episodes: readonly QueuedEpisode[], at: number, plan: QueuePlan): Promise<void>
  /** Removes episodes; all unless given. */
  remove(userId: UserId, episode?: QueuedEpisode): Promise<void>
}
