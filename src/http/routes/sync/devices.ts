import { timestampOrEmpty } from '../../../domain/shared/time.ts'
import type { Device, SyncStatus } from '../../../domain/sync/ports/devices.ts'
import { noteActivity } from '../../activity.ts'
import { type Context, del, get, post, put, type Route } from '../../endpoint.ts'
import { appOf, itemsOf, jsonName, noteLastSeen } from '../../requests.ts'
import type { RouteParts } from '../../services.ts'
import { OK } from '../../spec/shared/models.ts'
import * as spec from '../../spec/sync/devices.ts'

const DEVICE = '/api/2/devices/:username/:device.json'

/** docs/protocol.md#devices and #sync-groups. */
export function deviceRoutes({ devices, lastSeen, activity, syncGroups }: RouteParts): Route[] {
  type Update = Context<typeof DEVICE, 'self', typeof spec.updateDevice>
  async function update({ principal, params, body }: Update) {
    const device = jsonName(params.device)
    const { caption, type } = body
    await devices.update(principal.user.id, device, { caption: caption ?? undefined, type: type ?? undefined })
    noteLastSeen(lastSeen, principal, device)
    noteActivity(activity, principal, { kind: 'updated_device', device })
    return ''
  }

  return [
    get('/api/2/devices/:username.json', 'self', spec.listDevices, async ({ principal, params }) => {
      jsonName(params.username)
      const list = await devices.list(principal.user.id)
      return list.map(toDeviceJson)
    }),
    post(DEVICE, 'self', spec.updateDevice, update),
    // mygpoclient 1.0 used PUT.
    put(DEVICE, 'self', spec.putDevice, update),
    del(DEVICE, 'self', spec.deleteDevice, async ({ request, principal, params }) => {
      await devices.remove(principal.user.id, jsonName(params.device), appOf(request))
      return OK
    }),
    get('/api/2/sync-devices/:username.json', 'self', spec.getSyncGroups, async ({ principal, params }) => {
      jsonName(params.username)
      return toStatusJson(await syncGroups.status(principal.user.id))
    }),
    post(
      '/api/2/sync-devices/:username.json',
      'self',
      spec.changeSyncGroups,
      async ({ request, principal, params, body }) => {
        jsonName(params.username)
        const synchronize = itemsOf(body.synchronize).map(itemsOf)
        const stop = itemsOf(body['stop-synchronize'])
        return toStatusJson(await syncGroups.regroup(principal.user.id, { synchronize, stop }, appOf(request)))
      },
    ),
  ]
}

function toStatusJson({ synchronized, notSynchronized }: SyncStatus) {
  return { synchronized, 'not-synchronized': notSynchronized }
}

export function toDeviceJson({ uid, caption, type, subscriptions, lastSeenAt }: Device) {
  return { id: uid, caption, type, subscriptions, last_contact: timestampOrEmpty(lastSeenAt) }
}
