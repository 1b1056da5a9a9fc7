import { Elysia, t } from 'elysia'
import type { Devices } from '../../domain/devices.ts'
import { authPlugin, type Gatekeeper } from '../auth.ts'
import { readOptionalJson } from '../body.ts'
import { Empty, ErrorModel, Ok, protectedErrors } from '../models.ts'
import { operation } from '../operation.ts'
import { DeviceFile, jsonName, UserFile } from '../params.ts'
import { shape } from '../shape.ts'

const DeviceList = t.Array(
  shape({
    id: t.String(),
    caption: t.String(),
    type: t.String({ description: 'mobile, laptop, desktop, server or other' }),
    subscriptions: t.Integer(),
  }),
)

const DeviceChange = shape({
  caption: t.Optional(t.String({ description: 'At most 100 characters are kept.' })),
  type: t.Optional(t.String({ description: 'mobile, laptop, desktop, server or other; tablet is stored as mobile' })),
})

const PATH = '/api/2/devices/{username}/{deviceid}.json'

/** protocol.md section 5. */
export function deviceRoutes(devices: Devices, gatekeeper: Gatekeeper) {
  const change = {
    params: DeviceFile,
    body: DeviceChange,
    response: { 200: Empty, 400: ErrorModel, 413: ErrorModel, ...protectedErrors },
    detail: operation('Devices', PATH, 'Create or change a device; only given keys change'),
  }
  const parse = ({ request }: { request: Request }) => readOptionalJson(request)

  return (
    new Elysia()
      .use(authPlugin(gatekeeper))
      .get(
        '/api/2/devices/:username',
        async ({ caller, params }) => {
          jsonName(params.username)
          const list = await devices.list(caller.user.id)
          return list.map(({ uid, caption, type, subscriptions }) => ({ id: uid, caption, type, subscriptions }))
        },
        {
          auth: 'self',
          params: UserFile,
          response: { 200: DeviceList, ...protectedErrors },
          detail: operation('Devices', '/api/2/devices/{username}.json', 'All devices, oldest first'),
        },
      )
      .post(
        '/api/2/devices/:username/:device',
        async ({ caller, params, body }) => {
          await devices.update(caller.user.id, jsonName(params.device), body)
          return ''
        },
        { auth: 'self', parse: [parse], ...change },
      )
      // mygpoclient 1.0 used PUT.
      .put(
        '/api/2/devices/:username/:device',
        async ({ caller, params, body }) => {
          await devices.update(caller.user.id, jsonName(params.device), body)
          return ''
        },
        { auth: 'self', parse: [parse], ...change },
      )
      .delete(
        '/api/2/devices/:username/:device',
        async ({ caller, params }) => {
          await devices.remove(caller.user.id, jsonName(params.device))
          return { status: 'ok' as const }
        },
        {
          auth: 'self',
          params: DeviceFile,
          response: { 200: Ok, 400: ErrorModel, 404: ErrorModel, ...protectedErrors },
          detail: operation('Devices', PATH, 'Delete a device; the rest of its sync group keeps its subscriptions'),
        },
      )
  )
}
