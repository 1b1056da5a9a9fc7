import { Elysia, t } from 'elysia'
import type { Principal } from '../../../domain/accounts/authentication.ts'
import { DomainError } from '../../../domain/shared/errors.ts'
import type { LastSeen } from '../../../domain/sync/last-seen.ts'
import type { Subscriptions } from '../../../domain/sync/subscriptions.ts'
import { readList } from '../../../formats/lists.ts'
import { LIST_FORMATS, splitSuffix } from '../../../formats/negotiate.ts'
import type { Clock } from '../../../platform/clock.ts'
import { type AuthGuard, authFirst, authPlugin } from '../../auth.ts'
import { type BodyReader, readAnyText, readText } from '../../body.ts'
import { operation, type RouteDocs } from '../../openapi/operation.ts'
import type { Origins } from '../../origin.ts'
import { checkScale, ListQuery, listFile } from '../../requests/list-request.ts'
import { DeviceFile, UserFile } from '../../requests/params.ts'
import { noteLastSeen } from '../../requests/principal.ts'
import { jsonResponse, podcastListResponse, podcastsResponse, urlsResponse } from '../../responses/list-response.ts'
import { DEVICE_LIST_EXAMPLES, UPLOAD_EXAMPLES, USER_LIST_EXAMPLES } from '../../spec/shared/list-examples.ts'
import { Empty, ErrorModel, protectedErrors, QUOTA_REMARK } from '../../spec/shared/models.ts'
import { PodcastModel } from '../../spec/shared/podcast-json.ts'

const USER_PATH = '/subscriptions/{username}.{format}'
const DEVICE_PATH = '/subscriptions/{username}/{deviceid}.{format}'

export interface SubscriptionListParts {
  readonly subscriptions: Subscriptions
  readonly lastSeen: LastSeen
  readonly authGuard: AuthGuard
  readonly origins: Origins
  readonly clock: Clock
}

interface Replacement {
  readonly request: Request
  readonly principal: Principal
  readonly params: { readonly device: string }
  readonly body: string
}

/** The Simple API: whole lists (docs/protocol.md#reading-lists and #replacing-a-list). */
export function subscriptionListRoutes({ subscriptions, lastSeen, authGuard, origins, clock }: SubscriptionListParts) {
  const headOf = (request: Request, { user }: Principal) => ({
    title: `Subscriptions of ${user.username}`,
    now: clock.seconds(),
    base: origins.baseOf(request),
  })

  async function replace({ request, principal, params, body }: Replacement) {
    const { name, format } = listFile(params.device)
    await subscriptions.replace(principal.user.id, name, readList(format, body))
    noteLastSeen(lastSeen, request, principal, name)
    return ''
  }
  const upload = {
    params: DeviceFile,
    body: t.String({ description: 'The list in the format of the suffix: json, txt or opml.' }),
    response: { 200: Empty, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
  }
  const about: RouteDocs = {
    description:
      'The list becomes exactly the given one, for the device and its whole sync group. A device that does not exist is made. What is no usable feed URL is skipped. Titles in OPML, and in JSON objects, are shown to this user alone, until the feeds say theirs. At most 20,000 feeds in a request.',
    'x-formats': ['json', 'txt', 'opml'],
    'x-request': UPLOAD_EXAMPLES,
    'x-refusals': {
      409: QUOTA_REMARK,
      400: {
        description: 'The body cannot be read as the suffix says; nothing was changed.',
        error: 'invalid_json',
        message: 'the body is not valid JSON',
      },
    },
  }
  const parse = authFirst(authGuard, 'self', readUploaded)

  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/subscriptions/:username',
      async ({ request, principal, params, query }) => {
        checkScale(query.scale_logo)
        const { format } = listFile(params.username)
        const podcasts = await subscriptions.listUser(principal.user.id)
        return podcastListResponse(format, podcasts, headOf(request, principal), query.jsonp)
      },
      {
        auth: 'self',
        params: UserFile,
        query: ListQuery,
        response: {
          200: t.Array(PodcastModel, { description: 'The list, in the format of the suffix.' }),
          ...protectedErrors,
        },
        detail: operation('Subscriptions', USER_PATH, 'listUserSubscriptions', 'Read the list of a user', {
          description: 'What all devices together are subscribed to, each podcast once.',
          'x-formats': LIST_FORMATS,
          'x-response': USER_LIST_EXAMPLES,
        }),
      },
    )
    .get(
      '/subscriptions/:username/:device',
      async ({ request, principal, params, query }) => {
        checkScale(query.scale_logo)
        const { name, format } = listFile(params.device)
        const { id } = principal.user
        if (format === 'json' || format === 'jsonp' || format === 'txt') {
          const urls = known(await subscriptions.listDevice(id, name))
          noteLastSeen(lastSeen, request, principal, name)
          return format === 'txt' ? urlsResponse(urls) : jsonResponse(format, urls, query.jsonp)
        }
        const podcasts = known(await subscriptions.listDevicePodcasts(id, name))
        noteLastSeen(lastSeen, request, principal, name)
        return podcastsResponse(format, podcasts, headOf(request, principal))
      },
      {
        auth: 'self',
        params: DeviceFile,
        query: ListQuery,
        response: {
          200: t.Array(t.String(), { description: 'The list, in the format of the suffix.' }),
          404: ErrorModel,
          ...protectedErrors,
        },
        detail: operation('Subscriptions', DEVICE_PATH, 'listDeviceSubscriptions', 'Read the list of a device', {
          description: 'As JSON these are bare feed URLs.',
          'x-formats': LIST_FORMATS,
          'x-response': DEVICE_LIST_EXAMPLES,
        }),
      },
    )
    .put('/subscriptions/:username/:device', replace, {
      auth: 'self',
      parse: [parse],
      ...upload,
      detail: operation('Subscriptions', DEVICE_PATH, 'replaceSubscriptions', 'Replace the list of a device', about),
    })
    .post('/subscriptions/:username/:device', replace, {
      auth: 'self',
      parse: [parse],
      ...upload,
      detail: operation('Subscriptions', DEVICE_PATH, 'postSubscriptions', 'The same as `PUT`', about),
    })
}

/** JSON and lines are UTF-8; XML says what it is in. */
const readUploaded: BodyReader<string> = (request, room, { device = '' }) =>
  splitSuffix(device).suffix === 'opml' ? readAnyText(request, room) : readText(request, room)

/** docs/protocol.md#D38: apps look this way whether a device exists. */
function known<T>(list: T | undefined): T {
  if (list === undefined) throw new DomainError('unknown_device', 'unknown device')
  return list
}
