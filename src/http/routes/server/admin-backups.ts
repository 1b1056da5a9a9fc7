import { Elysia, t } from 'elysia'
import type { Backups } from '../../../domain/server/backups.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { adminErrors, json, operation } from '../../openapi/operation.ts'
import {
  BackupStatusModel,
  LAST_BACKUP_EXAMPLE,
  LastBackupModel,
  toBackupStatus,
  toLastBackup,
} from '../../spec/server/backup-json.ts'
import { ErrorModel, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'
import { actorOf } from '../accounts/admin-users.ts'

const BackupList = objectSchema(
  {
    ...BackupStatusModel.properties,
    backups: t.Array(
      objectSchema({
        file: t.String({ description: 'Its name in `backups` in `data_dir`.' }),
        at: t.String({ description: 'When it was begun; UTC.' }),
        bytes: t.Integer(),
      }),
      { description: 'Newest first. Copies that were made before a migration are not among them.' },
    ),
  },
  { description: 'The copies of the database that are kept.' },
)

const Made = objectSchema(
  {
    status: t.Union([t.Literal('ok'), t.Literal('running')], {
      description: '`running` if it takes longer than proxies wait for an answer: then look again later.',
    }),
    backup: t.Union([LastBackupModel, t.Null()], { description: 'Null while it is running.' }),
  },
  { description: 'The backup that was made.' },
)

/** Copies of the database, by administrators. */
export function adminBackupRoutes(backups: Backups, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/api/admin/backups',
      async () => {
        const [status, files] = await Promise.all([backups.status(), backups.list()])
        return {
          ...toBackupStatus(status),
          backups: files.map(({ name, at, bytes }) => ({ file: name, at: formatTimestamp(at), bytes })),
        }
      },
      {
        auth: 'admin',
        response: { 200: BackupList, ...protectedErrors },
        detail: operation('Administration', '/api/admin/backups', 'listBackups', 'List the backups', {
          'x-response': json({
            enabled: true,
            running: false,
            last: LAST_BACKUP_EXAMPLE,
            backups: [{ file: 'podstep-20250302T043000Z.db', at: '2025-03-02T04:30:00', bytes: 18_874_368 }],
          }),
          'x-refusals': adminErrors,
        }),
      },
    )
    .post(
      '/api/admin/backups',
      async ({ principal }) => {
        const made = await backups.make(actorOf(principal))
        return made
          ? { status: 'ok' as const, backup: toLastBackup(made) }
          : { status: 'running' as const, backup: null }
      },
      {
        auth: 'admin',
        response: { 200: Made, 409: ErrorModel, ...protectedErrors },
        detail: operation('Administration', '/api/admin/backups', 'makeBackup', 'Make a backup now', {
          description:
            'Answers when it is made and checked, or after 45 seconds. The oldest beyond `backup_keep` is removed.',
          'x-response': json({ status: 'ok', backup: LAST_BACKUP_EXAMPLE }),
          'x-refusals': {
            ...adminErrors,
            409: {
              description: 'One is being made already, or backups are turned off (`backups_disabled`).',
              error: 'backup_running',
              message: 'a backup is being made already; wait until it is done',
            },
            503: {
              description: 'No backup was made; the message says why.',
              error: 'backup_failed',
              message:
                'no backup was made: not enough room in /var/lib/podstep/backups: 22.6 MB are needed, 9.1 MB are free',
            },
          },
        }),
      },
    )
}
