import { Elysia, t } from 'elysia'
import type { Sessions } from '../../../domain/accounts/sessions.ts'
import type { SessionId } from '../../../domain/shared/ids.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { json, operation } from '../../openapi/operation.ts'
import { IdPath, parseId } from '../../requests/params.ts'
import { ErrorModel, Ok, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const SessionList = t.Array(
  objectSchema({
    id: t.Integer(),
    created: t.String({ description: 'UTC.' }),
    last_used: t.String({ description: 'UTC, to the hour or better.' }),
    expires: t.String({ description: 'UTC; later if it is used meanwhile.' }),
    current: t.Boolean({ description: 'Whether it is the one that asks.' }),
    client: t.String({ description: 'What the app or browser calls itself, in a few words; empty if it does not.' }),
  }),
  { description: 'The sessions, last used first.' },
)

const PATH = '/api/2/me/sessions'

/** Where somebody is signed in. */
export function meSessionRoutes(sessions: Sessions, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      PATH,
      async ({ principal }) => {
        const list = await sessions.list(principal.user.id)
        return list.map(({ id, createdAt, usedAt, expiresAt, client = '' }) => ({
          id,
          created: formatTimestamp(createdAt),
          last_used: formatTimestamp(usedAt),
          expires: formatTimestamp(expiresAt),
          current: id === principal.sessionId,
          client,
        }))
      },
      {
        auth: 'user',
        response: { 200: SessionList, ...protectedErrors },
        detail: operation('Accounts', PATH, 'listSessions', 'List the own sessions', {
          description: 'An app that sends the password with each request has one, too.',
          'x-response': json([
            {
              id: 7,
              created: '2025-03-01T18:20:00',
              last_used: '2025-03-02T10:00:00',
              expires: '2025-03-31T18:20:00',
              current: true,
              client: 'Firefox on Android',
            },
          ]),
        }),
      },
    )
    .delete(
      PATH,
      async ({ principal }) => {
        await sessions.revokeOthers(principal.user.id, principal.sessionId)
        return { status: 'ok' as const }
      },
      {
        auth: 'user',
        response: { 200: Ok, ...protectedErrors },
        detail: operation('Accounts', PATH, 'endOtherSessions', 'End all own sessions but this one', {
          description:
            'Whoever holds one of them is out at once. An app that sends the password with each request just begins another; only a new password keeps it out.',
          'x-response': json({ status: 'ok' }),
        }),
      },
    )
    .delete(
      `${PATH}/:id`,
      async ({ request, set, principal, params }) => {
        const id = parseId(params.id) as SessionId
        await sessions.revoke(principal.user.id, id)
        if (id === principal.sessionId) authGuard.clearCookie(request, set)
        return { status: 'ok' as const }
      },
      {
        auth: 'user',
        params: IdPath,
        response: { 200: Ok, 404: ErrorModel, ...protectedErrors },
        detail: operation('Accounts', `${PATH}/{id}`, 'endSession', 'End one of the own sessions', {
          description: 'Whoever holds it is out at once. To end the one that asks is to sign out.',
          'x-response': json({ status: 'ok' }),
          'x-cookie': 'Removes the session, if it is the one that asks.',
          'x-refusals': {
            404: { description: 'The account has no such session.', error: 'not_found', message: 'no such session' },
          },
        }),
      },
    )
}
