import { t } from 'elysia'
import { readExactJson } from '../../body.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, objectSchema, optional, optionalList, parameter } from '../shared/models.ts'

const TargetQuery = objectSchema({
  device: parameter('The ID of a device; needed with `device`.', 'ida-pixel'),
  podcast: parameter('A feed URL; needed with `podcast` and `episode`.', 'https://feeds.tidewater.example/harbour.xml'),
  episode: parameter('The URL of a media file; needed with `episode`.', 'https://cdn.tidewater.example/fog.mp3'),
})

const settings = {
  query: TargetQuery,
  response: describedObject('All settings of the scope, by key.', {}),
  example: { speed: 1.5, public_subscription: false },
}

const errors = [
  errorResponse(
    'validation_failed',
    'The body does not match its schema, or a parameter that the scope needs is missing or no URL; nothing was changed.',
    'the parameter podcast is missing',
    'podcast',
  ),
  errorResponse('unknown_device', 'The user has no such device, or there is no such scope.', 'unknown device'),
]

export const getSettings = endpoint('Settings', 'getSettings', 'Get settings', {
  description:
    'Settings of the account, a device, a podcast or an episode. Podcasts and episodes need not be known to the server.',
  ...settings,
  errors,
})

export const changeSettings = endpoint('Settings', 'changeSettings', 'Change settings', {
  description:
    'First all of `set`, then all of `remove`; other keys stay as they are. Values are kept exactly. A few keys mean something to the server. `auto_sync` of the account: `true` keeps all devices in one sync group, also those that come later, but for those in `auto_sync_except`. `store_user_agent` of the account: with `false` the list of changes names no apps. `public_subscription` of a podcast: if all users who have the podcast set it to `false`, nobody else gets to see it; a feed whose address looks like a secret is seen by others only if all users who have it set it to `true`. `is_favorite` of an episode: `true` makes it a favorite.',
  read: readExactJson,
  body: objectSchema({
    set: optional(objectSchema({}), { description: 'Any values by any keys.' }),
    remove: optionalList(t.String(), 'Keys; those that are not there do no harm.'),
  }),
  bodyExample: { set: { speed: 1.5, public_subscription: false }, remove: ['skip'] },
  ...settings,
  errors: [
    ...errors,
    errorResponse(
      'quota_exceeded',
      'There would be settings of more things than `max_settings` says; nothing was changed.',
      'an account may have 50000 things with settings (max_settings); nothing was changed: remove some first, or ask the administrator for more',
    ),
    errorResponse(
      'payload_too_large',
      'The settings of this scope would be larger than 64 KiB, or the body is larger than 1 MiB; nothing was changed.',
      'these settings would be larger than 65536 bytes',
    ),
  ],
})
