import type { FeedKind, FeedRequest, Versioned } from '../../../domain/outlets/private-feeds.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import { splitSuffix } from '../../../formats/negotiate.ts'
import { writeRss } from '../../../formats/rss.ts'
import { get, type Route } from '../../endpoint.ts'
import { userAgentOf } from '../../requests.ts'
import { isNotModified, type ResponseSet } from '../../responses/caching.ts'
import { podcastsResponse } from '../../responses/list-response.ts'
import { TextResponse } from '../../responses/text-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/outlets/private-feeds.ts'

const RSS = 'application/rss+xml; charset=utf-8'

/** docs/protocol.md#private-feeds. */
export function privateFeedRoutes({ privateFeeds, origins }: RouteParts): Route[] {
  const toFeedRequest = (request: Request, token: string): FeedRequest => ({
    token,
    address: origins.clientAddress(request),
    userAgent: userAgentOf(request),
    base: origins.baseOf(request),
  })

  async function feed(request: Request, set: ResponseSet, token: string, kind: FeedKind): Promise<Response> {
    const from = toFeedRequest(request, token)
    const found = await privateFeeds.episodes(from, kind)
    const { modifiedAt } = found
    markPrivate(set)
    return respond(
      request,
      set,
      found,
      async (content) => new TextResponse(writeRss(content, { base: from.base, modifiedAt }), RSS),
    )
  }

  return [
    get('/feeds/:token/new.rss', 'anyone', spec.getNewEpisodesFeed, ({ request, set, params }) =>
      feed(request, set, params.token, { list: 'new' }),
    ),
    get('/feeds/:token/in-progress.rss', 'anyone', spec.getInProgressFeed, ({ request, set, params }) =>
      feed(request, set, params.token, { list: 'in_progress' }),
    ),
    get('/feeds/:token/queue.rss', 'anyone', spec.getQueueFeed, ({ request, set, params }) =>
      feed(request, set, params.token, { list: 'queue' }),
    ),
    get('/feeds/:token/tag/:tag.rss', 'anyone', spec.getTagFeed, ({ request, set, params }) => {
      const { name: tag, suffix } = splitSuffix(params.tag)
      if (suffix !== 'rss') throw new DomainError('not_found', 'no such resource')
      return feed(request, set, params.token, { list: 'tag', tag })
    }),
    get('/feeds/:token/folder/:folder.rss', 'anyone', spec.getFolderFeed, ({ request, set, params }) => {
      const { name, suffix } = splitSuffix(params.folder)
      if (suffix !== 'rss' || !/^\d{1,15}$/.test(name)) throw new DomainError('not_found', 'no such resource')
      return feed(request, set, params.token, { list: 'folder', id: Number(name) })
    }),
    get(
      '/feeds/:token/subscriptions.opml',
      'anyone',
      spec.getPrivateSubscriptions,
      async ({ request, set, params, query }) => {
        const from = toFeedRequest(request, params.token)
        const { title, podcasts, folders } = await privateFeeds.subscriptions(from, query.device)
        markPrivate(set)
        const head = { title, base: from.base, folders }
        const { modifiedAt } = podcasts
        return respond(request, set, podcasts, async (list) =>
          podcastsResponse('opml', list, { ...head, now: modifiedAt }),
        )
      },
    ),
  ]
}

/** The URL is a secret: keeps it out of shared caches, referrers and search engines. */
function markPrivate(set: ResponseSet): void {
  set.headers['cache-control'] = 'private, no-cache'
  set.headers['referrer-policy'] = 'no-referrer'
  set.headers['x-robots-tag'] = 'noindex, nofollow'
}

async function respond<T>(
  request: Request,
  set: ResponseSet,
  { version, modifiedAt, read }: Versioned<T>,
  write: (content: T) => Promise<Response>,
): Promise<Response> {
  const etag = `"${version}"`
  set.headers['etag'] = etag
  set.headers['last-modified'] = new Date(modifiedAt * 1000).toUTCString()
  return isNotModified(request, etag, modifiedAt) ? new Response(null, { status: 304 }) : write(await read())
}
