import { join } from 'node:path'
import { doctorChecksOf, postgresFactsOf, quickCheckOf, startBackupWorker } from '../adapters.ts'
import { listSettings } from '../config/describe.ts'
import type { MailQueue } from '../domain/accounts/mail.ts'
import { type Backups, createBackups, NO_BACKUPS } from '../domain/server/backups.ts'
import { createDoctor, type RunningServer } from '../domain/server/doctor.ts'
import { createServerInfo, createServerStatus } from '../domain/server/status.ts'
import type { Job } from '../domain/shared/service.ts'
import { systemTimer } from '../platform/clock.ts'
import { nextTime } from '../platform/cron.ts'
import { messageOf } from '../platform/unknown.ts'
import { createBackupStore } from '../store/sqlite/server/backups.ts'
import type { Base } from './base.ts'

export function backupService({ config, engine, store, background, clock, log, backupStore }: Base) {
  const backupsOfEngine =
    backupStore ??
    (engine.sqlite &&
      createBackupStore(engine.sqlite, {
        folder: join(config.dataDir, 'backups'),
        startWorker: startBackupWorker,
      }))
  return createBackups({
    store: backupsOfEngine ?? NO_BACKUPS,
    audit: store.audit,
    keep: backupsOfEngine ? config.backupKeep : 0,
    whyOff: backupsOfEngine
      ? 'backups are turned off: set backup_keep to 1 or more and restart'
      : 'PostgreSQL is backed up with its own tools, such as pg_dump',
    cron: config.backupCron,
    dueAfter: (at) => nextTime(config.backupCron, at),
    background,
    clock,
    log,
  })
}

export function serverServices(
  base: Base,
  { mailQueue, backups, jobs }: { mailQueue: MailQueue; backups: Backups; jobs: readonly Job[] },
) {
  const { config, store, clock, version, settings = NO_SETTINGS } = base
  const instance = Buffer.from(base.random.bytes(12)).toString('hex')
  const quickCheck = quickCheckOf(config)
  const running: RunningServer = {
    backups: backups.status,
    users: store.users.count,
    mailTrouble: mailQueue.trouble,
  }
  return {
    serverInfo: createServerInfo(
      {
        version,
        instance,
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
      engine: base.engine.postgres ? 'postgresql' : 'sqlite',
      dataDir: config.dataDir,
      isOutbound: config.outbound === 'on',
      jobs,
      settings: listSettings({ config, origins: settings.origins }),
    }),
    doctor: createDoctor(
      (arrivals) =>
        doctorChecksOf(config, {
          ...{ version, clock, settings, arrivals, quickCheck, running },
          hash: () => base.hasher.hash(instance),
          askHere: async () => ({ instance, trouble: await base.ready().then(() => undefined, messageOf) }),
          databaseMs: DATABASE_MS,
          postgres: postgresFactsOf(config, { clock, version, connections: base.engine.postgres }),
        }),
      systemTimer,
    ),
  }
}

const NO_SETTINGS = { warnings: [], origins: new Map(), file: undefined }
/** A page waits for the result, and proxies do not wait much longer. */
const DATABASE_MS = 20_000
