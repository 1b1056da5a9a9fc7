import { type Clock, nextTurn } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import { unlessUnavailable } from '../../shared/errors.ts'
import type { HistoryPlan, HistoryStore, HistoryTask } from '../ports/history.ts'
import { beginRemovalPlan, planFolding } from './plans.ts'

const DAY = 24 * 3600

interface HistoryUpkeepParts {
  readonly store: HistoryStore
  /** The setting `actions_keep_days`; 0 keeps everything. */
  readonly keepDays: number
  readonly clock: Clock
  readonly log: Log
}

export type HistoryUpkeep = ReturnType<typeof createHistoryUpkeep>

/**
 * Keeps histories from growing without an end: reports of one sitting become one after a day (docs/protocol.md#D92), and
 * superseded actions go after `actions_keep_days` (D93). Works in small pieces, each of which leaves everything as it
 * should be, and goes on where it has stopped.
 */
export function createHistoryUpkeep({ store, keepDays, clock, log }: HistoryUpkeepParts) {
  let isRunning = false
  let isStopped = false

  /** Looks at each action once, together with all older ones of its media URL; tells how many have gone. */
  async function work(task: HistoryTask, days: number, createPlan: () => HistoryPlan): Promise<number> {
    const until = await store.lastBefore(clock.seconds() - days * DAY)
    let done = await store.doneUntil(task)
    let removed = 0
    while (done < until && !isStopped) {
      const next = await store.nextEpisodes(done, until)
      for (const { userId, userEpisodeIds } of next.ofUsers)
        removed += await store.rewrite(userId, userEpisodeIds, until, createPlan)
      done = next.until
      await store.noteDone(task, done)
      await nextTurn()
    }
    return removed
  }

  async function workAll(): Promise<void> {
    const folded = await work('history_folding', 1, () => planFolding)
    const superseded = keepDays > 0 ? await work('history_removal', keepDays, beginRemovalPlan) : 0
    if (folded + superseded > 0) log.info('removed episode actions', { folded, superseded })
  }

  return {
    /** Does nothing while the last run is not over. */
    async run(): Promise<void> {
      if (isRunning) return
      isRunning = true
      try {
        await unlessUnavailable(workAll())
      } finally {
        isRunning = false
      }
    },

    /** Begins nothing more. */
    stop(): void {
      isStopped = true
    },
  }
}
