import type { Job, Service } from './domain/shared/service.ts'
import { accountServices } from './services/accounts.ts'
import type { Base } from './services/base.ts'
import { directoryServices } from './services/directory.ts'
import { feedServices } from './services/feeds.ts'
import { outletServices } from './services/outlets.ts'
import { backupService, serverServices } from './services/server.ts'
import { syncServices } from './services/sync.ts'
import { transferServices } from './services/transfer.ts'

export type Services = ReturnType<typeof createServices>['services']

export function createServices(base: Base, others: readonly Service[]) {
  const accounts = accountServices(base)
  const feeds = feedServices(base)
  const sync = syncServices(base, feeds.fetchNew)
  const directory = directoryServices(base, feeds, sync)
  const nouns = {
    ...accounts,
    ...sync,
    ...directory,
    ...outletServices(base, sync),
    ...transferServices(base, { ...sync, ...directory, fetchNew: feeds.fetchNew }),
    ...feeds.services,
    backups: backupService(base),
  }
  const jobs: Job[] = []
  const services = { ...nouns, ...serverServices(base, { ...nouns, jobs }) }
  const all: readonly Service[] = [...others, ...Object.values<object>(services)]
  for (const job of all.flatMap((service) => service.jobs ?? []))
    jobs.push({ ...job, run: () => base.background.run(async () => job.run()) })
  return {
    services,
    jobs,
    counters: all.flatMap(({ counters }) => counters ?? []),
    stop(): void {
      for (const service of all) service.stop?.()
    },
  }
}
