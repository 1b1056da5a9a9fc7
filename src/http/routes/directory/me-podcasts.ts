import { Elysia, t } from 'elysia'
import type { MyPodcasts } from '../../../domain/directory/podcasts.ts'
import type { FeedTrace } from '../../../domain/feeds/ports.ts'
import { failureMessage, stateOf } from '../../../domain/feeds/status.ts'
import { mapList } from '../../../domain/shared/lists.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import { type AuthGuard, authPlugin } from '../../auth.ts'
import { json, operation } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { jsonResponse } from '../../responses/list-response.ts'
import { PODCAST_EXAMPLE } from '../../spec/shared/list-examples.ts'
import { ErrorModel, protectedErrors } from '../../spec/shared/models.ts'
import { PodcastModel, toPodcastJson } from '../../spec/shared/podcast-json.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const state = t.Union([t.Literal('ok'), t.Literal('failing'), t.Literal('gone'), t.Literal('new')], {
  description:
    '`failing` if the last fetch of the feed failed, `gone` if its server says that it will not come back, `new` if it has not been fetched yet.',
})
const added = t.String({ description: 'Since when some device has it, UTC; empty if that is not known.' })
const newest_release = t.String({ description: 'Of its newest episode, UTC; empty if that is not known.' })
const isPrivate = t.Boolean({ description: 'Whether it is hidden from people who do not have it.' })
const since = t.String({ description: 'Since when fetching it fails, UTC; empty if it does not.' })

const SubscribedList = t.Array(
  objectSchema({
    ...PodcastModel.properties,
    description: t.String({ description: 'Of a long one the beginning.' }),
    devices: t.Array(t.String(), { description: 'IDs of those that have it, oldest first.' }),
    added,
    newest_release,
    private: isPrivate,
    health: objectSchema({ state, since }),
  }),
  { description: 'What all devices together are subscribed to, each podcast once, longest held first.' },
)

const OwnPodcast = objectSchema(
  {
    url: t.String({ description: 'Feed URL, as the server keeps it.' }),
    subscribed: t.Boolean({ description: 'Whether any device has it.' }),
    devices: t.Array(
      objectSchema({
        id: t.String(),
        caption: t.String(),
        type: t.String({ description: 'mobile, laptop, desktop, server or other' }),
        subscribed: t.Boolean(),
      }),
      { description: 'All devices, oldest first.' },
    ),
    added,
    newest_release,
    private: isPrivate,
    health: objectSchema({
      state,
      since,
      last_checked: t.String({ description: 'UTC; empty if never.' }),
      last_success: t.String({ description: 'UTC; empty if never.' }),
      reason: t.String({ description: 'Why it fails: a stable word; empty if it does not. There may be new ones.' }),
      cause: t.String({ description: 'The same as English text for people.' }),
    }),
  },
  { description: 'What the server knows of the podcast beside what its feed says.' },
)

const FEED = 'https://feeds.tidewater.example/harbour.xml'
const LIST_PATH = '/api/2/me/subscriptions'
const PODCAST_PATH = '/api/2/me/podcast'

const ListQuery = objectSchema({
  state: t.Optional(
    t.Literal('new', { description: 'Only those whose feed has not been fetched yet: little to ask for often.' }),
  ),
})

const PodcastQuery = objectSchema({
  url: t.Optional(t.String({ description: 'The URL of the feed; needed.', examples: [FEED] })),
})

/** One's own podcasts, as pages show them. */
export function mePodcastRoutes(myPodcasts: MyPodcasts, authGuard: AuthGuard, origins: Origins) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      LIST_PATH,
      async ({ request, principal, query }) => {
        const base = origins.baseOf(request)
        const list = await myPodcasts.list(principal.user.id, query.state === 'new')
        const objects = mapList(list, (own) => ({
          ...toPodcastJson(own.podcast, base),
          devices: [...own.devices],
          added: textOf(own.addedAt),
          newest_release: textOf(own.newestRelease),
          private: own.isPrivate,
          health: healthOf(own.trace),
        }))
        return jsonResponse('json', objects)
      },
      {
        auth: 'user',
        query: ListQuery,
        response: { 200: SubscribedList, ...protectedErrors },
        detail: operation('Subscriptions', LIST_PATH, 'listOwnSubscriptions', 'Read the own list with all about it', {
          description:
            'Everything that a page of the own podcasts shows, in one answer. The title of a feed that has not been fetched is what the user’s own list called it, or else its URL.',
          'x-response': json([
            {
              ...PODCAST_EXAMPLE,
              devices: ['ida-pixel', 'ida-desk'],
              added: '2025-03-01T18:20:00',
              newest_release: '2025-03-02T06:00:00',
              private: false,
              health: { state: 'ok', since: '' },
            },
          ]),
        }),
      },
    )
    .get(
      PODCAST_PATH,
      async ({ principal, query }) => {
        const own = await myPodcasts.find(principal.user.id, query.url ?? '')
        const { checkedAt, succeededAt, reason } = own.trace
        const devices = own.devices.map(({ uid, caption, type, isSubscribed }) => ({
          id: uid,
          caption,
          type,
          subscribed: isSubscribed,
        }))
        return {
          url: own.url,
          subscribed: devices.some(({ subscribed }) => subscribed),
          devices,
          added: textOf(own.addedAt),
          newest_release: textOf(own.newestRelease),
          private: own.isPrivate,
          health: {
            ...healthOf(own.trace),
            last_checked: textOf(checkedAt),
            last_success: textOf(succeededAt),
            reason: reason ?? '',
            cause: reason === undefined ? '' : failureMessage(reason),
          },
        }
      },
      {
        auth: 'user',
        query: PodcastQuery,
        response: { 200: OwnPodcast, 404: ErrorModel, ...protectedErrors },
        detail: operation('Subscriptions', PODCAST_PATH, 'getOwnPodcast', 'Read which devices have a podcast', {
          description: 'And how fetching its feed goes. What the feed says is at `/api/2/data/podcast.json`.',
          'x-response': json({
            url: FEED,
            subscribed: true,
            devices: [
              { id: 'ida-pixel', caption: 'Ida’s phone', type: 'mobile', subscribed: true },
              { id: 'ida-desk', caption: 'ida-desk', type: 'other', subscribed: false },
            ],
            added: '2025-03-01T18:20:00',
            newest_release: '2025-02-23T06:00:00',
            private: false,
            health: {
              state: 'failing',
              since: '2025-03-02T08:00:00',
              last_checked: '2025-03-02T10:00:00',
              last_success: '2025-03-02T06:00:00',
              reason: 'timeout',
              cause: failureMessage('timeout'),
            },
          }),
          'x-refusals': {
            404: {
              description: 'The user has never had such a podcast.',
              error: 'unknown_podcast',
              message: 'you have never had this podcast',
            },
          },
        }),
      },
    )
}

function healthOf(trace: FeedTrace) {
  return { state: stateOf(trace), since: textOf(trace.failingSince) }
}

function textOf(seconds: number | undefined): string {
  return seconds === undefined ? '' : formatTimestamp(seconds)
}
