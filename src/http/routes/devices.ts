import { Elysia, t } from 'elysia'
import type { Caller } from '../../domain/authentication.ts'
import type { DeviceContacts } from '../../domain/device-contacts.ts'
import type { Devices } from '../../domain/devices.ts'
import { formatTimestamp } from '../../domain/time.ts'
import { authPlugin, type Gatekeeper, guarded } from '../auth.ts'
import { readOptionalJson } from '../body.ts'
import { noteContact } from '../device-contact.ts'
import { Empty, ErrorModel, Ok, protectedErrors } from '../models.ts'
import { json, operation, type Remarks } from '../operation.ts'
import { DeviceFile, jsonName, UserFile } from '../params.ts'
import { QUOTA_REMARK } from '../quota-remark.ts'
import { shape } from '../shape.ts'

const DeviceList = t.Array(
  shape({
    id: t.String(),
    caption: t.String({ description: 'The ID while nobody gave it another name.' }),
    type: t.String({ description: 'mobile, laptop, desktop, server or other' }),
    subscriptions: t.Integer({ description: 'How many there are.' }),
    last_contact: t.String({ description: 'When an app last used it, UTC; empty if that is not known.' }),
  }),
  { description: 'The devices, oldest first.' },
)

const DeviceChange = shape({
  caption: t.Optional(t.String({ description: 'At most 100 characters are kept.' })),
  type: t.Optional(t.String({ description: 'mobile, laptop, desktop, server or other; tablet is stored as mobile' })),
})

interface Update {
  readonly request: Request
  readonly caller: Caller
  readonly params: { readonly device: string }
  readonly body: typeof DeviceChange.static
}

const PATH = '/api/2/devices/{username}/{deviceid}.json'

/** protocol.md section 5. */
export function deviceRoutes(devices: Devices, contacts: DeviceContacts, gatekeeper: Gatekeeper) {
  const change = {
    params: DeviceFile,
    body: DeviceChange,
    response: { 200: Empty, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
  }
  const about: Remarks = {
    description:
      'A device that does not exist is made. Only given keys change, so an empty body just makes sure of it.',
    'x-request': json({ caption: 'Ida’s phone', type: 'mobile' }),
    'x-body-optional': true,
    'x-refusals': { 409: QUOTA_REMARK },
  }
  const parse = guarded(gatekeeper, 'self', readOptionalJson)

  async function update({ request, caller, params, body }: Update) {
    const device = jsonName(params.device)
    await devices.update(caller.user.id, device, body)
    noteContact(contacts, request, caller, device)
    return ''
  }

  return (
    new Elysia()
      .use(authPlugin(gatekeeper))
      .get(
        '/api/2/devices/:username',
        async ({ caller, params }) => {
          jsonName(params.username)
          const list = await devices.list(caller.user.id)
          return list.map(({ uid, caption, type, subscriptions, lastContactAt }) => ({
            id: uid,
            caption,
            type,
            subscriptions,
            last_contact: lastContactAt === undefined ? '' : formatTimestamp(lastContactAt),
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
        async ({ caller, params }) => {
          await devices.remove(caller.user.id, jsonName(params.device))
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
