import { Elysia, t } from 'elysia'
import type { SingleSignOn } from '../../../domain/accounts/single-sign-on.ts'
import type { ExternalDirectory } from '../../../domain/directory/external.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { adminErrors, json, operation } from '../../openapi/operation.ts'
import { ErrorModel, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

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

interface CheckParts {
  readonly externalDirectory: ExternalDirectory
  readonly singleSignOn: SingleSignOn
  readonly authGuard: AuthGuard
}

/** Whether the servers of others do what the settings want of them, found out now. */
export function adminCheckRoutes({ externalDirectory, singleSignOn, authGuard }: CheckParts) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .post(
      '/api/admin/sso/test',
      async ({ principal: { user } }) => {
        const cause = await singleSignOn.test(user.username)
        return { ok: cause === undefined, cause: cause ?? '' }
      },
      {
        auth: 'admin',
        response: { 200: SsoTest, 404: ErrorModel, ...protectedErrors },
        detail: operation('Administration', '/api/admin/sso/test', 'testSingleSignOn', 'Test the single sign-on', {
          description:
            'Asks the provider about itself, whatever is known of it. Whether it knows this server and its secret shows when somebody signs in.',
          'x-response': json({
            ok: false,
            cause: 'cannot connect to the provider: nothing answers at its address (ECONNREFUSED)',
          }),
          'x-refusals': {
            ...adminErrors,
            404: {
              description: 'Single sign-on is not set up.',
              error: 'sso_disabled',
              message: 'single sign-on is not set up on this server',
            },
          },
        }),
      },
    )
    .post(
      '/api/admin/directory/test',
      async ({ principal: { user } }) => {
        const { state, trouble = '', cause } = await externalDirectory.test(user.username)
        return { state, trouble, cause } as const
      },
      {
        auth: 'admin',
        response: { 200: DirectoryTest, ...protectedErrors },
        detail: operation(
          'Administration',
          '/api/admin/directory/test',
          'testDirectory',
          'Test the external directory',
          {
            description:
              'Asks it for a podcast now, whatever is known and however often it has failed. Once it answers, it is asked again for everybody.',
            'x-response': json({
              state: 'error',
              trouble: 'network',
              cause: 'the name api.podcastindex.org cannot be resolved',
            }),
            'x-refusals': adminErrors,
          },
        ),
      },
    )
}
