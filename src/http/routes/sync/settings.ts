import { Elysia, t } from 'elysia'
import type { Principal } from '../../../domain/accounts/authentication.ts'
import { invalid } from '../../../domain/shared/errors.ts'
import { isExactNumber } from '../../../domain/shared/exact-json.ts'
import type { LastSeen } from '../../../domain/sync/last-seen.ts'
import type { Settings, SettingsTarget } from '../../../domain/sync/settings.ts'
import { type AuthGuard, authFirst, authPlugin } from '../../auth.ts'
import { readExactJson } from '../../body.ts'
import { json, operation } from '../../openapi/operation.ts'
import { jsonName, ScopeFile } from '../../requests/params.ts'
import { noteLastSeen } from '../../requests/principal.ts'
import { TextResponse } from '../../responses/text-response.ts'
import { ErrorModel, protectedErrors } from '../../spec/shared/models.ts'
import { objectSchema } from '../../spec/shared/schema.ts'

const PODCAST = 'https://feeds.tidewater.example/harbour.xml'

const TargetQuery = objectSchema({
  device: t.Optional(t.String({ description: 'The ID of a device; needed with `device`.', examples: ['ida-pixel'] })),
  podcast: t.Optional(
    t.String({ description: 'A feed URL; needed with `podcast` and `episode`.', examples: [PODCAST] }),
  ),
  episode: t.Optional(
    t.String({
      description: 'The URL of a media file; needed with `episode`.',
      examples: ['https://cdn.tidewater.example/fog.mp3'],
    }),
  ),
})

const Change = objectSchema({
  set: t.Optional(objectSchema({}, { description: 'Any values by any keys.' })),
  remove: t.Optional(t.Array(t.String(), { description: 'Keys; those that are not there do no harm.' })),
})

const AllSettings = objectSchema({}, { description: 'All settings of the thing, by key.' })

const PATH = '/api/2/settings/{username}/{scope}.json'

const malformed = {
  description:
    'The body does not match its schema, or a parameter that the scope needs is missing or no URL; nothing was changed.',
  error: 'validation_failed',
  message: 'the parameter podcast is missing',
  field: 'podcast',
} as const

const unknown = {
  description: 'The user has no such device, or there is no such scope.',
  error: 'unknown_device',
  message: 'unknown device',
} as const

const tooMuch = {
  description:
    'The settings of this thing would be larger than 64 KiB, or the body is larger than 1 MiB; nothing was changed.',
  error: 'payload_too_large',
  message: 'these settings would be larger than 65536 bytes',
} as const

const tooMany = {
  description: 'There would be settings of more things than `max_settings` says; nothing was changed.',
  error: 'quota_exceeded',
  message:
    'an account may have 50000 things with settings (max_settings); nothing was changed: remove some first, or ask the administrator for more',
} as const

/** docs/protocol.md#settings. The values go out as the text they are stored as: reading them would change some numbers. */
export function settingsRoutes(settings: Settings, lastSeen: LastSeen, authGuard: AuthGuard) {
  function note(request: Request, principal: Principal, { scope, device }: SettingsTarget): void {
    if (scope === 'device' && device !== undefined) noteLastSeen(lastSeen, request, principal, device)
  }

  return new Elysia()
    .use(authPlugin(authGuard))
    .get(
      '/api/2/settings/:username/:scope',
      async ({ request, principal, params, query }) => {
        const target = { ...query, scope: jsonName(params.scope) }
        const found = await settings.read(principal.user.id, target)
        note(request, principal, target)
        return send(found)
      },
      {
        auth: 'self',
        params: ScopeFile,
        query: TargetQuery,
        response: { 200: AllSettings, 404: ErrorModel, ...protectedErrors },
        detail: operation('Settings', PATH, 'getSettings', 'Read settings', {
          description:
            'Of the account, a device, a podcast or an episode. Podcasts and episodes need not be known to the server.',
          'x-response': json({ speed: 1.5, public_subscription: false }),
          'x-refusals': { 400: malformed, 404: unknown },
        }),
      },
    )
    .post(
      '/api/2/settings/:username/:scope',
      async ({ request, principal, params, query, body }) => {
        const { set = {}, remove = [] } = body
        refuseNumber('body', body)
        refuseNumber('set', set)
        const target = { ...query, scope: jsonName(params.scope) }
        const changed = await settings.change(principal.user.id, target, { set, remove })
        note(request, principal, target)
        return send(changed)
      },
      {
        auth: 'self',
        params: ScopeFile,
        query: TargetQuery,
        parse: [authFirst(authGuard, 'self', readExactJson)],
        body: Change,
        response: { 200: AllSettings, 404: ErrorModel, 409: ErrorModel, 413: ErrorModel, ...protectedErrors },
        detail: operation('Settings', PATH, 'changeSettings', 'Change settings', {
          description:
            'First all of `set`, then all of `remove`; other keys stay as they are. Values are kept exactly. One key means something to the server, `public_subscription` of a podcast: if everybody who has the podcast sets it to `false`, nobody else gets to see it; a feed whose address looks like a secret is seen by others only if everybody who has it sets it to `true`.',
          'x-request': json({ set: { speed: 1.5, public_subscription: false }, remove: ['skip'] }),
          'x-response': json({ speed: 1.5, public_subscription: false }),
          'x-refusals': { 400: malformed, 404: unknown, 409: tooMany, 413: tooMuch },
        }),
      },
    )
}

/** The schema takes a number that is kept exactly for an object. */
function refuseNumber(field: string, value: unknown): void {
  if (isExactNumber(value)) throw invalid(field, `${field} must be an object`)
}

function send(settings: string): Response {
  return new TextResponse(settings, 'application/json')
}
