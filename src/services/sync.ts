import { createActivityLog } from '../domain/sync/activity/activity.ts'
import { createChapters } from '../domain/sync/chapters.ts'
import { createCursors } from '../domain/sync/cursors.ts'
import { createDevices, createLastSeen } from '../domain/sync/devices.ts'
import { createEpisodeActions } from '../domain/sync/episode-actions.ts'
import { createAccountExport } from '../domain/sync/export.ts'
import { createListHistory } from '../domain/sync/list-changes/list-changes.ts'
import { createNextcloud } from '../domain/sync/nextcloud.ts'
import type { FetchNew } from '../domain/sync/ports/subscriptions.ts'
import { createSettings } from '../domain/sync/settings.ts'
import { createSubscriptions } from '../domain/sync/subscriptions.ts'
import { createSyncGroups } from '../domain/sync/sync-groups.ts'
import { createLru } from '../platform/lru.ts'
import type { Base } from './base.ts'

/** Sizes of in-memory caches: generous for a household, a few megabytes at most. */
const CURSORS_MAX = 20_000

export function syncServices({ store, background, clock, hints }: Base, fetchNew: FetchNew) {
  const lastSeen = createLastSeen(store.devices, clock, background, hints)
  const devices = createDevices(store.devices, lastSeen, clock)
  const cursors = createCursors(createLru(CURSORS_MAX, clock))
  const { syncGroups, episodeActions: actionStore } = store
  const subscriptions = createSubscriptions(store.subscriptions, cursors, fetchNew, clock)
  const episodeActions = createEpisodeActions(actionStore, cursors, clock)
  return {
    lastSeen,
    activity: createActivityLog(store.activity, clock, background),
    devices,
    syncGroups: createSyncGroups(syncGroups, clock),
    subscriptions,
    listHistory: createListHistory(store.listChanges, clock),
    episodeActions,
    nextcloud: createNextcloud(subscriptions, episodeActions),
    chapters: createChapters(store.chapters, cursors, clock),
    settings: createSettings(store.settings, clock),
    accountExport: createAccountExport({
      store: store.exports,
      identities: store.identities,
      appPasswords: store.appPasswords,
      devices,
      syncGroups,
      episodeActions: actionStore,
      clock,
    }),
  }
}
