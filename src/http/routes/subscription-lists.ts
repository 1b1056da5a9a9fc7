import { Elysia, t } from 'elysia'
import type { Caller } from '../../domain/authentication.ts'
import { DomainError, invalid } from '../../domain/errors.ts'
import type { Subscriptions } from '../../domain/subscriptions.ts'
import { readList } from '../../formats/lists.ts'
import { type ListFormat, parseListFormat, splitSuffix } from '../../formats/negotiate.ts'
import type { Clock } from '../../platform/clock.ts'
import { authPlugin, type Gatekeeper } from '../auth.ts'
import { readText } from '../body.ts'
import { listResponse } from '../list-response.ts'
import { Empty, ErrorModel, protectedErrors } from '../models.ts'
import { operation } from '../operation.ts'
import type { Origins } from '../origin.ts'
import { DeviceFile, UserFile } from '../params.ts'
import { PodcastModel, toPodcastJson } from '../podcast-json.ts'
import { shape } from '../shape.ts'

const ListQuery = shape({
  jsonp: t.Optional(t.String({ description: 'Name of the function, for suffix jsonp.' })),
  scale_logo: t.Optional(t.String({ description: '1 to 256; checked, but logos are not scaled.' })),
})

const DEVICE_PATH = '/subscriptions/{username}/{deviceid}.{format}'
const MEDIA = 'application/json, application/javascript, text/plain, text/xml, application/xml'

export interface SubscriptionListParts {
  readonly subscriptions: Subscriptions
  readonly gatekeeper: Gatekeeper
  readonly origins: Origins
  readonly clock: Clock
}

/** The Simple API: whole lists (protocol.md 8.2 and 8.3). */
export function subscriptionListRoutes({ subscriptions, gatekeeper, origins, clock }: SubscriptionListParts) {
  const titleFor = ({ user }: Caller) => `Subscriptions of ${user.username}`

  async function replace({ caller, params, body }: { caller: Caller; params: { device: string }; body: string }) {
    const { name, format } = listFile(params.device)
    await subscriptions.replace(caller.user.id, name, readList(format, body))
    return ''
  }
  const upload = {
    params: DeviceFile,
    body: t.String({ description: 'The list in the format of the suffix: json, txt or opml.' }),
    response: { 200: Empty, 400: ErrorModel, 413: ErrorModel, ...protectedErrors },
    detail: operation('Subscriptions', DEVICE_PATH, 'Replace the list of a device and its sync group', {
      'x-media': { request: 'application/json, text/plain, text/xml' },
    }),
  }
  const parse = ({ request }: { request: Request }) => readText(request)

  return new Elysia()
    .use(authPlugin(gatekeeper))
    .get(
      '/subscriptions/:username',
      async ({ request, caller, params, query }) => {
        checkScale(query.scale_logo)
        const { format } = listFile(params.username)
        const podcasts = await subscriptions.listUser(caller.user.id)
        const base = origins.baseOf(request)
        return listResponse(format, {
          podcasts,
          json: () => podcasts.map((podcast) => toPodcastJson(podcast, base)),
          title: titleFor(caller),
          now: clock.seconds(),
          base,
          callback: query.jsonp,
        })
      },
      {
        auth: 'self',
        params: UserFile,
        query: ListQuery,
        response: { 200: t.Array(PodcastModel), 400: ErrorModel, ...protectedErrors },
        detail: operation(
          'Subscriptions',
          '/subscriptions/{username}.{format}',
          'All subscriptions of a user, each once',
          {
            'x-media': { response: MEDIA },
          },
        ),
      },
    )
    .get(
      '/subscriptions/:username/:device',
      async ({ request, caller, params, query }) => {
        checkScale(query.scale_logo)
        const { name, format } = listFile(params.device)
        const podcasts = await subscriptions.listDevicePodcasts(caller.user.id, name)
        if (!podcasts) throw new DomainError('unknown_device', 'unknown device')
        return listResponse(format, {
          podcasts,
          json: () => podcasts.map(({ url }) => url),
          title: titleFor(caller),
          now: clock.seconds(),
          base: origins.baseOf(request),
          callback: query.jsonp,
        })
      },
      {
        auth: 'self',
        params: DeviceFile,
        query: ListQuery,
        response: { 200: t.Array(t.String()), 400: ErrorModel, 404: ErrorModel, ...protectedErrors },
        detail: operation('Subscriptions', DEVICE_PATH, 'The feed URLs of a device', {
          'x-media': { response: MEDIA },
        }),
      },
    )
    .put('/subscriptions/:username/:device', replace, { auth: 'self', parse: [parse], ...upload })
    .post('/subscriptions/:username/:device', replace, { auth: 'self', parse: [parse], ...upload })
}

/** Without a suffix a list is JSON (protocol.md D40). Throws `invalid_format`. */
function listFile(segment: string): { name: string; format: ListFormat } {
  const { name, suffix } = splitSuffix(segment)
  return { name, format: suffix === '' ? 'json' : parseListFormat(suffix) }
}

/** protocol.md D7: a bad size is refused whatever the format, and before anything else is looked at. */
function checkScale(raw: string | undefined): void {
  if (raw === undefined) return
  const size = /^\d{1,3}$/.test(raw) ? Number(raw) : 0
  if (size < 1 || size > 256) throw invalid('scale_logo', 'scale_logo must be an integer from 1 to 256')
}
