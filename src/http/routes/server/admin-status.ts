import { Elysia, t } from 'elysia'
import type { EffectiveSetting, ServerState, ServerStatus } from '../../../domain/server/status.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { adminErrors, json, operation } from '../../openapi/operation.ts'
import { BackupStatusModel, LAST_BACKUP_EXAMPLE, toBackupStatus } from '../../spec/server/backup-json.ts'
import { protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const Server = objectSchema(
  {
    version: t.String(),
    started: t.String({ description: 'UTC, by the clock of that time.' }),
    uptime_seconds: t.Integer(),
    database: objectSchema({
      bytes: t.Integer(),
      wal_bytes: t.Integer({ description: 'Of the write-ahead log, which is beside the database.' }),
    }),
    memory_bytes: t.Integer({ description: 'What the process takes.' }),
    base_url: t.String({ description: 'The setting; empty where the address is taken from the request.' }),
    data_dir: t.String(),
    disk_free_bytes: t.Union([t.Integer(), t.Null()], {
      description: 'Where the data is; null if the system does not tell.',
    }),
    jobs: t.Array(t.String(), { description: 'What is done again and again.' }),
    backup: BackupStatusModel,
  },
  { description: 'How the server and its machine are.' },
)

const ORIGINS = {
  default: 'default',
  file: 'file',
  environment: 'environment',
  'secret file': 'secret_file',
  'command line': 'command_line',
} as const satisfies Record<EffectiveSetting['origin'], string>

const Setting = objectSchema({
  key: t.String({ description: 'As in the file.' }),
  value: t.String({ description: 'As it would stand in the file; empty without one. `set` for a secret that is set.' }),
  origin: t.Union(
    [
      t.Literal('default'),
      t.Literal('file'),
      t.Literal('environment'),
      t.Literal('secret_file'),
      t.Literal('command_line'),
    ],
    { description: 'Where the value comes from; `secret_file` is one that a variable names.' },
  ),
  secret: t.Boolean({ description: 'Whether nothing of the value is shown.' }),
  description: t.String({ description: 'English text for people; names of settings and files in backticks.' }),
})

/** What this server is, and how it has been set up. */
export function adminStatusRoutes(status: ServerStatus, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get('/api/admin/server', async () => toServer(await status.read()), {
      auth: 'admin',
      response: { 200: Server, ...protectedErrors },
      detail: operation('Administration', '/api/admin/server', 'getServerStatus', 'Read how the server is', {
        'x-response': json({
          version: '1.0.0',
          started: '2025-03-01T08:30:00',
          uptime_seconds: 91_800,
          database: { bytes: 18_874_368, wal_bytes: 4_152_992 },
          memory_bytes: 73_400_320,
          base_url: 'https://podcasts.home.example',
          data_dir: '/var/lib/podstep',
          disk_free_bytes: 21_474_836_480,
          jobs: ['mail', 'feeds', 'housekeeping', 'backup'],
          backup: { enabled: true, running: false, last: LAST_BACKUP_EXAMPLE },
        }),
        'x-refusals': adminErrors,
      }),
    })
    .get('/api/admin/settings', () => status.settings.map(toSetting), {
      auth: 'admin',
      response: {
        200: t.Array(Setting, { description: 'All settings, as they stand in the documentation.' }),
        ...protectedErrors,
      },
      detail: operation('Administration', '/api/admin/settings', 'listServerSettings', 'List the settings in effect', {
        description: 'Those of the file and the environment, which take effect when the server starts.',
        'x-response': json([
          { key: 'port', value: '8080', origin: 'default', secret: false, description: 'Port to listen on.' },
          {
            key: 'smtp_password',
            value: 'set',
            origin: 'secret_file',
            secret: true,
            description: 'Password at the mail server.',
          },
        ]),
        'x-refusals': adminErrors,
      }),
    })
}

function toServer({
  version,
  startedAt,
  uptimeSeconds,
  memoryBytes,
  disk,
  baseUrl,
  dataDir,
  jobs,
  backup,
}: ServerState) {
  return {
    version,
    started: formatTimestamp(startedAt),
    uptime_seconds: uptimeSeconds,
    database: { bytes: disk.database, wal_bytes: disk.writeAheadLog },
    memory_bytes: memoryBytes,
    base_url: baseUrl ?? '',
    data_dir: dataDir,
    disk_free_bytes: disk.free ?? null,
    jobs: [...jobs],
    backup: toBackupStatus(backup),
  }
}

function toSetting({ key, value, origin, isSecret, description }: EffectiveSetting) {
  return { key, value, origin: ORIGINS[origin], secret: isSecret, description }
}
