import { Elysia, t } from 'elysia'
import type { Administration } from '../../../domain/accounts/administration.ts'
import type { AuditEntry, WaitingMail } from '../../../domain/accounts/ports.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authFirst, authPlugin } from '../../auth.ts'
import { readOptionalJson } from '../../body.ts'
import { adminErrors, json, operation } from '../../openapi/operation.ts'
import { pageEnvelope, parsePaging } from '../../requests/paging.ts'
import { ErrorModel, Ok, PageQuery, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'
import { actorOf } from '../accounts/admin-users.ts'

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

const AuditPage = objectSchema(
  {
    page: t.Integer(),
    per_page: t.Integer(),
    total: t.Integer(),
    total_pages: t.Integer(),
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

const TestMail = objectSchema({
  email: t.Optional(t.String({ description: 'Where to send it; to the own address unless given.' })),
})

/** The server as administrators see it. */
export function adminServerRoutes(administration: Administration, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/api/admin/stats',
      async () => {
        const { episodeActions, ...stats } = await administration.stats()
        return { ...stats, episode_actions: episodeActions }
      },
      {
        auth: 'admin',
        response: { 200: Stats, ...protectedErrors },
        detail: operation('Administration', '/api/admin/stats', 'getStats', 'Read how much the server holds', {
          'x-response': json({ users: 4, devices: 9, subscriptions: 120, podcasts: 96, episode_actions: 18_230 }),
          'x-refusals': adminErrors,
        }),
      },
    )
    .get(
      '/api/admin/audit',
      async ({ query }) => {
        const paging = parsePaging(query)
        const { total, entries } = await administration.audit(paging.page, paging.perPage)
        return { ...pageEnvelope(paging, total), entries: entries.map(toAuditItem) }
      },
      {
        auth: 'admin',
        query: PageQuery,
        response: { 200: AuditPage, ...protectedErrors },
        detail: operation('Administration', '/api/admin/audit', 'getAuditLog', 'Read what administrators did', {
          description:
            'Kept for two years. Acts at the command line and role changes by single sign-on are in it, too.',
          'x-response': json({
            page: 0,
            per_page: 20,
            total: 1,
            total_pages: 1,
            entries: [
              { id: 1, at: '2025-03-02T10:00:00', actor: 'ida', via: 'api', action: 'user_created', user: 'ole' },
            ],
          }),
          'x-refusals': adminErrors,
        }),
      },
    )
    .get(
      '/api/admin/mail',
      async () => {
        const { isOn, lastSentAt, lastFailure, total, waiting } = await administration.mailStatus()
        return {
          enabled: isOn,
          last_sent: lastSentAt === undefined ? '' : formatTimestamp(lastSentAt),
          last_failure: lastFailure ? { at: formatTimestamp(lastFailure.at), cause: lastFailure.cause } : null,
          waiting: total,
          mails: waiting.map(toMailItem),
        }
      },
      {
        auth: 'admin',
        response: { 200: MailState, ...protectedErrors },
        detail: operation('Administration', '/api/admin/mail', 'getMailState', 'Read how sending mail goes', {
          'x-response': json({
            enabled: true,
            last_sent: '2025-03-02T09:00:00',
            last_failure: {
              at: '2025-03-02T10:00:00',
              cause: 'the mail server does not answer in time: Connection timeout (mail.home.example:587)',
            },
            waiting: 1,
            mails: [
              {
                purpose: 'password_reset',
                email: 'ole@pods.example',
                requested: '2025-03-02T10:00:00',
                attempts: 1,
                next_attempt: '2025-03-02T10:01:00',
                cause: 'the mail server does not answer in time: Connection timeout (mail.home.example:587)',
              },
            ],
          }),
          'x-refusals': adminErrors,
        }),
      },
    )
    .post(
      '/api/admin/mail/test',
      async ({ principal, body: { email } }) => {
        await administration.sendTestMail(email, actorOf(principal))
        return { status: 'ok' as const }
      },
      {
        auth: 'admin',
        parse: [authFirst(authGuard, 'admin', readOptionalJson)],
        body: TestMail,
        response: { 200: Ok, 409: ErrorModel, 413: ErrorModel, 502: ErrorModel, ...protectedErrors },
        detail: operation('Administration', '/api/admin/mail/test', 'sendTestMail', 'Send a test mail', {
          description: 'Answers when the mail server has taken or refused it.',
          'x-request': json({ email: 'ida@pods.example' }),
          'x-body-optional': true,
          'x-response': json({ status: 'ok' }),
          'x-refusals': {
            ...adminErrors,
            409: {
              description: 'No mail server, or no public address for links, is set; or the own account has no address.',
              error: 'smtp_unconfigured',
              message: 'set smtp_host, smtp_from and base_url to send mails',
            },
          },
        }),
      },
    )
}

function toAuditItem({ id, at, actor, action, target }: AuditEntry) {
  return { id, at: formatTimestamp(at), actor: actor.name ?? '', via: actor.via, action, user: target ?? '' }
}

function toMailItem({ purpose, emailKey, requestedAt, attempts, nextAttemptAt, lastError }: WaitingMail) {
  return {
    purpose,
    email: emailKey,
    requested: formatTimestamp(requestedAt),
    attempts,
    next_attempt: formatTimestamp(nextAttemptAt),
    cause: lastError ?? '',
  }
}
