import { Elysia, t } from 'elysia'
import type { Subscriptions } from '../../domain/subscriptions.ts'
import { parseSince } from '../../domain/time.ts'
import { authPlugin, type Gatekeeper } from '../auth.ts'
import { readJson } from '../body.ts'
import { ErrorModel, protectedErrors, SinceQuery, Timestamp, UpdateUrls } from '../models.ts'
import { operation } from '../operation.ts'
import { DeviceFile, jsonName } from '../params.ts'
import { requesterOf } from '../requester.ts'
import { shape } from '../shape.ts'

const Urls = t.Array(t.Union([t.String(), t.Null()]))

const Upload = shape({
  add: t.Optional(t.Union([Urls, t.Null()])),
  remove: t.Optional(t.Union([Urls, t.Null()])),
})

const Uploaded = shape({ timestamp: Timestamp, update_urls: UpdateUrls })

const Changes = shape({ add: t.Array(t.String()), remove: t.Array(t.String()), timestamp: Timestamp })

const PATH = '/api/2/subscriptions/{username}/{deviceid}.json'

/** The Advanced API: deltas (protocol.md 8.4 and 8.5). */
export function subscriptionRoutes(subscriptions: Subscriptions, gatekeeper: Gatekeeper) {
  return new Elysia()
    .use(authPlugin(gatekeeper))
    .get(
      '/api/2/subscriptions/:username/:device',
      ({ caller, params, query }) =>
        subscriptions.changesSince(requesterOf(caller), jsonName(params.device), parseSince(query.since)),
      {
        auth: 'self',
        params: DeviceFile,
        query: SinceQuery,
        response: { 200: Changes, 400: ErrorModel, ...protectedErrors },
        detail: operation('Subscriptions', PATH, 'What changed on a device since its last fetch'),
      },
    )
    .post(
      '/api/2/subscriptions/:username/:device',
      async ({ caller, params, body }) => {
        const change = { add: texts(body.add), remove: texts(body.remove) }
        const device = jsonName(params.device)
        const { timestamp, updateUrls } = await subscriptions.upload(requesterOf(caller), device, change)
        return { timestamp, update_urls: updateUrls }
      },
      {
        auth: 'self',
        params: DeviceFile,
        parse: [({ request }) => readJson(request)],
        body: Upload,
        response: { 200: Uploaded, 400: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Subscriptions', PATH, 'Upload changes of a device; its sync group gets them too'),
      },
    )
}

/** Nulls inside and instead of a list are dropped (protocol.md 8.4). */
function texts(list: readonly (string | null)[] | null | undefined): string[] {
  return (list ?? []).filter((item) => item !== null)
}
