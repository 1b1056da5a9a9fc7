import type { Clock } from '../../platform/clock.ts'
import { unlessUnavailable } from '../shared/errors.ts'
import type { LateRemovalStore } from './ports/subscriptions.ts'

const DAY = 24 * 3600
/** By then the server has fetched any feed that it can fetch at all. */
const DAYS = 30
/** In one run; a run ends when there are no more. */
const AT_ONCE = 100
const FORGOTTEN_AT_ONCE = 500

export type LateRemovals = ReturnType<typeof createLateRemovals>

/** Removals that an app has sent before the server knew of what (docs/protocol.md#late-removals). */
export function createLateRemovals(store: LateRemovalStore, clock: Clock) {
  async function applyDue(): Promise<void> {
    for (;;) {
      const due = await store.due(AT_ONCE)
      for (const removal of due) await store.apply(removal, clock.seconds())
      if (due.length < AT_ONCE) return
    }
  }

  return {
    /** Does what has become possible. Called every minute; costs one short read where there is nothing to do. */
    run: (): Promise<void> => unlessUnavailable(applyDue()),

    /** Forgets what is too old. */
    async clean(): Promise<void> {
      await unlessUnavailable(store.forget(clock.seconds() - DAYS * DAY, FORGOTTEN_AT_ONCE))
    },
  }
}
