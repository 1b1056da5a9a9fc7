import { Elysia, t } from 'elysia'
import type { ExternalDirectory } from '../../../domain/directory/external.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { adminErrors, json, operation } from '../../openapi/operation.ts'
import { protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const Failure = objectSchema({
  at: t.String({ description: 'UTC.' }),
  trouble: t.Union([t.Literal('credentials'), t.Literal('network'), t.Literal('answer')], {
    description: 'Rejected credentials, a network or name that fails, or an answer that cannot be read.',
  }),
  cause: t.String({ description: 'English text for people.' }),
})

const State = objectSchema(
  {
    enabled: t.Boolean({ description: 'Whether `directory_key` and `directory_secret` are set.' }),
    last_answer: t.String({ description: 'When it last answered; empty since the start of the server.' }),
    last_failure: t.Union([t.Null(), Failure]),
  },
  { description: 'How asking the external directory goes.' },
)

/** Why lists of the external directory are empty, for administrators. */
export function adminDirectoryRoutes(directory: ExternalDirectory, authGuard: AuthGuard) {
  return new Elysia().use(authPlugin(authGuard)).get(
    '/api/admin/directory',
    () => {
      const { isOn, lastAnswerAt, lastFailure } = directory.status()
      return {
        enabled: isOn,
        last_answer: lastAnswerAt === undefined ? '' : formatTimestamp(lastAnswerAt),
        last_failure: lastFailure
          ? { at: formatTimestamp(lastFailure.at), trouble: lastFailure.trouble, cause: lastFailure.cause }
          : null,
      }
    },
    {
      auth: 'admin',
      response: { 200: State, ...protectedErrors },
      detail: operation(
        'Administration',
        '/api/admin/directory',
        'getDirectoryState',
        'Read how asking the external directory goes',
        {
          'x-response': json({
            enabled: true,
            last_answer: '2025-03-02T09:00:00',
            last_failure: {
              at: '2025-03-02T08:00:00',
              trouble: 'network',
              cause: 'the name api.podcastindex.org cannot be resolved',
            },
          }),
          'x-refusals': adminErrors,
        },
      ),
    },
  )
}
