import { Elysia, t } from 'elysia'
import { isFeedAddress, type Search } from '../../../domain/directory/directory.ts'
import { LIST_FORMATS, parseListFormat } from '../../../formats/negotiate.ts'
import type { Clock } from '../../../platform/clock.ts'
import { type AuthGuard, optionalAuthPlugin } from '../../auth.ts'
import { json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { checkScale, LIST_PARAMETERS } from '../../requests/list-request.ts'
import { lookupPrincipalOf } from '../../requests/principal.ts'
import { allowCachingFor, markPublic } from '../../responses/caching.ts'
import { podcastListResponse } from '../../responses/list-response.ts'
import {
  EXTERNAL_EXAMPLE,
  ExternalModel,
  externalLimit,
  tellState,
  toExternalJson,
} from '../../spec/directory/external-json.ts'
import { PODCAST_EXAMPLE, USER_LIST_EXAMPLES } from '../../spec/shared/list-examples.ts'
import { ErrorModel } from '../../spec/shared/models.ts'
import { PodcastModel, toPodcastJson } from '../../spec/shared/podcast-json.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const QUERY = {
  q: t.Optional(t.String({ description: 'What to look for; needed.', examples: ['harbour'] })),
}
const LocalQuery = objectSchema({ ...QUERY, ...LIST_PARAMETERS })
const EverywhereQuery = objectSchema(QUERY)

const Combined = objectSchema(
  {
    local: t.Array(PodcastModel, { description: 'Podcasts of this server.' }),
    external: t.Array(ExternalModel, { description: 'Others, from an external directory.' }),
  },
  { description: 'At most 20 of each.' },
)

export interface SearchParts {
  readonly search: Search
  readonly authGuard: AuthGuard
  readonly origins: Origins
  readonly clock: Clock
}

/** docs/protocol.md#directory and #external-directory. */
export function searchRoutes({ search, authGuard, origins, clock }: SearchParts) {
  return new Elysia()
    .use(optionalAuthPlugin(authGuard))
    .get(
      '/search.:format',
      async ({ request, principal, params, query, set }) => {
        checkScale(query.scale_logo)
        const format = parseListFormat(params.format)
        // A page of another site may load this one as a script, together with the cookie.
        const reader = format === 'jsonp' ? undefined : principal
        const podcasts = await search.local(query.q ?? '', lookupPrincipalOf(request, reader, origins))
        const head = { title: 'Search results', now: clock.seconds(), base: origins.baseOf(request) }
        const response = podcastListResponse(format, podcasts, head, query.jsonp)
        if (!reader) markPublic(set)
        if (isLasting(query.q, podcasts)) allowCachingFor(reader, set)
        return response
      },
      {
        isForAll: true,
        params: objectSchema({ format: t.String() }),
        query: LocalQuery,
        response: {
          200: t.Array(PodcastModel, { description: 'At most 20 podcasts, best first.' }),
          400: ErrorModel,
        },
        detail: operation('Directory', '/search.{format}', 'search', 'Search the podcasts of this server', {
          description:
            'Each word must begin a word of the title, the author, the tags or the description; case, accents and the order do not matter. With few results a word of five letters or more may be mistyped by one letter. The address of a feed finds the podcast. Signed-in users find their own private podcasts too.',
          'x-credentials': 'optional',
          'x-formats': LIST_FORMATS,
          'x-response': USER_LIST_EXAMPLES,
          'x-refusals': noQuery,
        }),
      },
    )
    .get(
      '/api/2/search/all',
      async ({ request, principal, query: { q }, set }) => {
        const { local, external } = await search.everywhere(q ?? '', lookupPrincipalOf(request, principal, origins))
        tellState(set, external)
        if (external.state !== 'error' && isLasting(q, local)) allowCachingFor(principal, set)
        const base = origins.baseOf(request)
        return {
          local: local.map((podcast) => toPodcastJson(podcast, base)),
          external: external.podcasts.map(toExternalJson),
        }
      },
      {
        isForAll: true,
        query: EverywhereQuery,
        response: { 200: Combined, 400: ErrorModel, 429: ErrorModel },
        detail: operation('Directory', '/api/2/search/all', 'searchAll', 'Search here and elsewhere', {
          description:
            'What the external directory has and this server as well is left out there. `X-External-Directory` as with the external search.',
          'x-credentials': 'optional',
          'x-response': json({ local: [PODCAST_EXAMPLE], external: [EXTERNAL_EXAMPLE] }),
          'x-refusals': { ...noQuery, ...externalLimit },
        }),
      },
    )
}

/** That there is no feed at an address may mean that it could not be had just now. */
function isLasting(query: string | undefined, found: readonly unknown[]): boolean {
  return found.length > 0 || !isFeedAddress(query ?? '')
}

const noQuery = {
  400: {
    description: 'There is nothing to look for.',
    error: 'validation_failed',
    message: 'q is required',
    field: 'q',
  },
} as const
