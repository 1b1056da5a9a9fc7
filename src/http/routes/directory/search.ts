import { isFeedAddress } from '../../../domain/directory/directory.ts'
import type { ExternalAnswer, ExternalPodcast } from '../../../domain/directory/external.ts'
import { invalid } from '../../../domain/shared/errors.ts'
import { parseListFormat } from '../../../formats/negotiate.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { checkScale, lookupPrincipalOf } from '../../requests.ts'
import { allowCaching, allowCachingFor, markPublic } from '../../responses/caching.ts'
import { podcastListResponse } from '../../responses/list-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/directory/search.ts'
import { toPodcastJson } from '../../spec/shared/podcast.ts'
import { toItemJson } from './inbox.ts'

const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?$/
const MAX = 50
const USUAL = 20

/** docs/protocol.md#directory. */
export function searchRoutes({ search, origins, clock }: RouteParts): Route[] {
  return [
    get('/search.:format', 'optional', spec.search, async ({ request, principal, params, query, set }) => {
      checkScale(query.scale_logo)
      const format = parseListFormat(params.format)
      // A page of another site may load JSONP as a script, and the browser sends the cookie.
      const reader = format === 'jsonp' ? undefined : principal
      const podcasts = await search.local(query.q ?? '', lookupPrincipalOf(request, reader, origins))
      const head = { title: 'Search results', now: clock.seconds(), base: origins.baseOf(request) }
      const response = podcastListResponse(format, podcasts, head, query.jsonp)
      if (!reader) markPublic(set)
      if (isLasting(query.q, podcasts)) allowCachingFor(reader, set)
      return response
    }),
    get('/api/2/search/all', 'optional', spec.searchAll, async ({ request, principal, query: { q }, set }) => {
      const { local, external } = await search.everywhere(q ?? '', lookupPrincipalOf(request, principal, origins))
      setStateHeader(set, external)
      if (external.state !== 'error' && isLasting(q, local)) allowCachingFor(principal, set)
      const base = origins.baseOf(request)
      return {
        local: local.map((podcast) => toPodcastJson(podcast, base)),
        external: external.podcasts.map(toExternalJson),
      }
    }),
  ]
}

/** docs/protocol.md#D115: podcasts, episodes and history of the user. */
export function ownSearchRoutes({ ownSearch, origins }: RouteParts): Route[] {
  return [
    get('/api/2/me/search', 'user', spec.searchOwn, async ({ request, principal: { user }, query: { q } }) => {
      const { podcasts, episodes, history } = await ownSearch.find(user.id, q ?? '')
      const base = origins.baseOf(request)
      return {
        podcasts: podcasts.map((podcast) => toPodcastJson(podcast, base)),
        episodes: episodes.map((item) => toItemJson(item, base)),
        history: history.map((item) => toItemJson(item, base)),
      }
    }),
  ]
}

/** docs/protocol.md#D102: finds the podcast meant by pasted text. */
export function resolveRoutes({ resolver, origins }: RouteParts): Route[] {
  return [
    post('/api/2/me/resolve', 'user', spec.resolvePodcast, async ({ request, principal, body }) => {
      const { candidates, reason, address } = await resolver.resolve(
        principal.user.id,
        body.text ?? '',
        origins.clientAddress(request),
      )
      return {
        address,
        reason: reason ?? '',
        candidates: candidates.map(({ url, title, author, description, logoUrl }) => ({
          ...{ url, title, author, description, logo_url: logoUrl },
        })),
      }
    }),
  ]
}

/** docs/protocol.md#external-directory. Lists are empty if there is no external directory or it does not respond. */
export function externalDirectoryRoutes({ externalDirectory, origins }: RouteParts): Route[] {
  return [
    get('/api/2/search/external', 'anyone', spec.searchExternal, async ({ request, query: { q }, set }) =>
      externalList(set, await externalDirectory.search(q ?? '', origins.clientAddress(request))),
    ),
    get('/api/2/trending', 'anyone', spec.listTrending, async ({ request, query: { lang, max }, set }) => {
      const address = origins.clientAddress(request)
      return externalList(set, await externalDirectory.trending(parseLanguage(lang), parseMax(max), address))
    }),
  ]
}

/** An empty result for a URL may be temporary: the feed may not have been available. */
function isLasting(query: string | undefined, found: readonly unknown[]): boolean {
  return found.length > 0 || !isFeedAddress(query ?? '')
}

interface ResponseHeaders {
  headers: Record<string, string | number>
}

/** Reports how the request to the external directory ended (docs/protocol.md#D78). */
function setStateHeader(set: ResponseHeaders, { state }: ExternalAnswer): void {
  set.headers['x-external-directory'] = state
}

function externalList(set: ResponseHeaders, answer: ExternalAnswer) {
  setStateHeader(set, answer)
  if (answer.state !== 'error') allowCaching(set)
  return answer.podcasts.map(toExternalJson)
}

function toExternalJson({ title, url, description, author, logoUrl, language, source }: ExternalPodcast) {
  return { title, url, description, author, logo_url: logoUrl, language, source }
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
