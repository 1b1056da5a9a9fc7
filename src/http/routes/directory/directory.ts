import type { RankedPodcast, Suggestion, Tag } from '../../../domain/directory/ports/directory.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import { type ListFormat, parseListFormat } from '../../../formats/negotiate.ts'
import { type Context, get, type Route } from '../../endpoint.ts'
import { checkScale, jsonName, listFile, privateListFile } from '../../requests.ts'
import { allowCaching } from '../../responses/caching.ts'
import { podcastListResponse } from '../../responses/list-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/directory/directory.ts'
import { toPodcastJson } from '../../spec/shared/podcast.ts'

const COUNT_MAX = 100
const USUAL = 50

type ToplistContext = Pick<Context<'', 'anyone', typeof spec.listToplist>, 'request' | 'query' | 'set'>

/** docs/protocol.md#directory and #suggestions: podcasts that users of this server listen to. */
export function directoryRoutes({ directory, origins, clock }: RouteParts): Route[] {
  const headOf = (request: Request, title: string) => ({ title, now: clock.seconds(), base: origins.baseOf(request) })

  async function toplist({ request, query, set }: ToplistContext, format: ListFormat, count: number) {
    const podcasts = await directory.toplist(count)
    const head = headOf(request, 'Top podcasts')
    const response = podcastListResponse(format, podcasts, head, query.jsonp, toRankedJson)
    allowCaching(set)
    return response
  }

  return [
    get('/toplist/:count.:format', 'anyone', spec.listToplist, (context) => {
      checkScale(context.query.scale_logo)
      const { name, format } = listFile(context.params.count)
      return toplist(context, format, parseCount(name))
    }),
    get('/toplist.:format', 'anyone', spec.listUsualToplist, (context) => {
      checkScale(context.query.scale_logo)
      return toplist(context, parseListFormat(context.params.format), USUAL)
    }),
    get('/api/2/tags/:count.json', 'anyone', spec.listTags, async ({ params, set }) => {
      const tags = await directory.tags(parseCount(jsonName(params.count)))
      allowCaching(set)
      return tags.map(toTagJson)
    }),
    get('/api/2/tag/:tag/:count.json', 'anyone', spec.listPodcastsOfTag, async ({ request, params, set }) => {
      const podcasts = await directory.podcastsOfTag(params.tag, parseCount(jsonName(params.count)))
      allowCaching(set)
      const base = origins.baseOf(request)
      return podcasts.map((podcast) => toPodcastJson(podcast, base))
    }),
    get('/suggestions/:count.:format', 'user', spec.listSuggestions, async ({ request, principal, params, query }) => {
      checkScale(query.scale_logo)
      const { name, format } = privateListFile(params.count)
      const suggestions = await directory.suggestions(principal.user.id, parseCount(name))
      const podcasts = suggestions.map(({ podcast, because }) => ({ ...podcast, because }))
      const head = headOf(request, `Suggestions for ${principal.user.username}`)
      return podcastListResponse(format, podcasts, head, undefined, toSuggestedJson)
    }),
  ]
}

export function toTagJson({ title, slug, usage }: Tag) {
  return { title, tag: slug, usage }
}

function toRankedJson(podcast: RankedPodcast, base: string) {
  return { ...toPodcastJson(podcast, base), position_last_week: podcast.positionLastWeek }
}

function toSuggestedJson(podcast: Suggestion['podcast'] & Pick<Suggestion, 'because'>, base: string) {
  return { ...toPodcastJson(podcast, base), because: podcast.because }
}

/** Parses and clamps a count (docs/protocol.md#D19). Throws `not_found` for anything but a number. */
function parseCount(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new DomainError('not_found', 'no such resource')
  return Math.min(COUNT_MAX, Math.max(1, Number(text)))
}
