import { Elysia, t } from 'elysia'
import type { Directory } from '../../../domain/directory/directory.ts'
import type { RankedPodcast, Suggestion } from '../../../domain/directory/ports.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import { LIST_FORMATS, type ListFormat, parseListFormat } from '../../../formats/negotiate.ts'
import type { Clock } from '../../../platform/clock.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { checkScale, ListQuery, listFile } from '../../requests/list-request.ts'
import { jsonName } from '../../requests/params.ts'
import { allowCaching } from '../../responses/caching.ts'
import { podcastListResponse } from '../../responses/list-response.ts'
import { TagModel, toTagJson } from '../../spec/directory/tag-json.ts'
import { PODCAST_EXAMPLE, written } from '../../spec/shared/list-examples.ts'
import { ErrorModel, protectedErrors } from '../../spec/shared/models.ts'
import { PodcastModel, toPodcastJson } from '../../spec/shared/podcast-json.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const Ranked = objectSchema({
  ...PodcastModel.properties,
  position_last_week: t.Integer({ description: 'Counted from 1; 0 if it was not in the list.' }),
})

const Suggested = objectSchema({
  ...PodcastModel.properties,
  because: t.Array(t.String(), { description: 'Tags that speak for it, the most telling first.' }),
})

/** `…/{count}.json`: the suffix is part of the parameter. */
const COUNT = { count: t.String({ description: 'A number and a format suffix.' }) }
const CountFile = objectSchema(COUNT)
const TagFile = objectSchema({ tag: t.String(), ...COUNT })

const COUNT_MAX = 100
const USUAL = 50

export interface DirectoryParts {
  readonly directory: Directory
  readonly authGuard: AuthGuard
  readonly origins: Origins
  readonly clock: Clock
}

/** docs/protocol.md#directory and #suggestions: what this server's people listen to. */
export function directoryRoutes({ directory, authGuard, origins, clock }: DirectoryParts) {
  const headOf = (request: Request, title: string) => ({ title, now: clock.seconds(), base: origins.baseOf(request) })

  async function toplist(request: Request, callback: string | undefined, count: number, format: ListFormat) {
    const podcasts = await directory.toplist(count)
    return podcastListResponse(format, podcasts, headOf(request, 'Top podcasts'), callback, toRankedJson)
  }

  const errors = { 400: ErrorModel, 404: ErrorModel }
  const toplistAnswers = {
    query: ListQuery,
    response: { 200: t.Array(Ranked, { description: 'Most subscribed first, then by title.' }), ...errors },
  }
  const aboutToplist = {
    description: 'At most 100. Podcasts that nobody is subscribed to any more, and private ones, are left out.',
    'x-credentials': 'none',
    'x-formats': LIST_FORMATS,
    'x-response': written([{ ...PODCAST_EXAMPLE, position_last_week: 1 }]),
    'x-refusals': noNumber,
  } as const

  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/toplist/:count',
      async ({ request, params, query, set }) => {
        checkScale(query.scale_logo)
        const { name, format } = listFile(params.count)
        const response = await toplist(request, query.jsonp, parseCount(name), format)
        allowCaching(set)
        return response
      },
      {
        ...toplistAnswers,
        params: CountFile,
        detail: operation(
          'Directory',
          '/toplist/{count}.{format}',
          'listToplist',
          'List what most are subscribed to',
          aboutToplist,
        ),
      },
    )
    .get(
      '/toplist.:format',
      async ({ request, params, query, set }) => {
        checkScale(query.scale_logo)
        const response = await toplist(request, query.jsonp, USUAL, parseListFormat(params.format))
        allowCaching(set)
        return response
      },
      {
        ...toplistAnswers,
        params: objectSchema({ format: t.String() }),
        detail: operation(
          'Directory',
          '/toplist.{format}',
          'listUsualToplist',
          'The same with 50 podcasts',
          aboutToplist,
        ),
      },
    )
    .get(
      '/api/2/tags/:count',
      async ({ params, set }) => {
        const tags = await directory.tags(parseCount(jsonName(params.count)))
        allowCaching(set)
        return tags.map(toTagJson)
      },
      {
        params: CountFile,
        response: { 200: t.Array(TagModel, { description: 'Most used first.' }), ...errors },
        detail: operation('Directory', '/api/2/tags/{count}.json', 'listTags', 'List tags', {
          description: 'The categories that feeds give themselves.',
          'x-credentials': 'none',
          'x-response': json([{ title: 'Sea & Coast', tag: 'sea-coast', usage: 12 }]),
          'x-refusals': noNumber,
        }),
      },
    )
    .get(
      '/api/2/tag/:tag/:count',
      async ({ request, params, set }) => {
        const podcasts = await directory.podcastsOfTag(params.tag, parseCount(jsonName(params.count)))
        allowCaching(set)
        const base = origins.baseOf(request)
        return podcasts.map((podcast) => toPodcastJson(podcast, base))
      },
      {
        params: TagFile,
        response: { 200: t.Array(PodcastModel, { description: 'Most subscribed first, then by title.' }), ...errors },
        detail: operation('Directory', '/api/2/tag/{tag}/{count}.json', 'listPodcastsOfTag', 'List podcasts of a tag', {
          'x-credentials': 'none',
          'x-response': json([PODCAST_EXAMPLE]),
          'x-refusals': noNumber,
        }),
      },
    )
    .get(
      '/suggestions/:count',
      async ({ request, principal, params, query }) => {
        checkScale(query.scale_logo)
        const { name, format } = listFile(params.count)
        const suggestions = await directory.suggestions(principal.user.id, parseCount(name))
        const head = headOf(request, `Suggestions for ${principal.user.username}`)
        return podcastListResponse(format, suggestions.map(toSuggested), head, query.jsonp, toSuggestedJson)
      },
      {
        auth: 'user',
        params: CountFile,
        query: ListQuery,
        response: {
          200: t.Array(Suggested, { description: 'Best first; nothing the user is subscribed to.' }),
          404: ErrorModel,
          ...protectedErrors,
        },
        detail: operation(
          'Directory',
          '/suggestions/{count}.{format}',
          'listSuggestions',
          'List what the user might like',
          {
            description: 'Podcasts with the tags that most of the subscriptions of the user carry.',
            'x-formats': LIST_FORMATS,
            'x-response': written([{ ...PODCAST_EXAMPLE, because: ['Society & Culture'] }]),
            'x-refusals': noNumber,
          },
        ),
      },
    )
}

const noNumber = {
  404: { description: 'The path names no number.', error: 'not_found', message: 'no such resource' },
} as const

function toRankedJson(podcast: RankedPodcast, base: string) {
  return { ...toPodcastJson(podcast, base), position_last_week: podcast.positionLastWeek }
}

type SuggestedPodcast = Suggestion['podcast'] & { readonly because: readonly string[] }

function toSuggested({ podcast, because }: Suggestion): SuggestedPodcast {
  return { ...podcast, because }
}

function toSuggestedJson(podcast: SuggestedPodcast, base: string) {
  return { ...toPodcastJson(podcast, base), because: podcast.because }
}

/** Clamped (docs/protocol.md#D19); what is no number names no resource. */
function parseCount(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new DomainError('not_found', 'no such resource')
  return Math.min(COUNT_MAX, Math.max(1, Number(text)))
}
