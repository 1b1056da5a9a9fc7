import { Elysia, t } from 'elysia'
import type { SyncStatus } from '../../domain/ports.ts'
import type { SyncGroups } from '../../domain/sync-groups.ts'
import { authPlugin, type Gatekeeper } from '../auth.ts'
import { readJson } from '../body.ts'
import { ErrorModel, protectedErrors } from '../models.ts'
import { operation } from '../operation.ts'
import { jsonName, UserFile } from '../params.ts'
import { shape } from '../shape.ts'

const Status = shape({
  synchronized: t.Array(t.Array(t.String()), { description: 'Each inner array is one sync group.' }),
  'not-synchronized': t.Array(t.String()),
})

const Request = shape({
  synchronize: t.Optional(t.Array(t.Array(t.String()))),
  'stop-synchronize': t.Optional(t.Array(t.String())),
})

const PATH = '/api/2/sync-devices/{username}.json'

/** protocol.md section 7. */
export function syncDeviceRoutes(syncGroups: SyncGroups, gatekeeper: Gatekeeper) {
  return new Elysia()
    .use(authPlugin(gatekeeper))
    .get(
      '/api/2/sync-devices/:username',
      async ({ caller, params }) => {
        jsonName(params.username)
        return toStatus(await syncGroups.status(caller.user.id))
      },
      {
        auth: 'self',
        params: UserFile,
        response: { 200: Status, ...protectedErrors },
        detail: operation('Devices', PATH, 'Which devices are in sync groups'),
      },
    )
    .post(
      '/api/2/sync-devices/:username',
      async ({ caller, params, body }) => {
        jsonName(params.username)
        const { synchronize = [], 'stop-synchronize': stop = [] } = body
        return toStatus(await syncGroups.regroup(caller.user.id, { synchronize, stop }))
      },
      {
        auth: 'self',
        params: UserFile,
        parse: [({ request }) => readJson(request)],
        body: Request,
        response: { 200: Status, 400: ErrorModel, 404: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Devices', PATH, 'Form, merge and leave sync groups', {
          description:
            'Members of a group get the union of their subscriptions at once; later changes reach all of them.',
        }),
      },
    )
}

function toStatus({ synchronized, notSynchronized }: SyncStatus) {
  return { synchronized, 'not-synchronized': notSynchronized }
}
