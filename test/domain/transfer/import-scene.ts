import { createPodcastLists } from '../../../src/domain/directory/podcast-lists.ts'
import { createQueue } from '../../../src/domain/directory/queue.ts'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import type { Quotas } from '../../../src/domain/shared/limits.ts'
import { createChapters } from '../../../src/domain/sync/chapters.ts'
import { createCursors } from '../../../src/domain/sync/cursors.ts'
import { createDevices, createLastSeen } from '../../../src/domain/sync/devices.ts'
import { createFolders } from '../../../src/domain/sync/folders.ts'
import { createSettings } from '../../../src/domain/sync/settings.ts'
import { createSyncGroups } from '../../../src/domain/sync/sync-groups.ts'
import { createImporter } from '../../../src/domain/transfer/importer.ts'
import type { ImportRecord, ImportSource } from '../../../src/domain/transfer/records.ts'
import { beginTally, type ImportReport } from '../../../src/domain/transfer/report.ts'
import { createHintHub } from '../../../src/http/live/hub.ts'
import { createBackground } from '../../../src/platform/background.ts'
import { systemTimer } from '../../../src/platform/clock.ts'
import { createLru } from '../../../src/platform/lru.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { addUser } from '../../store/contract/fixtures.ts'
import { fakeClock } from '../../support/clock.ts'

const PLENTY: Quotas = { subscriptions: 10_000, devices: 100, settings: 100 }

/** An account on a server of its own, into which records are imported. */
export async function importScene(quotas: Partial<Quotas> = {}) {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db, { quotas: { ...PLENTY, ...quotas } })
  const clock = fakeClock()
  const background = createBackground((error) => {
    throw error
  })
  const cursors = createCursors(createLru(100, clock))
  const fetched: string[] = []
  const devices = createDevices(
    store.devices,
    createLastSeen(store.devices, clock, background, createHintHub(systemTimer)),
    clock,
  )
  const importer = createImporter({
    devices,
    syncGroups: createSyncGroups(store.syncGroups, clock),
    settings: createSettings(store.settings, clock),
    chapters: createChapters(store.chapters, cursors, clock),
    podcastLists: createPodcastLists(store.podcastLists, clock),
    folders: createFolders(store.folders),
    queue: createQueue(store.episodeQueue, clock),
    subscriptions: store.subscriptions,
    episodeActions: store.episodeActions,
    store: store.transfer,
    deviceStore: store.devices,
    dateFavorite: store.settings.dateFavorite,
    listUrls: store.podcastLists.listUrls,
    fetchNew: (_user, urls) => void fetched.push(...urls),
    clock,
  })
  const user = await addUser(store)
  const clockOf = () =>
    db.query<{ clock: number }, [UserId]>('SELECT clock FROM users WHERE id = ?').get(user)?.clock ?? -1

  async function run(records: readonly ImportRecord[]): Promise<ImportReport> {
    const tally = beginTally()
    const { apply, finish } = importer.begin(user, tally)
    const source = scriptedSource(records)
    for await (const { record } of source.records(undefined, new AbortController().signal)) await apply(record)
    await finish()
    return tally.report()
  }
  return { db, store, clock, user, fetched, clockOf, run, importer, background }
}

/** A source of these records, each with its number as the cursor. */
export function scriptedSource(records: readonly ImportRecord[]): ImportSource {
  return {
    name: 'a script',
    async *records(resumeFrom) {
      for (const [index, record] of records.entries())
        if (index > Number(resumeFrom ?? -1)) yield { record, cursor: String(index) }
    },
  }
}
