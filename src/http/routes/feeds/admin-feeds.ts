import { Elysia, t } from 'elysia'
import type { Podcasts } from '../../../domain/directory/podcasts.ts'
import type { FailingFeed } from '../../../domain/feeds/ports.ts'
import type { Feeds } from '../../../domain/feeds/refresh.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { adminErrors, json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { lookupPrincipalOf } from '../../requests/principal.ts'
import { PODCAST_EXAMPLE } from '../../spec/shared/list-examples.ts'
import { ErrorModel, protectedErrors } from '../../spec/shared/models.ts'
import { PodcastModel, toPodcastJson } from '../../spec/shared/podcast-json.ts'
import { objectSchema } from '../../spec/shared/schema.ts'
import { streamProgress } from './progress-stream.ts'

const Started = objectSchema(
  {
    status: t.Union([t.Literal('started'), t.Literal('running')], {
      description: '`running` if it was under way already.',
    }),
    feeds: t.Integer({ description: 'Feeds that somebody is subscribed to.' }),
  },
  { description: 'The feeds are being refreshed.' },
)

const SingleQuery = objectSchema({
  url: t.Optional(
    t.String({ description: 'The URL of the feed.', examples: ['https://feeds.tidewater.example/harbour.xml'] }),
  ),
})

const Refreshed = objectSchema(
  {
    status: t.Literal('ok'),
    podcast: PodcastModel,
    episodes: t.Integer({ description: 'How many the server knows.' }),
  },
  { description: 'What the feed says now.' },
)

const Health = objectSchema(
  {
    running: t.Boolean({ description: 'Whether all feeds are being refreshed at the moment.' }),
    done: t.Integer({ description: 'Feeds of that refresh, or the last one, which are done.' }),
    failed: t.Integer({ description: 'Those of them that could not be had.' }),
    total: t.Integer({ description: 'Feeds that somebody is subscribed to.' }),
    failing_total: t.Integer(),
    failing: t.Array(
      objectSchema({
        url: t.String({ description: 'Of a private feed only where it is, as `https://feeds.tidewater.example/…`.' }),
        private: t.Boolean({ description: 'Whether its URL may be a secret of its subscribers.' }),
        reason: t.String({ description: 'A stable word. There may be new ones.' }),
        cause: t.String({ description: 'English text for people.' }),
        failures: t.Integer({ description: 'In a row.' }),
        since: t.String({ description: 'UTC.' }),
        next_check: t.String({ description: 'UTC.' }),
      }),
      { description: 'The 100 that have failed longest.' },
    ),
  },
  { description: 'How fetching feeds goes.' },
)

export interface AdminFeedParts {
  readonly feeds: Feeds
  readonly lookup: Podcasts
  readonly authGuard: AuthGuard
  readonly origins: Origins
}

/** docs/protocol.md#administration: feeds, by administrators. */
export function adminFeedRoutes({ feeds, lookup, authGuard, origins }: AdminFeedParts) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/api/admin/feeds/status',
      async () => {
        const { progress, total, failingTotal, failing } = await feeds.status()
        return {
          running: progress.isRunning,
          done: progress.done,
          failed: progress.failed,
          total: progress.isRunning ? progress.total : total,
          failing_total: failingTotal,
          failing: failing.map(toFailingItem),
        }
      },
      {
        auth: 'admin',
        response: { 200: Health, ...protectedErrors },
        detail: operation(
          'Administration',
          '/api/admin/feeds/status',
          'getFeedsStatus',
          'Read how fetching feeds goes',
          {
            'x-response': json({
              running: true,
              done: 40,
              failed: 1,
              total: 120,
              failing_total: 1,
              failing: [
                {
                  url: 'https://feeds.tidewater.example/gone.xml',
                  private: false,
                  reason: 'not_found',
                  cause: 'the feed’s server answers 404',
                  failures: 3,
                  since: '2025-03-02T10:00:00',
                  next_check: '2025-03-02T14:00:00',
                },
              ],
            }),
            'x-refusals': adminErrors,
          },
        ),
      },
    )
    .get(
      '/api/admin/feeds/events',
      ({ request }) => streamProgress(feeds.watch(), () => authGuard.isStillAdmin(request)),
      {
        auth: 'admin',
        response: {
          200: t.String({
            description:
              'Server-sent events, the latest state first. Ends after some minutes, so ask again, and when the right to see it ends.',
          }),
          ...protectedErrors,
        },
        detail: operation(
          'Administration',
          '/api/admin/feeds/events',
          'watchFeeds',
          'Watch how a refresh of all feeds goes',
          {
            description: 'Each `progress` event holds what the status says about the refresh.',
            'x-response': {
              'text/event-stream': {
                example: 'event: progress\ndata: {"running":true,"done":40,"failed":1,"total":120}\n\n',
              },
            },
            'x-refusals': adminErrors,
          },
        ),
      },
    )
    .post('/api/admin/feeds/update', () => feeds.refreshAll(), {
      auth: 'admin',
      response: { 200: Started, ...protectedErrors },
      detail: operation('Administration', '/api/admin/feeds/update', 'refreshFeeds', 'Refresh all feeds', {
        description: 'Answers at once. Feeds that nobody is subscribed to are left alone.',
        'x-response': json({ status: 'started', feeds: 120 }),
        'x-refusals': adminErrors,
      }),
    })
    .post(
      '/api/admin/feeds/update/single',
      async ({ request, principal, query: { url = '' } }) => {
        const lookupPrincipal = lookupPrincipalOf(request, principal, origins)
        // Of what is private to others the names are not for administrators either (docs/protocol.md#D56).
        await lookup.known(url, lookupPrincipal)
        const { podcast, episodes } = await feeds.refresh(url)
        // It may have said just now that it is private.
        await lookup.known(url, lookupPrincipal)
        return { status: 'ok' as const, podcast: toPodcastJson(podcast, origins.baseOf(request)), episodes }
      },
      {
        auth: 'admin',
        query: SingleQuery,
        response: { 200: Refreshed, 404: ErrorModel, 422: ErrorModel, 502: ErrorModel, ...protectedErrors },
        detail: operation('Administration', '/api/admin/feeds/update/single', 'refreshFeed', 'Refresh one feed', {
          description:
            'Answers when it is done. Feeds that are private to others are refreshed by their number alone: `/api/admin/feeds/{id}/update`.',
          'x-response': json({ status: 'ok', podcast: PODCAST_EXAMPLE, episodes: 41 }),
          'x-refusals': {
            ...adminErrors,
            404: {
              description: 'Nobody on this server has ever named such a feed, or it is private to others.',
              error: 'unknown_podcast',
              message: 'the server knows no such podcast',
            },
            502: {
              description: 'The feed could not be fetched; the message says why.',
              error: 'feed_unreachable',
              message: 'feeds.tidewater.example takes too long',
            },
          },
        }),
      },
    )
}

function toFailingItem({ url, isPrivate, reason, message, failures, since, nextCheckAt }: FailingFeed) {
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
