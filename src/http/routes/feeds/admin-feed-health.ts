import { Elysia, t } from 'elysia'
import type { FeedHealth, FeedState } from '../../../domain/feeds/ports.ts'
import type { FeedHealthReport } from '../../../domain/feeds/status.ts'
import { invalid } from '../../../domain/shared/errors.ts'
import type { PodcastId } from '../../../domain/shared/ids.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { adminErrors, json, operation } from '../../openapi/operation.ts'
import { pageEnvelope, parsePaging } from '../../requests/paging.ts'
import { IdPath, parseId } from '../../requests/params.ts'
import { ErrorModel, PAGE_PARAMETERS, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const STATES: readonly FeedState[] = ['ok', 'failing', 'gone', 'new']

const FeedItem = objectSchema({
  id: t.Integer(),
  url: t.String({ description: 'Of a private feed only where it is, as `https://feeds.tidewater.example/…`.' }),
  title: t.String({ description: 'Empty if unknown, and of a private feed.' }),
  private: t.Boolean({ description: 'Whether its URL may be a secret of its subscribers.' }),
  subscribers: t.Integer(),
  state: t.Union([t.Literal('ok'), t.Literal('failing'), t.Literal('gone'), t.Literal('new')], {
    description: '`gone` if its server says that it will not come back, `new` if it has not been asked for yet.',
  }),
  reason: t.String({ description: 'Of the last failure, a stable word; empty if all is well. There may be new ones.' }),
  cause: t.String({ description: 'The same as English text for people.' }),
  failures: t.Integer({ description: 'In a row.' }),
  since: t.String({ description: 'When they began, in UTC; empty if all is well.' }),
  last_checked: t.String({ description: 'UTC; empty if never.' }),
  last_success: t.String({ description: 'UTC; empty if never.' }),
  next_check: t.String({ description: 'UTC; empty if it has not been asked for yet.' }),
  moved_to: t.String({
    description: 'Where it says that it has gone for good; empty if it has not. Private as `url` is.',
  }),
})

const FeedPage = objectSchema(
  {
    page: t.Integer(),
    per_page: t.Integer(),
    total: t.Integer(),
    total_pages: t.Integer(),
    counts: objectSchema(
      { ok: t.Integer(), failing: t.Integer(), gone: t.Integer(), new: t.Integer() },
      { description: 'How many there are of each state, whatever `state` was asked for.' },
    ),
    feeds: t.Array(FeedItem),
  },
  {
    description: 'Feeds that somebody is subscribed to: longest failing first, then new ones, then most wanted first.',
  },
)

const FeedListQuery = objectSchema({
  state: t.Optional(t.String({ description: 'One of the states; all unless given.', examples: ['failing'] })),
  q: t.Optional(
    t.String({
      description: 'Part of URL or title; of private feeds of what is shown of the URL.',
      examples: ['tidewater'],
    }),
  ),
  ...PAGE_PARAMETERS,
})

const RefreshedFeed = objectSchema(
  { status: t.Literal('ok'), feed: FeedItem, episodes: t.Integer({ description: 'How many the server knows.' }) },
  { description: 'How the feed is now.' },
)

const example = {
  id: 7,
  url: 'https://feeds.tidewater.example/gone.xml',
  title: 'Harbour Talk',
  private: false,
  subscribers: 2,
  state: 'failing',
  reason: 'not_found',
  cause: 'the feed’s server answers 404',
  failures: 3,
  since: '2025-03-02T10:00:00',
  last_checked: '2025-03-02T12:00:00',
  last_success: '2025-03-02T09:00:00',
  next_check: '2025-03-02T16:00:00',
  moved_to: '',
}
const healthy = { ...example, state: 'ok', reason: '', cause: '', failures: 0, since: '' }

/** The feeds by how fetching them goes, private ones without what tells them apart from others of their host. */
export function adminFeedHealthRoutes(report: FeedHealthReport, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/api/admin/feeds',
      async ({ query }) => {
        const paging = parsePaging(query)
        const asked = { state: parseState(query.state), text: query.q ?? '' }
        const { total, counts, feeds } = await report.list(asked, paging.page, paging.perPage)
        return { ...pageEnvelope(paging, total), counts: { ...counts }, feeds: feeds.map(toItem) }
      },
      {
        auth: 'admin',
        query: FeedListQuery,
        response: { 200: FeedPage, ...protectedErrors },
        detail: operation('Administration', '/api/admin/feeds', 'listFeeds', 'List the feeds and how they are', {
          'x-response': json({
            page: 0,
            per_page: 20,
            total: 1,
            total_pages: 1,
            counts: { ok: 118, failing: 1, gone: 0, new: 1 },
            feeds: [example],
          }),
          'x-refusals': adminErrors,
        }),
      },
    )
    .post(
      '/api/admin/feeds/:id/update',
      async ({ params: { id } }) => {
        const { feed, episodes } = await report.refresh(parseId(id) as PodcastId)
        return { status: 'ok' as const, feed: toItem(feed), episodes }
      },
      {
        auth: 'admin',
        params: IdPath,
        response: { 200: RefreshedFeed, 404: ErrorModel, 422: ErrorModel, 502: ErrorModel, ...protectedErrors },
        detail: operation(
          'Administration',
          '/api/admin/feeds/{id}/update',
          'refreshFeedById',
          'Refresh one feed by its number',
          {
            description: 'Answers when it is done. For private feeds, too, whose URL nobody but the subscribers knows.',
            'x-response': json({ status: 'ok', feed: healthy, episodes: 41 }),
            'x-refusals': {
              ...adminErrors,
              404: {
                description: 'Nobody is subscribed to such a feed.',
                error: 'unknown_podcast',
                message: 'nobody is subscribed to such a feed',
              },
              502: {
                description: 'The feed could not be fetched; the message says why.',
                error: 'feed_unreachable',
                message: 'feeds.tidewater.example takes too long',
              },
            },
          },
        ),
      },
    )
}

function parseState(text: string | undefined): FeedState | undefined {
  if (text === undefined || text === '') return undefined
  const state = STATES.find((each) => each === text)
  if (!state) throw invalid('state', `state must be one of ${STATES.join(', ')}`)
  return state
}

function toItem(feed: FeedHealth) {
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
    since: timeOrNothing(failure?.since),
    last_checked: timeOrNothing(checkedAt),
    last_success: timeOrNothing(succeededAt),
    next_check: timeOrNothing(nextCheckAt),
    moved_to: movedTo ?? '',
  }
}

function timeOrNothing(seconds: number | undefined): string {
  return seconds === undefined ? '' : formatTimestamp(seconds)
}
