import { createJobs } from './jobs.ts'
import { accountServices } from './services/accounts.ts'
import type { Base } from './services/base.ts'
import { directoryServices } from './services/directory.ts'
import { feedServices } from './services/feeds.ts'
import { outletServices } from './services/outlets.ts'
import { backupService, serverServices } from './services/server.ts'
import { syncServices } from './services/sync.ts'
import { transferServices } from './services/transfer.ts'

/** Services available to the routes. */
export type Services = ReturnType<typeof createServices>['services']

/** The services of all nouns, the jobs that they need, and how to stop what they do by themselves. */
export function createServices(base: Base & { readonly heartbeat: () => void }) {
  const accounts = accountServices(base)
  const feeds = feedServices(base)
  const sync = syncServices(base, feeds.fetchNew)
  const directory = directoryServices(base, feeds, sync)
  const transfer = transferServices(base, { ...sync, ...directory, fetchNew: feeds.fetchNew })
  const outlets = outletServices(base, sync)
  const backups = backupService(base)
  const { mailQueue, housekeeping } = accounts
  const jobs = createJobs({
    mailQueue,
    housekeeping,
    webhooks: outlets.webhooks,
    imports: transfer.imports,
    backups,
    feeds: feeds.feeds,
    probe: directory.probe,
    moveProbe: feeds.moveProbe,
    lastSeen: sync.lastSeen,
    activity: sync.activity,
    feedGuids: sync.feedGuids,
    listHistory: sync.listHistory,
    indexer: base.indexer,
    background: base.background,
    heartbeat: base.heartbeat,
    isOff: base.config.outbound === 'off',
    feedRefreshCron: base.config.feedRefreshCron,
    backupCron: base.config.backupCron,
  })
  const services = {
    ...accounts,
    ...sync,
    ...directory,
    ...outlets,
    ...transfer,
    feeds: feeds.feeds,
    feedHealth: feeds.feedHealth,
    feedChapters: feeds.feedChapters,
    backups,
    ...serverServices(base, { mailQueue, backups, jobs }),
  }
  return {
    services,
    jobs,
    /** How what works by itself is getting on. */
    counters: {
      mail: mailQueue,
      webhooks: outlets.webhooks,
      feeds: feeds.feeds,
      feedWorker: { counts: feeds.workerCounts },
      thumbnails: directory.thumbnailer,
      backups,
    },
    /** Begins nothing any more, and tells those who wait elsewhere. */
    stop() {
      mailQueue.stop()
      outlets.webhooks.stop()
      base.background.run(sync.lastSeen.save)
      base.background.run(sync.activity.save)
      feeds.feeds.stop()
      feeds.feedChapters.stop()
      feeds.moveProbe.stop()
      sync.feedGuids.stop()
      directory.probe.stop()
      base.indexer.stop()
      backups.stop()
      transfer.imports.stop()
      for (const source of [...Object.values(feeds.sources), directory.pictures.source]) source.close()
    },
  }
}
