import { t } from 'elysia'
import { readExactJson } from '../../body.ts'
import { endpoint } from '../../endpoint.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, objectSchema, optional, optionalList, parameter } from '../shared/models.ts'

const TargetQuery = objectSchema({
  device: parameter('ID of a device; required with the scope `device`.', 'ida-pixel'),
  podcast: parameter(
    'Feed URL; required with the scopes `podcast` and `episode`.',
    'https://feeds.tidewater.example/harbour.xml',
  ),
  episode: parameter(
    'URL of a media file; required with the scope `episode`.',
    'https://cdn.tidewater.example/fog.mp3',
  ),
})

const settings = {
  query: TargetQuery,
  response: describedObject('All settings of the scope, by key.', {}),
  example: { speed: 1.5, public_subscription: false },
}

const errors = [
  errorResponse(
    'validation_failed',
    'The body does not match its schema, or a parameter that the scope requires is missing or not a URL; nothing was changed.',
    'the parameter podcast is missing',
    'podcast',
  ),
  errorResponse('unknown_device', 'The device or the scope does not exist.', 'unknown device'),
]

export const getSettings = endpoint('Settings', 'getSettings', 'Get settings', {
  description:
    'Settings of the account, a device, a podcast or an episode. Podcasts and episodes may be unknown to the server.',
  ...settings,
  errors,
})

export const changeSettings = endpoint('Settings', 'changeSettings', 'Change settings', {
  description:
    'Applies all of `set`, then all of `remove`; other keys do not change. Values are kept exactly. A few keys affect the server. `auto_sync` of the account: `true` keeps all devices, including future ones, in one sync group, except those in `auto_sync_except`. `store_user_agent` of the account: with `false`, the list of changes names no apps. `public_subscription` of a podcast: if all its subscribers set it to `false`, other users cannot see the podcast; a feed whose address looks like a secret is visible to other users only if all its subscribers set it to `true`. `is_favorite` of an episode: `true` makes it a favorite.',
  read: readExactJson,
  body: objectSchema({
    set: optional(objectSchema({}), { description: 'Any values under any keys.' }),
    remove: optionalList(t.String(), 'Keys to remove; unknown ones are ignored.'),
  }),
  bodyExample: { set: { speed: 1.5, public_subscription: false }, remove: ['skip'] },
  ...settings,
  errors: [
    ...errors,
    errorResponse(
      'quota_exceeded',
      'The account would have settings for more things than `max_settings` allows; nothing was changed.',
      'an account may have 50000 things with settings (max_settings); nothing was changed: remove some first, or ask the administrator for more',
    ),
    errorResponse(
      'payload_too_large',
      'The settings of this scope would be larger than 64 KiB, or the body is larger than 1 MiB; nothing was changed.',
      'these settings would be larger than 65536 bytes',
    ),
  ],
})
