import type { FailingFeed, FeedHealth, FeedState } from '../../../domain/feeds/ports.ts'
import { invalid } from '../../../domain/shared/errors.ts'
import type { PodcastId } from '../../../domain/shared/ids.ts'
import { formatTimestamp, timestampOrEmpty } from '../../../domain/shared/time.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { lookupPrincipalOf, pageEnvelope, parseId, parsePaging } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/feeds/feeds.ts'
import { toPodcastJson } from '../../spec/shared/podcast.ts'

const STATES: readonly FeedState[] = ['ok', 'failing', 'gone', 'new']

/** docs/protocol.md#administration: feeds, with private ones redacted. */
export function feedRoutes({ feeds, feedHealth, lookup, origins }: RouteParts): Route[] {
  return [
    get('/api/admin/feeds/status', 'admin', spec.getFeedsStatus, async () => {
      const { progress, total, failingTotal, failing } = await feeds.status()
      return {
        running: progress.isRunning,
        done: progress.done,
        failed: progress.failed,
        total: progress.isRunning ? progress.total : total,
        failing_total: failingTotal,
        failing: failing.map(toFailingJson),
      }
    }),
    post('/api/admin/feeds/update', 'admin', spec.refreshFeeds, () => feeds.refreshAll()),
    post('/api/admin/feeds/update/single', 'admin', spec.refreshFeed, async ({ request, principal, query }) => {
      const { url = '' } = query
      const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
      // Administrators may not see private feeds of others either (docs/protocol.md#D56).
      await lookup.get(url, lookupPrincipal)
      const { podcast, episodes } = await feeds.refresh(url)
      // The refresh may have found that the feed is private.
      await lookup.get(url, lookupPrincipal)
      return { status: 'ok' as const, podcast: toPodcastJson(podcast, origins.baseOf(request)), episodes }
    }),
    get('/api/admin/feeds', 'admin', spec.listFeeds, async ({ query }) => {
      const paging = parsePaging(query)
      const filter = { state: parseState(query.state), text: query.q ?? '' }
      const { total, counts, feeds } = await feedHealth.list(filter, paging.page, paging.perPage)
      return { ...pageEnvelope(paging, total), counts: { ...counts }, feeds: feeds.map(toFeedJson) }
    }),
    post('/api/admin/feeds/:id/update', 'admin', spec.refreshFeedById, async ({ params }) => {
      const { feed, episodes } = await feedHealth.refresh(parseId(params.id) as PodcastId)
      return { status: 'ok' as const, feed: toFeedJson(feed), episodes }
    }),
  ]
}

function parseState(text: string | undefined): FeedState | undefined {
  if (text === undefined || text === '') return undefined
  const state = STATES.find((each) => each === text)
  if (!state) throw invalid('state', `state must be one of ${STATES.join(', ')}`)
  return state
}

function toFeedJson(feed: FeedHealth) {
  const { id, url, title, isPrivate, subscribers, state, failure, checkedAt, succeededAt, nextCheckAt, movedTo } = feed
  return {
    id,
    url,
    title,
    private: isPrivate,
    subscribers,
    state,
    reason: failure?.reason ?? '',
    cause: failure?.message ?? '',
    failures: failure?.count ?? 0,
    since: timestampOrEmpty(failure?.since),
    last_checked: timestampOrEmpty(checkedAt),
    last_success: timestampOrEmpty(succeededAt),
    next_check: timestampOrEmpty(nextCheckAt),
    moved_to: movedTo ?? '',
  }
}

function toFailingJson({ url, isPrivate, reason, message, failures, since, nextCheckAt }: FailingFeed) {
  return {
    url,
    private: isPrivate,
    reason,
    cause: message,
    failures,
    since: formatTimestamp(since),
    next_check: formatTimestamp(nextCheckAt),
  }
}
