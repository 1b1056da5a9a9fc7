import { Elysia, t } from 'elysia'
import type { SyncStatus } from '../../../domain/sync/ports.ts'
import type { SyncGroups } from '../../../domain/sync/sync-groups.ts'
import { type AuthGuard, authFirst, authPlugin } from '../../auth.ts'
import { readJson } from '../../body.ts'
import { json, operation } from '../../openapi/operation.ts'
import { jsonName, UserFile } from '../../requests/params.ts'
import { ErrorModel, protectedErrors, QUOTA_REMARK } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const Status = objectSchema(
  {
    synchronized: t.Array(t.Array(t.String()), { description: 'Each inner array is one sync group.' }),
    'not-synchronized': t.Array(t.String(), { description: 'The devices that are in none.' }),
  },
  { description: 'All devices, by sync group.' },
)

const EXAMPLE = json({ synchronized: [['ida-pixel', 'ida-desk']], 'not-synchronized': ['ida-car'] })

const Request = objectSchema({
  synchronize: t.Optional(
    t.Array(t.Array(t.String()), { description: 'Devices to bring together; groups they are in already merge.' }),
  ),
  'stop-synchronize': t.Optional(t.Array(t.String(), { description: 'Devices that leave their group.' })),
})

const PATH = '/api/2/sync-devices/{username}.json'

/** docs/protocol.md#sync-groups. */
export function syncDeviceRoutes(syncGroups: SyncGroups, authGuard: AuthGuard) {
  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/api/2/sync-devices/:username',
      async ({ principal, params }) => {
        jsonName(params.username)
        return toStatus(await syncGroups.status(principal.user.id))
      },
      {
        auth: 'self',
        params: UserFile,
        response: { 200: Status, ...protectedErrors },
        detail: operation('Devices', PATH, 'getSyncGroups', 'List the sync groups', { 'x-response': EXAMPLE }),
      },
    )
    .post(
      '/api/2/sync-devices/:username',
      async ({ principal, params, body }) => {
        jsonName(params.username)
        const { synchronize = [], 'stop-synchronize': stop = [] } = body
        return toStatus(await syncGroups.regroup(principal.user.id, { synchronize, stop }))
      },
      {
        auth: 'self',
        params: UserFile,
        parse: [authFirst(authGuard, 'self', readJson)],
        body: Request,
        response: { 200: Status, 404: ErrorModel, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Devices', PATH, 'changeSyncGroups', 'Form, merge and leave sync groups', {
          description:
            'Members of a group get the union of their subscriptions at once; later changes reach all of them. A device that leaves keeps what it has.',
          'x-request': json({ synchronize: [['ida-pixel', 'ida-desk']], 'stop-synchronize': ['ida-car'] }),
          'x-response': EXAMPLE,
          'x-refusals': {
            409: QUOTA_REMARK,
            404: {
              description: 'One of the devices does not exist; nothing was changed.',
              error: 'unknown_device',
              message: 'unknown device: ida-car',
            },
          },
        }),
      },
    )
}

function toStatus({ synchronized, notSynchronized }: SyncStatus) {
  return { synchronized, 'not-synchronized': notSynchronized }
}
