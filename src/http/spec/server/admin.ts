import { t } from 'elysia'
import { readOptionalJson } from '../../body.ts'
import { adminEndpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import {
  describedList,
  describedObject,
  done,
  integer,
  objectSchema,
  pageOf,
  pageQueryWith,
  parameter,
} from '../shared/models.ts'

const Stats = describedObject('Counts of the data on the server.', {
  users: integer({ description: 'Number of accounts in any state.' }),
  devices: integer(),
  subscriptions: integer({ description: 'Number of pairs of user and feed.' }),
  podcasts: integer({ description: 'Number of feeds that the server knows.' }),
  episode_actions: integer(),
})

export const getStats = adminEndpoint('getStats', 'Get counts of the data on the server', {
  response: Stats,
  example: { users: 4, devices: 9, subscriptions: 120, podcasts: 96, episode_actions: 18_230 },
})

const AuditPage = pageOf('A page of audit entries, newest first.', {
  entries: t.Array(
    objectSchema({
      id: integer(),
      at: t.String({ description: 'UTC.' }),
      actor: t.String({ description: 'The administrator; empty if no account acted.' }),
      via: t.Union([t.Literal('api'), t.Literal('command_line'), t.Literal('single_sign_on')]),
      action: t.String({ description: 'Stable code. New ones may be added.' }),
      user: t.String({ description: 'Affected account, by its name at that time; empty if none.' }),
    }),
  ),
})

export const getAuditLog = adminEndpoint('getAuditLog', 'Get the audit log', {
  description:
    'Actions of administrators, kept for two years. Includes actions on the command line and changes of roles by single sign-on.',
  query: pageQueryWith({
    action: parameter(
      'Only entries with this action, or with one of several, separated by commas.',
      'user_created,user_deleted',
    ),
    user: parameter('Only actions by this user or on this account.', 'ole'),
  }),
  response: AuditPage,
  example: {
    page: 0,
    per_page: 20,
    total: 1,
    total_pages: 1,
    entries: [{ id: 1, at: '2025-03-02T10:00:00', actor: 'ida', via: 'api', action: 'user_created', user: 'ole' }],
  },
})

const MailState = describedObject('The state of sending mail.', {
  enabled: t.Boolean({ description: 'Whether email can be sent: needs `smtp_host` and `base_url`.' }),
  last_sent: t.String({
    description: 'Time when the mail server last accepted an email; empty if it has not since the start.',
  }),
  last_failure: t.Union([t.Null(), objectSchema({ at: t.String(), cause: t.String() })], {
    description: 'The last failure to send an email since the start of the server, and its cause.',
  }),
  waiting: integer({ description: 'Number of emails to be sent or retried.' }),
  mails: describedList('The oldest 20 of these emails.', {
    purpose: t.Union([t.Literal('activation'), t.Literal('password_reset')]),
    email: t.String(),
    requested: t.String(),
    attempts: integer(),
    next_attempt: t.String(),
    cause: t.String({ description: 'Cause of the last failure; empty before the first attempt.' }),
  }),
})

const TIMEOUT = 'the mail server does not answer in time: Connection timeout (mail.home.example:587)'

export const getMailState = adminEndpoint('getMailState', 'Get the state of the mail queue', {
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

export const sendTestMail = adminEndpoint('sendTestMail', 'Send a test email', {
  description: 'Responds when the mail server has accepted or rejected it.',
  read: readOptionalJson,
  isBodyOptional: true,
  body: objectSchema({
    email: t.Optional(t.String({ description: 'Recipient; by default, your own address.' })),
  }),
  bodyExample: { email: 'ida@pods.example' },
  ...done,
  errors: [
    errorResponse(
      'smtp_unconfigured',
      'The mail server or the public address for links is not configured, or your account has no address.',
      'set smtp_host, smtp_from and base_url to send email',
    ),
    'mail_failed',
  ],
})

const CAUSE = t.String({ description: 'English text for people; empty if all is well.' })

const SsoTest = describedObject('The result of the test.', {
  ok: t.Boolean({ description: 'Whether users could sign in, as far as the server can tell.' }),
  cause: CAUSE,
})

const DirectoryTest = describedObject('The result of the test.', {
  state: t.Union([t.Literal('off'), t.Literal('ok'), t.Literal('error')], {
    description: '`off` if no directory is configured.',
  }),
  trouble: t.Union(
    [t.Literal(''), t.Literal('credentials'), t.Literal('network'), t.Literal('answer'), t.Literal('no_matches')],
    {
      description:
        'Rejected credentials, a network or name lookup failure, an unreadable response, or one without podcasts.',
    },
  ),
  cause: CAUSE,
})

export const testSingleSignOn = adminEndpoint('testSingleSignOn', 'Test single sign-on', {
  description:
    'Fetches the metadata of the provider, bypassing caches. Only a sign-in can show whether the provider knows this server and its secret. If `ok`, `cause` may contain a warning about the last sign-in, such as a missing groups claim.',
  response: SsoTest,
  example: {
    ok: false,
    cause: 'the provider refuses connections (ECONNREFUSED)',
  },
  errors: [
    errorResponse('sso_disabled', 'Single sign-on is not set up.', 'single sign-on is not set up on this server'),
  ],
})

export const testDirectory = adminEndpoint('testDirectory', 'Test the external directory', {
  description:
    'Requests a podcast from it now, bypassing caches and the pause after failures. A response ends the pause for all users.',
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
    description: 'Rejected credentials, a network or name lookup failure, or an unreadable response.',
  }),
  cause: t.String({ description: 'English text for people.' }),
})

const DirectoryState = describedObject('The state of the external directory.', {
  enabled: t.Boolean({ description: 'Whether a directory is configured: Podcast Index with its key, or Apple.' }),
  last_answer: t.String({
    description: 'Time of its last response; empty if there was none since the start of the server.',
  }),
  last_failure: t.Union([t.Null(), DirectoryFailure]),
})

export const getDirectoryState = adminEndpoint('getDirectoryState', 'Get the state of the external directory', {
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
