import { t } from 'elysia'
import { readOptionalJson } from '../../body.ts'
import { type EndpointDetails, endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { done, objectSchema, PAGE_PROPERTIES, PageQuery } from '../shared/models.ts'

const admin = <const D extends EndpointDetails>(id: string, summary: string, details: D) =>
  endpoint('Administration', id, summary, details)

const Stats = objectSchema(
  {
    users: t.Integer({ description: 'All accounts, active or not.' }),
    devices: t.Integer(),
    subscriptions: t.Integer({ description: 'Pairs of user and feed.' }),
    podcasts: t.Integer({ description: 'Feeds the server has ever heard of.' }),
    episode_actions: t.Integer(),
  },
  { description: 'How much the server holds.' },
)

export const getStats = admin('getStats', 'Get how much the server holds', {
  response: Stats,
  example: { users: 4, devices: 9, subscriptions: 120, podcasts: 96, episode_actions: 18_230 },
})

const AuditPage = objectSchema(
  {
    ...PAGE_PROPERTIES,
    entries: t.Array(
      objectSchema({
        id: t.Integer(),
        at: t.String({ description: 'UTC.' }),
        actor: t.String({ description: 'The administrator; empty where no account acted.' }),
        via: t.Union([t.Literal('api'), t.Literal('command_line'), t.Literal('single_sign_on')]),
        action: t.String({ description: 'A stable word. There may be new ones.' }),
        user: t.String({ description: 'The account it was done to, by its name of that time; empty if none.' }),
      }),
    ),
  },
  { description: 'A page of what administrators did, newest first.' },
)

export const getAuditLog = admin('getAuditLog', 'Get the audit log', {
  description:
    'What administrators did, kept for two years. Includes what was done at the command line, and changes of roles by single sign-on.',
  query: PageQuery,
  response: AuditPage,
  example: {
    page: 0,
    per_page: 20,
    total: 1,
    total_pages: 1,
    entries: [{ id: 1, at: '2025-03-02T10:00:00', actor: 'ida', via: 'api', action: 'user_created', user: 'ole' }],
  },
})

const MailState = objectSchema(
  {
    enabled: t.Boolean({ description: 'Whether mail can be sent: needs `smtp_host` and `base_url`.' }),
    last_sent: t.String({ description: 'When a mail was last taken by the mail server; empty since the start.' }),
    last_failure: t.Union([t.Null(), objectSchema({ at: t.String(), cause: t.String() })], {
      description: 'The last mail that could not be sent since the start of the server, and why.',
    }),
    waiting: t.Integer({ description: 'Mails to be sent or sent again.' }),
    mails: t.Array(
      objectSchema({
        purpose: t.Union([t.Literal('activation'), t.Literal('password_reset')]),
        email: t.String(),
        requested: t.String(),
        attempts: t.Integer(),
        next_attempt: t.String(),
        cause: t.String({ description: 'Why the last attempt failed; empty before the first.' }),
      }),
      { description: 'The oldest 20 of them.' },
    ),
  },
  { description: 'How sending mail goes.' },
)

const TIMEOUT = 'the mail server does not answer in time: Connection timeout (mail.home.example:587)'

export const getMailState = admin('getMailState', 'Get the state of the mail queue', {
  response: MailState,
  example: {
    enabled: true,
    last_sent: '2025-03-02T09:00:00',
    last_failure: { at: '2025-03-02T10:00:00', cause: TIMEOUT },
    waiting: 1,
    mails: [
      {
        purpose: 'password_reset',
        email: 'ole@pods.example',
        requested: '2025-03-02T10:00:00',
        attempts: 1,
        next_attempt: '2025-03-02T10:01:00',
        cause: TIMEOUT,
      },
    ],
  },
})

export const sendTestMail = admin('sendTestMail', 'Send a test mail', {
  description: 'Answers when the mail server has taken or refused it.',
  read: readOptionalJson,
  isBodyOptional: true,
  body: objectSchema({
    email: t.Optional(t.String({ description: 'Where to send it; to your own address unless given.' })),
  }),
  bodyExample: { email: 'ida@pods.example' },
  ...done,
  errors: [
    errorResponse(
      'smtp_unconfigured',
      'No mail server, or no public address for links, is set; or your account has no address.',
      'set smtp_host, smtp_from and base_url to send mails',
    ),
    'mail_failed',
  ],
})

const CAUSE = t.String({ description: 'English text for people; empty if all is well.' })

const SsoTest = objectSchema(
  { ok: t.Boolean({ description: 'Whether people could sign in, as far as can be told without one.' }), cause: CAUSE },
  { description: 'What came of asking the provider.' },
)

const DirectoryTest = objectSchema(
  {
    state: t.Union([t.Literal('off'), t.Literal('ok'), t.Literal('error')], {
      description: '`off` without `directory_key` and `directory_secret`.',
    }),
    trouble: t.Union(
      [t.Literal(''), t.Literal('credentials'), t.Literal('network'), t.Literal('answer'), t.Literal('no_matches')],
      {
        description:
          'Rejected credentials, a network or name that fails, an answer that cannot be read, or one without podcasts.',
      },
    ),
    cause: CAUSE,
  },
  { description: 'What came of asking the directory.' },
)

export const testSingleSignOn = admin('testSingleSignOn', 'Test single sign-on', {
  description:
    'Asks the provider for its metadata, bypassing caches. Whether it knows this server and its secret shows only when somebody signs in.',
  response: SsoTest,
  example: {
    ok: false,
    cause: 'cannot connect to the provider: nothing answers at its address (ECONNREFUSED)',
  },
  errors: [
    errorResponse('sso_disabled', 'Single sign-on is not set up.', 'single sign-on is not set up on this server'),
  ],
})

export const testDirectory = admin('testDirectory', 'Test the external directory', {
  description:
    'Asks it for a podcast now, bypassing caches and the pause after failures. Once it answers, it is asked again for everybody.',
  response: DirectoryTest,
  example: {
    state: 'error',
    trouble: 'network',
    cause: 'the name api.podcastindex.org cannot be resolved',
  },
})

const DirectoryFailure = objectSchema({
  at: t.String({ description: 'UTC.' }),
  trouble: t.Union([t.Literal('credentials'), t.Literal('network'), t.Literal('answer')], {
    description: 'Rejected credentials, a network or name that fails, or an answer that cannot be read.',
  }),
  cause: t.String({ description: 'English text for people.' }),
})

const DirectoryState = objectSchema(
  {
    enabled: t.Boolean({ description: 'Whether `directory_key` and `directory_secret` are set.' }),
    last_answer: t.String({ description: 'When it last answered; empty since the start of the server.' }),
    last_failure: t.Union([t.Null(), DirectoryFailure]),
  },
  { description: 'How asking the external directory goes.' },
)

export const getDirectoryState = admin('getDirectoryState', 'Get the state of the external directory', {
  response: DirectoryState,
  example: {
    enabled: true,
    last_answer: '2025-03-02T09:00:00',
    last_failure: {
      at: '2025-03-02T08:00:00',
      trouble: 'network',
      cause: 'the name api.podcastindex.org cannot be resolved',
    },
  },
})

const Backup = objectSchema(
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

const BackupStatus = objectSchema({
  enabled: t.Boolean({ description: '`false` with `backup_keep = 0`.' }),
  running: t.Boolean({ description: 'Whether one is being made at the moment.' }),
  last: t.Union([Backup, t.Null()], {
    description: 'The last attempt, also if it was before the last start; null before the first.',
  }),
})

const BACKUP_EXAMPLE = {
  ok: true,
  at: '2025-03-02T04:30:00',
  seconds: 2,
  file: 'podstep-20250302T043000Z.db',
  bytes: 18_874_368,
  cause: '',
}

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
    backup: BackupStatus,
  },
  { description: 'How the server and its machine are.' },
)

