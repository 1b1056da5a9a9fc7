import { readList } from '../../../formats/lists.ts'
import { parseListFormat } from '../../../formats/negotiate.ts'
import { del, get, post, put, type Route } from '../../endpoint.ts'
import { checkScale, jsonName, listFile } from '../../requests.ts'
import { allowCachingFor, markPublic } from '../../responses/caching.ts'
import { podcastListResponse } from '../../responses/list-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/directory/podcast-lists.ts'

const LIST = '/api/2/lists/:username/list/:name.:format'

/** docs/protocol.md#podcast-lists. */
export function podcastListRoutes({ podcastLists, origins, clock }: RouteParts): Route[] {
  return [
    get('/api/2/lists/:username.json', 'anyone', spec.listPodcastLists, async ({ request, params, set }) => {
      const lists = await podcastLists.list(jsonName(params.username))
      markPublic(set)
      const base = origins.baseOf(request)
      return lists.map(({ owner, name, title }) => ({
        title,
        name,
        web: `${base}/user/${owner}/lists/${encodeURIComponent(name)}`,
      }))
    }),
    post(
      '/api/2/lists/:username/create.:format',
      'self',
      spec.createPodcastList,
      async ({ request, principal: { user }, params, query, body }) => {
        const feeds = readList(parseListFormat(params.format), body)
        const name = await podcastLists.create(user.id, query.title, feeds)
        const { pathname } = new URL(`${origins.baseOf(request)}/`)
        const location = `${pathname}api/2/lists/${user.username}/list/${encodeURIComponent(name)}.${params.format}`
        return new Response(null, { status: 201, headers: { location } })
      },
    ),
    get(LIST, 'optional', spec.getPodcastList, async ({ request, principal, params, query, set }) => {
      checkScale(query.scale_logo)
      const { name, format } = listFile(params.name)
      // A page of another site may load JSONP as a script, and the browser sends the cookie.
      const reader = format === 'jsonp' ? undefined : principal
      const { title, podcasts } = await podcastLists.read(params.username, name, reader?.user.id)
      const head = { title, now: clock.seconds(), base: origins.baseOf(request) }
      const response = podcastListResponse(format, podcasts, head, query.jsonp)
      if (!reader) markPublic(set)
      allowCachingFor(reader, set)
      return response
    }),
    put(LIST, 'self', spec.replacePodcastList, async ({ principal, params, body }) => {
      const { name, format } = listFile(params.name)
      await podcastLists.replace(principal.user.id, name, readList(format, body))
      return noContent()
    }),
    del(LIST, 'self', spec.deletePodcastList, async ({ principal, params }) => {
      await podcastLists.remove(principal.user.id, listFile(params.name).name)
      return noContent()
    }),
  ]
}

function noContent(): Response {
  return new Response(null, { status: 204 })
}
