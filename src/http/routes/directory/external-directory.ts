import { Elysia, t } from 'elysia'
import type { ExternalAnswer, ExternalDirectory } from '../../../domain/directory/external.ts'
import { invalid } from '../../../domain/shared/errors.ts'
import { json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { allowCaching } from '../../responses/caching.ts'
import {
  EXTERNAL_EXAMPLE,
  ExternalModel,
  externalLimit,
  tellState,
  toExternalJson,
} from '../../spec/directory/external-json.ts'
import { ErrorModel } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const SearchQuery = objectSchema({
  q: t.Optional(t.String({ description: 'What to look for; needed.', examples: ['harbour'] })),
})

const TrendingQuery = objectSchema({
  lang: t.Optional(t.String({ description: 'A language, such as `de`; all unless given.', examples: ['de'] })),
  max: t.Optional(t.String({ description: 'How many: 1 to 50, 20 unless given.', examples: ['20'] })),
})

const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$/
const MAX = 50
const USUAL = 20

const errors = { 400: ErrorModel, 429: ErrorModel }

/** docs/protocol.md#external-directory: what an external directory knows. Without it, or without its answer, lists are empty. */
export function externalDirectoryRoutes(directory: ExternalDirectory, origins: Origins) {
  return new Elysia()
    .get(
      '/api/2/search/external',
      async ({ request, query: { q }, set }) =>
        send(set, await directory.search(q ?? '', origins.clientAddress(request))),
      {
        query: SearchQuery,
        response: { 200: t.Array(ExternalModel, { description: 'At most 20 podcasts.' }), ...errors },
        detail: operation('Directory', '/api/2/search/external', 'searchExternal', 'Search an external directory', {
          description:
            'The `X-External-Directory` header tells whether an empty list means that there is nothing (`ok`), that the server has no credentials for a directory (`off`), or that the directory could not be asked (`error`).',
          'x-credentials': 'none',
          'x-response': json([EXTERNAL_EXAMPLE]),
          'x-refusals': externalLimit,
        }),
      },
    )
    .get(
      '/api/2/trending',
      async ({ request, query: { lang, max }, set }) =>
        send(set, await directory.trending(parseLanguage(lang), parseMax(max), origins.clientAddress(request))),
      {
        query: TrendingQuery,
        response: {
          200: t.Array(ExternalModel, { description: 'Podcasts that are much listened to now.' }),
          ...errors,
        },
        detail: operation('Directory', '/api/2/trending', 'listTrending', 'List what is trending elsewhere', {
          description: 'From an external directory; `X-External-Directory` as with its search.',
          'x-credentials': 'none',
          'x-response': json([EXTERNAL_EXAMPLE]),
          'x-refusals': externalLimit,
        }),
      },
    )
}

function send(set: { headers: Record<string, string | number> }, answer: ExternalAnswer) {
  tellState(set, answer)
  if (answer.state !== 'error') allowCaching(set)
  return answer.podcasts.map(toExternalJson)
}

function parseLanguage(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  if (!LANGUAGE.test(text)) throw invalid('lang', 'lang must be a language such as de or pt-br')
  return text.toLowerCase()
}

function parseMax(text: string | undefined): number {
  if (text === undefined) return USUAL
  const max = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (max < 1 || max > MAX) throw invalid('max', `max must be a whole number from 1 to ${MAX}`)
  return max
}
