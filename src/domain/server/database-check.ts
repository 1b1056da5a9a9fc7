import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Store } from '../store.ts'

export type DatabaseCheck = ReturnType<typeof createDatabaseCheck>

/** The check after a stop that was not orderly: a power cut may have taken from the disk what it had reported as written. */
export function createDatabaseCheck(store: Pick<Store, 'check' | 'isSound'>, clock: Clock, log: Log) {
  let isOpen = false

  async function check(): Promise<void> {
    const start = clock.monotonic()
    try {
      if ((await store.check()) > 0) return
      isOpen = false
      log.info('the database has been checked and is sound', {
        seconds: Math.round((clock.monotonic() - start) / 1000),
      })
    } catch (error) {
      log.error('the database could not be checked to its end; the next start tries again', { error })
    }
  }

  return {
    /** Begins, beside whatever else goes on. What is found goes to the log, and faults make the store refuse changes. */
    begin(): void {
      isOpen = true
      log.warn('the last stop was not orderly; the database is being checked, which does not keep anybody waiting')
      void check()
    },
    /** Whether nothing is known to be wrong with the database, and no check is still to come to its end. */
    isPassed: (): boolean => !isOpen && store.isSound(),
  }
}
