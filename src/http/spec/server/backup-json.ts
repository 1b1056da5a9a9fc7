import { t } from 'elysia'
import type { BackupResult, BackupStatus } from '../../../domain/server/backups.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { objectSchema } from '../shared/schema.ts'

export const LastBackupModel = objectSchema(
  {
    ok: t.Boolean(),
    at: t.String({ description: 'When it was begun; UTC.' }),
    seconds: t.Integer({ description: 'How long it took.' }),
    file: t.String({ description: 'Its name in `backups` in `data_dir`; empty if there is none.' }),
    bytes: t.Integer(),
    cause: t.String({ description: 'Why it failed, as English text for people; empty if all is well.' }),
  },
  { description: 'What came of an attempt to make a backup.' },
)

export const BackupStatusModel = objectSchema({
  enabled: t.Boolean({ description: '`false` with `backup_keep = 0`.' }),
  running: t.Boolean({ description: 'Whether one is being made at the moment.' }),
  last: t.Union([LastBackupModel, t.Null()], {
    description: 'The last attempt, also if it was before the last start; null before the first.',
  }),
})

export const LAST_BACKUP_EXAMPLE = {
  ok: true,
  at: '2025-03-02T04:30:00',
  seconds: 2,
  file: 'podstep-20250302T043000Z.db',
  bytes: 18_874_368,
  cause: '',
}

export function toLastBackup(result: BackupResult) {
  const { at, seconds } = result
  const common = { at: formatTimestamp(at), seconds }
  return 'file' in result
    ? { ...common, ok: true, file: result.file, bytes: result.bytes, cause: '' }
    : { ...common, ok: false, file: '', bytes: 0, cause: result.cause }
}

export function toBackupStatus({ isOn, isRunning, last }: BackupStatus) {
  return { enabled: isOn, running: isRunning, last: last ? toLastBackup(last) : null }
}
