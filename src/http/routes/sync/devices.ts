import { Elysia, t } from 'elysia'
import type { Principal } from '../../../domain/accounts/authentication.ts'
import { formatTimestamp } from '../../../domain/shared/time.ts'
import type { Devices } from '../../../domain/sync/devices.ts'
import type { LastSeen } from '../../../domain/sync/last-seen.ts'
import { type AuthGuard, authFirst, authPlugin } from '../../auth.ts'
import { readOptionalJson } from '../../body.ts'
import { json, operation, type RouteDocs } from '../../openapi/operation.ts'
import { DeviceFile, jsonName, UserFile } from '../../requests/params.ts'
import { noteLastSeen } from '../../requests/principal.ts'
import { Empty, ErrorModel, Ok, protectedErrors, QUOTA_REMARK } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const DeviceList = t.Array(
  objectSchema({
    id: t.String(),
    caption: t.String({ description: 'The ID while nobody gave it another name.' }),
    type: t.String({ description: 'mobile, laptop, desktop, server or other' }),
    subscriptions: t.Integer({ description: 'How many there are.' }),
    last_contact: t.String({ description: 'When an app last used it, UTC; empty if that is not known.' }),
  }),
  { description: 'The devices, oldest first.' },
)

const DeviceChange = objectSchema({
  caption: t.Optional(t.String({ description: 'At most 100 characters are kept.' })),
  type: t.Optional(t.String({ description: 'mobile, laptop, desktop, server or other; tablet is stored as mobile' })),
})

interface Update {
  readonly request: Request
  readonly principal: Principal
  readonly params: { readonly device: string }
  readonly body: typeof DeviceChange.static
}

const PATH = '/api/2/devices/{username}/{deviceid}.json'

/** docs/protocol.md#devices. */
export function deviceRoutes(devices: Devices, lastSeen: LastSeen, authGuard: AuthGuard) {
  const change = {
    params: DeviceFile,
    body: DeviceChange,
    response: { 200: Empty, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
  }
  const about: RouteDocs = {
    description:
      'A device that does not exist is made. Only given keys change, so an empty body just makes sure of it.',
    'x-request': json({ caption: 'Ida’s phone', type: 'mobile' }),
    'x-body-optional': true,
    'x-refusals': { 409: QUOTA_REMARK },
  }
  const parse = authFirst(authGuard, 'self', readOptionalJson)

  async function update({ request, principal, params, body }: Update) {
    const device = jsonName(params.device)
    await devices.update(principal.user.id, device, body)
    noteLastSeen(lastSeen, request, principal, device)
    return ''
  }

  return (
    new Elysia()
      .use(authPlugin(authGuard))
      .get(
        '/api/2/devices/:username',
        async ({ principal, params }) => {
          jsonName(params.username)
          const list = await devices.list(principal.user.id)
          return list.map(({ uid, caption, type, subscriptions, lastSeenAt }) => ({
            id: uid,
            caption,
            type,
            subscriptions,
            last_contact: lastSeenAt === undefined ? '' : formatTimestamp(lastSeenAt),
          }))
        },
        {
          auth: 'self',
          params: UserFile,
          response: { 200: DeviceList, ...protectedErrors },
          detail: operation('Devices', '/api/2/devices/{username}.json', 'listDevices', 'List the devices', {
            'x-response': json([
              {
                id: 'ida-pixel',
                caption: 'Ida’s phone',
                type: 'mobile',
                subscriptions: 14,
                last_contact: '2025-03-02T10:00:00',
              },
              { id: 'ida-desk', caption: 'ida-desk', type: 'other', subscriptions: 3, last_contact: '' },
            ]),
          }),
        },
      )
      .post('/api/2/devices/:username/:device', update, {
        auth: 'self',
        parse: [parse],
        ...change,
        detail: operation('Devices', PATH, 'updateDevice', 'Create or change a device', about),
      })
      // mygpoclient 1.0 used PUT.
      .put('/api/2/devices/:username/:device', update, {
        auth: 'self',
        parse: [parse],
        ...change,
        detail: operation('Devices', PATH, 'putDevice', 'The same as `POST`, for older apps', about),
      })
      .delete(
        '/api/2/devices/:username/:device',
        async ({ principal, params }) => {
          await devices.remove(principal.user.id, jsonName(params.device))
          return { status: 'ok' as const }
        },
        {
          auth: 'self',
          params: DeviceFile,
          response: { 200: Ok, 404: ErrorModel, ...protectedErrors },
          detail: operation('Devices', PATH, 'deleteDevice', 'Delete a device', {
            description:
              'Its subscriptions go with it. It leaves its sync group, whose other members keep theirs; episode actions stay.',
            'x-response': json({ status: 'ok' }),
          }),
        },
      )
  )
}
