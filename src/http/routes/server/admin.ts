import type { AuditEntry } from '../../../domain/accounts/ports/audit-log.ts'
import type { WaitingMail } from '../../../domain/accounts/ports/mail.ts'
import type { BackupFile, BackupResult, BackupStatus } from '../../../domain/server/backups.ts'
import type { EffectiveSetting, ServerState } from '../../../domain/server/status.ts'
import { formatTimestamp, timestampOrEmpty } from '../../../domain/shared/time.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { languageOf, pageEnvelope, parsePaging } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/server/admin.ts'
import * as status from '../../spec/server/status.ts'
import { OK } from '../../spec/shared/models.ts'
import { actorOf } from '../accounts/users.ts'

/** Maximum number of actions in a filter, more than exist. */
const ACTIONS_MAX = 50

const ORIGINS = {
  default: 'default',
  file: 'file',
  environment: 'environment',
  'secret file': 'secret_file',
  'command line': 'command_line',
} as const satisfies Record<EffectiveSetting['origin'], string>

/** docs/protocol.md#administration: statistics, audit log and mail. */
export function administrationRoutes({ administration }: RouteParts): Route[] {
  return [
    get('/api/admin/stats', 'admin', spec.getStats, async () => {
      const { episodeActions, ...stats } = await administration.stats()
      return { ...stats, episode_actions: episodeActions }
    }),
    get('/api/admin/audit', 'admin', spec.getAuditLog, async ({ query }) => {
      const paging = parsePaging(query)
      const filter = {
        actions: query.action ? query.action.split(',', ACTIONS_MAX) : undefined,
        username: query.user || undefined,
      }
      const { total, entries } = await administration.audit(filter, paging.page, paging.perPage)
      return { ...pageEnvelope(paging, total), entries: entries.map(toAuditJson) }
    }),
    get('/api/admin/mail', 'admin', spec.getMailState, async () => {
      const { isOn, lastSentAt, lastFailure, total, waiting } = await administration.mailStatus()
      return {
        enabled: isOn,
        last_sent: timestampOrEmpty(lastSentAt),
        last_failure: lastFailure ? { at: formatTimestamp(lastFailure.at), cause: lastFailure.cause } : null,
        waiting: total,
        mails: waiting.map(toMailJson),
      }
    }),
    post('/api/admin/mail/test', 'admin', spec.sendTestMail, async ({ request, principal, body }) => {
      await administration.sendTestMail(body.email, languageOf(request), actorOf(principal))
      return OK
    }),
  ]
}

export function adminServerRoutes(parts: RouteParts): Route[] {
  const { externalDirectory, singleSignOn, serverStatus, backups } = parts
  return [
    get('/api/admin/directory', 'admin', spec.getDirectoryState, () => {
      const { isOn, lastAnswerAt, lastFailure } = externalDirectory.status()
      return {
        enabled: isOn,
        last_answer: timestampOrEmpty(lastAnswerAt),
        last_failure: lastFailure
          ? { at: formatTimestamp(lastFailure.at), trouble: lastFailure.trouble, cause: lastFailure.cause }
          : null,
      }
    }),
    post('/api/admin/sso/test', 'admin', spec.testSingleSignOn, ({ principal: { user } }) =>
      singleSignOn.test(user.username),
    ),
    post('/api/admin/directory/test', 'admin', spec.testDirectory, async ({ principal: { user } }) => {
      const { state, trouble = '', cause } = await externalDirectory.test(user.username)
      return { state, trouble, cause } as const
    }),
    get('/api/admin/server', 'admin', status.getServerStatus, async () => toServerJson(await serverStatus.read())),
    get('/api/admin/settings', 'admin', status.listServerSettings, () => serverStatus.settings.map(toSettingJson)),
    get('/api/admin/backups', 'admin', status.listBackups, async () => {
      const [state, files] = await Promise.all([backups.status(), backups.list()])
      return {
        ...toBackupStatusJson(state),
        backups: files.map(toBackupFileJson),
      }
    }),
    post('/api/admin/backups', 'admin', status.makeBackup, async ({ principal }) => {
      const backup = await backups.make(actorOf(principal))
      return backup
        ? { status: 'ok' as const, backup: toBackupJson(backup) }
        : { status: 'running' as const, backup: null }
    }),
  ]
}

function toAuditJson({ id, at, actor, action, target }: AuditEntry) {
  return { id, at: formatTimestamp(at), actor: actor.name ?? '', via: actor.via, action, user: target ?? '' }
}

function toMailJson({ purpose, emailKey, requestedAt, attempts, nextAttemptAt, lastError }: WaitingMail) {
  return {
    purpose,
    email: emailKey,
    requested: formatTimestamp(requestedAt),
    attempts,
    next_attempt: formatTimestamp(nextAttemptAt),
    cause: lastError ?? '',
  }
}

function toServerJson({
  version,
  startedAt,
  uptimeSeconds,
  memoryBytes,
  disk,
  baseUrl,
  engine,
  dataDir,
  isOutbound,
  jobs,
  backup,
}: ServerState) {
  return {
    version,
    started: formatTimestamp(startedAt),
    uptime_seconds: uptimeSeconds,
    database: { engine, bytes: disk.database, wal_bytes: disk.writeAheadLog },
    memory_bytes: memoryBytes,
    base_url: baseUrl ?? '',
    data_dir: dataDir,
    outbound: isOutbound,
    disk_free_bytes: disk.free ?? null,
    jobs: [...jobs],
    backup: toBackupStatusJson(backup),
  }
}

function toSettingJson({ key, value, origin, isSecret, description }: EffectiveSetting) {
  return { key, value, origin: ORIGINS[origin], secret: isSecret, description }
}

function toBackupJson(result: BackupResult) {
  const { at, seconds } = result
  const common = { at: formatTimestamp(at), seconds }
  return 'file' in result
    ? { ...common, ok: true, file: result.file, bytes: result.bytes, trouble: '' as const, cause: '' }
    : { ...common, ok: false, file: '', bytes: 0, trouble: result.trouble ?? 'other', cause: result.cause }
}

function toBackupStatusJson({ isOn, isRunning, last, lastGood, isOverdue, nextAt, keep }: BackupStatus) {
  return {
    enabled: isOn,
    running: isRunning,
    last: last ? toBackupJson(last) : null,
    last_good: lastGood ? toBackupFileJson(lastGood) : null,
    overdue: isOverdue,
    next: timestampOrEmpty(nextAt),
    keep,
  }
}

function toBackupFileJson({ name, at, bytes }: BackupFile) {
  return { file: name, at: formatTimestamp(at), bytes }
}
