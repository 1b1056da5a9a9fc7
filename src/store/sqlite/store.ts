import type { Database } from 'bun:sqlite'
import type { Store } from '../../domain/ports.ts'
import { createDeviceStore } from './devices.ts'
import { createEpisodeActionStore } from './episode-actions.ts'
import { createSessionStore } from './sessions.ts'
import { createSubscriptionStore } from './subscriptions.ts'
import { createSyncGroupStore } from './sync-groups.ts'
import { createSyncState } from './sync-state.ts'
import { createUserStore } from './users.ts'
import { createWriteQueue, type WriteQueueOptions } from './write-queue.ts'

/** The store over an open, migrated database. Prepares every statement now, so that bad SQL cannot boot. */
export function createSqliteStore(db: Database, options: WriteQueueOptions = {}): Store {
  const queue = createWriteQueue(db, options)
  const sync = createSyncState(db)
  const probe = db.prepare('UPDATE schema_migrations SET applied_at = applied_at WHERE rowid = 1')
  return {
    users: createUserStore(db, queue),
    sessions: createSessionStore(db, queue),
    devices: createDeviceStore(db, queue, sync),
    syncGroups: createSyncGroupStore(db, queue, sync),
    subscriptions: createSubscriptionStore(db, queue, sync),
    episodeActions: createEpisodeActionStore(db, queue, sync),
    probe: () => queue.run(() => void probe.run()),
    idle: () => queue.idle(),
  }
}
