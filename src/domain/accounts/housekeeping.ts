import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { ExpiryStore } from './ports/housekeeping.ts'
import type { UserStore } from './ports/users.ts'

const DAY = 24 * 3600
/** Retention of pending accounts, whose username and email address stay taken until then (docs/protocol.md#D69). */
const PENDING_DAYS = 30
const AUDIT_DAYS = 2 * 365
/** Number of newest entries that always stay, so that a clock running ahead does not empty the log. */
const AUDIT_KEPT = 1000
const PER_RUN = 500

export function createHousekeeping(
  { expiry, users }: { expiry: ExpiryStore; users: UserStore },
  clock: Clock,
  log: Log,
) {
  async function run(): Promise<void> {
    await users.finishDeletions()
    const now = clock.seconds()
    const bounds = {
      now,
      pendingBefore: now - PENDING_DAYS * DAY,
      auditBefore: now - AUDIT_DAYS * DAY,
      auditKept: AUDIT_KEPT,
    }
    const purged = await expiry.purge(bounds, PER_RUN)
    const removed = Object.values(purged).reduce((sum, count) => sum + count, 0)
    if (removed > 0) log.info('removed what has expired', { ...purged })
  }

  // Not on the hour, when other jobs of the machine start.
  return { jobs: [{ name: 'housekeeping', pattern: '17 * * * *', isForStart: true, run }] }
}