export const getServerStatus = admin('getServerStatus', 'Get the status of the server', {
  response: Server,
  example: {
    version: '1.0.0',
    started: '2025-03-01T08:30:00',
    uptime_seconds: 91_800,
    database: { bytes: 18_874_368, wal_bytes: 4_152_992 },
    memory_bytes: 73_400_320,
    base_url: 'https://podcasts.home.example',
    data_dir: '/var/lib/podstep',
    disk_free_bytes: 21_474_836_480,
    jobs: ['mail', 'feeds', 'housekeeping', 'backup'],
    backup: { enabled: true, running: false, last: BACKUP_EXAMPLE },
  },
})

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

export const listServerSettings = admin('listServerSettings', 'List the settings in effect', {
  description: 'Those of the file and the environment, which take effect when the server starts.',
  response: t.Array(Setting, { description: 'All settings, as they stand in the documentation.' }),
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

const BackupList = objectSchema(
  {
    ...BackupStatus.properties,
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

export const listBackups = admin('listBackups', 'List the backups', {
  response: BackupList,
  example: {
    enabled: true,
    running: false,
    last: BACKUP_EXAMPLE,
    backups: [{ file: 'podstep-20250302T043000Z.db', at: '2025-03-02T04:30:00', bytes: 18_874_368 }],
  },
})

const MadeBackup = objectSchema(
  {
    status: t.Union([t.Literal('ok'), t.Literal('running')], {
      description: '`running` if it takes longer than proxies wait for an answer: then look again later.',
    }),
    backup: t.Union([Backup, t.Null()], { description: 'Null while it is running.' }),
  },
  { description: 'The backup that was made.' },
)

export const makeBackup = admin('makeBackup', 'Make a backup now', {
  description: 'Answers when it is made and checked, or after 45 seconds. The oldest beyond `backup_keep` is removed.',
  response: MadeBackup,
  example: { status: 'ok', backup: BACKUP_EXAMPLE },
  errors: [
    errorResponse(
      'backup_running',
      'One is being made already, or backups are turned off (`backups_disabled`).',
      'a backup is being made already; wait until it is done',
    ),
    errorResponse(
      'backup_failed',
      'No backup was made; the message says why.',
      'no backup was made: not enough room in /var/lib/podstep/backups: 22.6 MB are needed, 9.1 MB are free',
    ),
  ],
})
