import type { FailingFeed, FeedHealth, FeedState } from '../../../domain/feeds/ports.ts'
import type { FeedProgress, ProgressWatcher } from '../../../domain/feeds/refresh.ts'
import { invalid } from '../../../domain/shared/errors.ts'
import type { PodcastId } from '../../../domain/shared/ids.ts'
import { formatTimestamp, timestampOrEmpty } from '../../../domain/shared/time.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { lookupPrincipalOf, pageEnvelope, parseId, parsePaging } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/feeds/feeds.ts'
import { toPodcastJson } from '../../spec/shared/podcast.ts'

const STATES: readonly FeedState[] = ['ok', 'failing', 'gone', 'new']

/**
 * docs/protocol.md#administration: feeds, by administrators. The lists show private feeds without what tells them apart
 * from others of their host.
 */
export function feedRoutes({ feeds, feedHealth, lookup, authGuard, origins }: RouteParts): Route[] {
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
    get('/api/admin/feeds/events', 'admin', spec.watchFeeds, ({ request }) =>
      streamProgress(feeds.watch(), () => authGuard.isStillAdmin(request)),
    ),
    post('/api/admin/feeds/update', 'admin', spec.refreshFeeds, () => feeds.refreshAll()),
    post('/api/admin/feeds/update/single', 'admin', spec.refreshFeed, async ({ request, principal, query }) => {
      const { url = '' } = query
      const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
      // What is private to others is not for administrators either (docs/protocol.md#D56).
      await lookup.known(url, lookupPrincipal)
      const { podcast, episodes } = await feeds.refresh(url)
      // It may have said just now that it is private.
      await lookup.known(url, lookupPrincipal)
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

const encoder = new TextEncoder()

/** Heartbeats after which the stream ends; browsers reconnect, and are authenticated again. */
const HEARTBEATS_MAX = 15

/**
 * Server-sent events: one for each step that the reader has time for, and a comment when nothing happens. `mayWatch` is
 * asked before each of them, and the stream ends when it says no: a right that is taken away must not go on for as long
 * as a connection lasts.
 */
function streamProgress(watcher: ProgressWatcher, mayWatch: () => Promise<boolean>): Response {
  let heartbeats = 0

  async function mayGoOn(): Promise<boolean> {
    try {
      return await mayWatch()
    } catch (error) {
      watcher.end()
      throw error
    }
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await watcher.next()
        if (next === undefined) heartbeats++
        if (next === null || heartbeats > HEARTBEATS_MAX || !(await mayGoOn())) {
          watcher.end()
          controller.close()
        } else controller.enqueue(encoder.encode(next ? toEvent(next) : ': still here\n\n'))
      },
      cancel() {
        watcher.end()
      },
    },
    { highWaterMark: 0 },
  )
  // Proxies that collect an answer before they pass it on would keep it for ever.
  return new Response(stream, { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } })
}

function toEvent({ isRunning, done, failed, total }: FeedProgress): string {
  return `event: progress\ndata: ${JSON.stringify({ running: isRunning, done, failed, total })}\n\n`
}
