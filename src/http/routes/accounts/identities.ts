import { Elysia, t } from 'elysia'
import type { Identity } from '../../../domain/accounts/ports.ts'
import type { SingleSignOn } from '../../../domain/accounts/single-sign-on.ts'
import type { IdentityId } from '../../../domain/shared/ids.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { json, operation } from '../../openapi/operation.ts'
import { IdPath, parseId } from '../../requests/params.ts'
import { SsoInfo, ssoInfo } from '../../spec/accounts/account-json.ts'
import { ErrorModel, Ok, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const IdentityItem = objectSchema({
  id: t.Integer(),
  issuer: t.String({ description: 'The provider.' }),
  subject: t.String({ description: 'The account there, as the provider numbers it.' }),
  linked: t.String({ description: 'Since when; UTC.' }),
})

/** What there is to know and undo about single sign-on; the way through the provider itself is in sso.ts. */
export function identityRoutes(singleSignOn: SingleSignOn, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get('/auth/sso/info', () => ssoInfo(singleSignOn), {
      response: { 200: SsoInfo },
      detail: operation('Single sign-on', '/auth/sso/info', 'getSsoInfo', 'Tell whether single sign-on is set up', {
        description: `Sending a browser to \`login_url\` signs it in: it goes to the provider, comes back to \`/auth/sso/callback\` and ends at \`/\`, or at the \`return_to\` given to \`login_url\`, with a session; or at \`/login?error=…\`.

With \`link=1\` somebody who is signed in adds the identity to the own account instead. A form that posts to \`/auth/sso/logout\` ends the session here and at the provider.`,
        'x-credentials': 'none',
        'x-response': json({ enabled: true, provider_name: 'Harbour ID', login_url: '/auth/sso/login' }),
      }),
    })
    .get(
      '/api/2/me/identities',
      async ({ principal: { user } }) => (await singleSignOn.identities(user.id)).map(toItem),
      {
        auth: 'user',
        response: {
          200: t.Array(IdentityItem, { description: 'The accounts at providers that the own account is linked to.' }),
          ...protectedErrors,
        },
        detail: operation('Single sign-on', '/api/2/me/identities', 'listIdentities', 'List the linked identities', {
          'x-response': json([
            { id: 1, issuer: 'https://id.home.example', subject: '24400320', linked: '2025-03-02T10:00:00' },
          ]),
        }),
      },
    )
    .delete(
      '/api/2/me/identities/:id',
      async ({ principal: { user }, params: { id } }) => {
        await singleSignOn.unlink(user.id, parseId(id) as IdentityId)
        return { status: 'ok' as const }
      },
      {
        auth: 'user',
        params: IdPath,
        response: { 200: Ok, 404: ErrorModel, 409: ErrorModel, ...protectedErrors },
        detail: operation('Single sign-on', '/api/2/me/identities/{id}', 'unlinkIdentity', 'Remove a linked identity', {
          'x-response': json({ status: 'ok' }),
          'x-refusals': {
            404: { description: 'The account has no such identity.', error: 'not_found', message: 'no such identity' },
            409: {
              description: 'The account has no password, so there would be no way left to sign in.',
              error: 'no_password',
              message: 'set a password first, or there is no way left to sign in',
            },
          },
        }),
      },
    )
}

function toItem({ id, issuer, subject, createdAt }: Identity) {
  return { id, issuer, subject, linked: formatTimestamp(createdAt) }
}
