import { t } from 'elysia'
import { BACKUP_TROUBLES } from '../../../domain/server/backups.ts'
import { adminEndpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedList, describedObject, integer, objectSchema } from '../shared/models.ts'

const Backup = describedObject('The result of an attempted backup.', {
  ok: t.Boolean(),
  at: t.String({ description: 'Start time, UTC.' }),
  seconds: integer({ description: 'Duration.' }),
  file: t.String({ description: 'File name in `backups` in `data_dir`; empty if there is no file.' }),
  bytes: integer(),
  trouble: t.Union([t.Literal(''), ...BACKUP_TROUBLES.map((trouble) => t.Literal(trouble))], {
    description:
      'Cause of the failure: not enough disk space, a copy that fails its check, too many writes during the backup, an unusable folder, or another cause; empty after a success.',
  }),
  cause: t.String({ description: 'The cause in more detail, as English text for people.' }),
})

const BACKUP_FILE = {
  file: t.String({ description: 'File name in `backups` in `data_dir`.' }),
  at: t.String({ description: 'Start time, UTC.' }),
  bytes: integer(),
}

const BackupStatus = objectSchema({
  enabled: t.Boolean({ description: '`false` with `backup_keep = 0`.' }),
  running: t.Boolean({ description: 'Whether a backup is running.' }),
  last: t.Union([Backup, t.Null()], {
    description: 'The last attempt, even if it was before the last start; null before the first.',
  }),
  last_good: t.Union([objectSchema(BACKUP_FILE), t.Null()], {
    description: 'The newest backup, even if later attempts failed; null before the first.',
  }),
  overdue: t.Boolean({
    description: 'Whether two scheduled times have passed without a good backup, or the first backup has failed.',
  }),
  next: t.String({ description: 'Time of the next scheduled backup, UTC; empty if none is scheduled.' }),
  keep: integer({ description: 'Number of backups to keep, as set by `backup_keep`.' }),
})

const BACKUP_EXAMPLE = {
  ok: true,
  at: '2025-03-02T04:30:00',
  seconds: 2,
  file: 'podstep-20250302T043000Z.db',
  bytes: 18_874_368,
  trouble: '',
  cause: '',
}

const FILE_EXAMPLE = { file: 'podstep-20250302T043000Z.db', at: '2025-03-02T04:30:00', bytes: 18_874_368 }

const STATUS_EXAMPLE = {
  enabled: true,
  running: false,
  last: BACKUP_EXAMPLE,
  last_good: FILE_EXAMPLE,
  overdue: false,
  next: '2025-03-03T04:30:00',
  keep: 3,
}

const Server = describedObject('The state of the server and its machine.', {
  version: t.String(),
  started: t.String({ description: 'Start of the server, UTC, by the clock at that time.' }),
  uptime_seconds: integer(),
  database: objectSchema({
    engine: t.Union([t.Literal('sqlite'), t.Literal('postgresql')]),
    bytes: integer(),
    wal_bytes: integer({
      description: 'Size of the write-ahead log, a file next to the database; 0 on PostgreSQL.',
    }),
  }),
  memory_bytes: integer({ description: 'Memory used by the process.' }),
  base_url: t.String({ description: 'The setting; empty if the address is taken from the request.' }),
  data_dir: t.String(),
  outbound: t.Boolean({ description: '`false` with `outbound = "off"`: the server does not connect to others.' }),
  disk_free_bytes: t.Union([integer(), t.Null()], {
    description: 'Free space on the disk with the data; null on PostgreSQL, or if unknown.',
  }),
  jobs: t.Array(t.String(), { description: 'Names of the scheduled jobs.' }),
  backup: BackupStatus,
})

export const getServerStatus = adminEndpoint('getServerStatus', 'Get the status of the server', {
  response: Server,
  example: {
    version: '1.0.0',
    started: '2025-03-01T08:30:00',
    uptime_seconds: 91_800,
    database: { engine: 'sqlite', bytes: 18_874_368, wal_bytes: 4_152_992 },
    memory_bytes: 73_400_320,
    base_url: 'https://podcasts.home.example',
    data_dir: '/var/lib/podstep',
    outbound: true,
    disk_free_bytes: 21_474_836_480,
    jobs: ['mail', 'feeds', 'housekeeping', 'backup'],
    backup: STATUS_EXAMPLE,
  },
})

const Setting = objectSchema({
  key: t.String({ description: 'Name in the configuration file.' }),
  value: t.String({
    description: 'Value as written in the configuration file; empty if there is none. `set` for a secret that is set.',
  }),
  origin: t.Union(
    [
      t.Literal('default'),
      t.Literal('file'),
      t.Literal('environment'),
      t.Literal('secret_file'),
      t.Literal('command_line'),
    ],
    { description: 'Source of the value; `secret_file` is a file that a variable names.' },
  ),
  secret: t.Boolean({ description: 'Whether the value is hidden.' }),
  description: t.String({ description: 'English text for people; names of settings and files in backticks.' }),
})

export const listServerSettings = adminEndpoint('listServerSettings', 'List the settings in effect', {
  description: 'From the configuration file and the environment. Changes take effect when the server starts.',
  response: t.Array(Setting, { description: 'All settings, in the order of the documentation.' }),
  example: [
    { key: 'port', value: '8080', origin: 'default', secret: false, description: 'Port to listen on.' },
    {
      key: 'smtp_password',
      value: 'set',
      origin: 'secret_file',
      secret: true,
      description: 'Password at the mail server.',
    },
  ],
})

const BackupList = describedObject('The backups of the database.', {
  ...BackupStatus.properties,
  backups: describedList('Newest first, without the copies made before migrations.', BACKUP_FILE),
})

export const listBackups = adminEndpoint('listBackups', 'List the backups', {
  response: BackupList,
  example: {
    ...STATUS_EXAMPLE,
    backups: [FILE_EXAMPLE],
  },
})

const MadeBackup = describedObject('The new backup.', {
  status: t.Union([t.Literal('ok'), t.Literal('running')], {
    description: '`running` if it takes longer than proxies wait for a response; check again later.',
  }),
  backup: t.Union([Backup, t.Null()], { description: 'Null while it is running.' }),
})

export const makeBackup = adminEndpoint('makeBackup', 'Create a backup now', {
  description:
    'Responds when the backup is written and checked, or after 45 seconds. Removes the oldest backup beyond `backup_keep`.',
  response: MadeBackup,
  example: { status: 'ok', backup: BACKUP_EXAMPLE },
  errors: [
    errorResponse(
      'backup_running',
      'A backup is already running, or backups are turned off (`backups_disabled`).',
      'a backup is already running; wait until it is done',
    ),
    errorResponse(
      'backup_failed',
      'The backup failed; the message says why.',
      'the backup failed: not enough room in /var/lib/podstep/backups: 22.6 MB are needed, 9.1 MB are free',
    ),
  ],
})
