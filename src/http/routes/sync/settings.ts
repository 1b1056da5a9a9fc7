import type { Principal } from '../../../domain/accounts/authentication.ts'
import { invalid } from '../../../domain/shared/errors.ts'
import { isExactNumber } from '../../../domain/shared/exact-json.ts'
import type { SettingsTarget } from '../../../domain/sync/settings.ts'
import { type Done, noteActivity } from '../../activity.ts'
import { get, post, type Route } from '../../endpoint.ts'
import { itemsOf, jsonName, noteLastSeen } from '../../requests.ts'
import { TextResponse } from '../../responses/text-response.ts'
import type { RouteParts } from '../../services.ts'
import * as spec from '../../spec/sync/settings.ts'

const PATH = '/api/2/settings/:username/:scope.json'

/** docs/protocol.md#settings. Values are sent as their stored text: parsing would change numbers. */
export function settingsRoutes({ settings, lastSeen, activity }: RouteParts): Route[] {
  function note(principal: Principal, { scope, device }: SettingsTarget, done: Done): void {
    const named = scope === 'device' ? device : undefined
    if (named !== undefined) noteLastSeen(lastSeen, principal, named)
    noteActivity(activity, principal, { ...done, device: named })
  }

  return [
    get(PATH, 'self', spec.getSettings, async ({ principal, params, query }) => {
      const target = { ...query, scope: jsonName(params.scope) }
      const found = await settings.read(principal.user.id, target)
      note(principal, target, { kind: 'fetched_settings' })
      return new TextResponse(found, 'application/json')
    }),
    post(PATH, 'self', spec.changeSettings, async ({ principal, params, query, body }) => {
      const set = body.set ?? {}
      const remove = itemsOf(body.remove)
      refuseNumber('body', body)
      refuseNumber('set', set)
      const target = { ...query, scope: jsonName(params.scope) }
      const changed = await settings.change(principal.user.id, target, { set, remove })
      const keys = [...Object.keys(set), ...remove]
      if (!isAboutWebClient(keys)) note(principal, target, { kind: 'sent_settings', items: keys.length })
      return new TextResponse(changed, 'application/json')
    }),
  ]
}

/** Whether all keys are private to the web client, and therefore reveal nothing about how apps sync. */
function isAboutWebClient(keys: readonly string[]): boolean {
  return keys.length > 0 && keys.every((key) => key.startsWith('podstep.'))
}

/** The schema mistakes exact numbers for objects. */
function refuseNumber(field: string, value: unknown): void {
  if (isExactNumber(value)) throw invalid(field, `${field} must be an object`)
}
