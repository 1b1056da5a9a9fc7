import { join } from 'node:path'
import { startBackupWorker } from '../adapters.ts'
import { listSettings } from '../config/describe.ts'
import type { MailQueue } from '../domain/accounts/mail.ts'
import { type Backups, createBackups } from '../domain/server/backups.ts'
import { createServerInfo, createServerStatus } from '../domain/server/status.ts'
import type { Job } from '../jobs.ts'
import { nextTime } from '../platform/cron.ts'
import { createBackupStore } from '../store/sqlite/server/backups.ts'
import type { Base } from './base.ts'

/** Apart from the other services of the server, which need to know the jobs, one of which makes backups. */
export function backupService({ config, db, store, background, clock, log, backupStore }: Base) {
  return createBackups({
    store:
      backupStore ?? createBackupStore(db, { folder: join(config.dataDir, 'backups'), startWorker: startBackupWorker }),
    audit: store.audit,
    keep: config.backupKeep,
    dueAfter: (at) => nextTime(config.backupCron, at),
    background,
    clock,
    log,
  })
}

interface ServerNeeds {
  readonly mailQueue: MailQueue
  readonly backups: Backups
  readonly jobs: readonly Job[]
}

/** What the server tells of itself. */
export function serverServices(base: Base, { mailQueue, backups, jobs }: ServerNeeds) {
  const { config, store, clock, version, origins = new Map() } = base
  return {
    serverInfo: createServerInfo(
      {
        version,
        registration: config.registration,
        canMail: mailQueue.isOn,
        isOutbound: config.outbound === 'on',
        addresses: () => (config.baseUrl ? [config.baseUrl.href] : (base.addresses?.() ?? [])),
      },
      store.users,
    ),
    serverStatus: createServerStatus({
      backups,
      disk: store.disk,
      clock,
      memoryBytes: base.memoryBytes,
      version,
      baseUrl: config.baseUrl?.href,
      dataDir: config.dataDir,
      isOutbound: config.outbound === 'on',
      jobs: jobs.map(({ name }) => name),
      settings: listSettings({ config, origins }),
    }),
  }
}
