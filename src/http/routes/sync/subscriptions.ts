import { Elysia, t } from 'elysia'
import { isShort, type List } from '../../../domain/shared/lists.ts'
import { parseSince } from '../../../domain/shared/time.ts'
import type { LastSeen } from '../../../domain/sync/last-seen.ts'
import type { ListedFeed } from '../../../domain/sync/provisional-titles.ts'
import type { Subscriptions } from '../../../domain/sync/subscriptions.ts'
import { jsonWriter, writePieces } from '../../../formats/list-writer.ts'
import { type AuthGuard, authFirst, authPlugin } from '../../auth.ts'
import { readFeedChange } from '../../body.ts'
import { json, operation } from '../../openapi/operation.ts'
import { DeviceFile, jsonName } from '../../requests/params.ts'
import { noteLastSeen, syncClientOf } from '../../requests/principal.ts'
import { TextResponse } from '../../responses/text-response.ts'
import { streamText } from '../../responses/text-stream.ts'
import {
  ErrorModel,
  protectedErrors,
  QUOTA_REMARK,
  SinceQuery,
  Timestamp,
  UpdateUrls,
} from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const Urls = t.Array(t.Union([t.String(), t.Null()]), { description: 'Feed URLs; nulls are dropped.' })

const Upload = objectSchema({
  add: t.Optional(t.Union([Urls, t.Null()])),
  remove: t.Optional(t.Union([Urls, t.Null()])),
  titles: t.Optional(
    t.Union([t.Object({}, { additionalProperties: t.String() }), t.Null()], {
      description:
        'What the user calls podcasts, by feed URL. Shown to this user alone, and only until the feed says its title; those of feeds that the user does not have are ignored.',
    }),
  ),
})

const Uploaded = objectSchema(
  { timestamp: Timestamp, update_urls: UpdateUrls },
  { description: 'The changes are stored.' },
)

const Changes = objectSchema(
  {
    add: t.Array(t.String(), { description: 'Feed URLs subscribed to since then.' }),
    remove: t.Array(t.String(), { description: 'Feed URLs no longer subscribed to. Always empty if `since` is 0.' }),
    timestamp: Timestamp,
  },
  { description: 'The changes; no URL is in both lists.' },
)

const HARBOUR = 'https://feeds.tidewater.example/harbour.xml'

const PATH = '/api/2/subscriptions/{username}/{deviceid}.json'

/** The Advanced API: deltas (docs/protocol.md#uploading-changes and #fetching-changes). */
export function subscriptionRoutes(subscriptions: Subscriptions, lastSeen: LastSeen, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/api/2/subscriptions/:username/:device',
      async ({ request, principal, params, query }) => {
        const device = jsonName(params.device)
        const changes = await subscriptions.changesSince(syncClientOf(principal), device, parseSince(query.since))
        noteLastSeen(lastSeen, request, principal, device)
        const { add, remove, timestamp } = changes
        return isShort(add) && isShort(remove)
          ? { add: [...add], remove: [...remove], timestamp }
          : new LongChanges(add, remove, timestamp)
      },
      {
        auth: 'self',
        params: DeviceFile,
        query: SinceQuery,
        response: { 200: Changes, ...protectedErrors },
        detail: operation('Subscriptions', PATH, 'getSubscriptionChanges', 'Fetch changes', {
          description:
            'What changed since the last fetch. For a device that does not exist there is nothing to tell, and none is made.',
          'x-response': json({ add: [HARBOUR], remove: [], timestamp: 1740909601 }),
        }),
      },
    )
    .post(
      '/api/2/subscriptions/:username/:device',
      async ({ request, principal, params, body }) => {
        const change = { add: texts(body.add), remove: texts(body.remove), titled: titledFeeds(body.titles) }
        const device = jsonName(params.device)
        const { timestamp, updateUrls } = await subscriptions.upload(syncClientOf(principal), device, change)
        noteLastSeen(lastSeen, request, principal, device)
        return { timestamp, update_urls: updateUrls }
      },
      {
        auth: 'self',
        params: DeviceFile,
        parse: [authFirst(authGuard, 'self', readFeedChange)],
        body: Upload,
        response: { 200: Uploaded, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Subscriptions', PATH, 'uploadSubscriptionChanges', 'Upload changes', {
          description:
            'For the device and its whole sync group. A device that does not exist is made. At most 20,000 feeds in a request.',
          'x-request': json({
            add: ['HTTPS://Feeds.Tidewater.example/harbour.xml'],
            remove: ['https://old.example/gone.rss'],
            titles: { 'HTTPS://Feeds.Tidewater.example/harbour.xml': 'Harbour Stories' },
          }),
          'x-response': json({
            timestamp: 1740909601,
            update_urls: [['HTTPS://Feeds.Tidewater.example/harbour.xml', HARBOUR]],
          }),
          'x-refusals': {
            409: QUOTA_REMARK,
            400: {
              description: 'The body does not match its schema, or one URL is in both lists; nothing was stored.',
              error: 'validation_failed',
              message: 'the same URL must not be in add and remove',
            },
          },
        }),
      },
    )
}

/** A response that is also, for Elysia's types and checks, what the route promises: a route returns either objects or responses. */
class LongChanges extends TextResponse {
  readonly add: string[] = []
  readonly remove: string[] = []
  readonly timestamp: number

  constructor(add: List<string>, remove: List<string>, timestamp: number) {
    super(streamText(longChanges(add, remove, timestamp)), 'application/json')
    this.timestamp = timestamp
  }
}

function* longChanges(add: List<string>, remove: List<string>, timestamp: number): Iterable<string> {
  yield '{"add":'
  yield* urlsOf(add)
  yield ',"remove":'
  yield* urlsOf(remove)
  yield `,"timestamp":${timestamp}}`
}

function urlsOf(list: List<string>): Iterable<string> {
  return writePieces(
    jsonWriter((url) => url),
    isShort(list) ? [list] : list.pieces,
  )
}

/** Nulls inside and instead of a list are dropped (docs/protocol.md#uploading-changes). */
function texts(list: readonly (string | null)[] | null | undefined): string[] {
  return (list ?? []).filter((item) => item !== null)
}

function titledFeeds(titles: Readonly<Record<string, string>> | null | undefined): ListedFeed[] {
  return Object.entries(titles ?? {}).map(([url, title]) => ({ url, title }))
}
