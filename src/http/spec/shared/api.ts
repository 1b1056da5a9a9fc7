import type { Parameter } from '../../openapi/document-types.ts'

/** Introduction of the API description. */
export const DESCRIPTION = `podstep syncs podcast subscriptions and listening positions between all apps and devices of a user. \
It implements the gpodder.net API v2, which many podcast apps support.

All errors have the same schema. Unknown keys in bodies are ignored, and responses may gain keys.`

export const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic', description: 'User name and password, or app password, with each request.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'An app password.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sessionid',
    description: 'The cookie that every successful request with a password sets. Use extends its lifetime.',
  },
} as const

/** The chapters of the API description, in reading order. */
export const TAGS = {
  Accounts: 'Signing in and out, creating an account, managing your own.',
  Devices: 'Your devices, and the sync groups that share one list of subscriptions.',
  Subscriptions:
    'Subscriptions of a device: as changes since the last sync, or as a complete list in one of several formats.',
  'Episode actions': 'Reports about episodes: downloaded, played up to a position, deleted. One log per account.',
  Folders: 'Folders into which users sort their podcasts.',
  Queue: 'Episodes to play next, on any device.',
  Settings: 'Values shared by all your apps, under keys that the apps choose.',
  Directory: 'Finding podcasts, and reading the contents of their feeds.',
  'Podcast lists': 'Public lists of podcasts, compiled by users.',
  Outlets: 'Private feeds for apps that cannot sync, and a webhook.',
  'Nextcloud apps':
    'For apps that support Nextcloud: its login flow, and the API of its gpoddersync. They share one list of subscriptions, that of the device `gpoddersync`; episode actions are shared with all other apps.',
  'Single sign-on': 'Signing in with an account at an OpenID Connect provider, if the server has one configured.',
  Administration: 'Managing the accounts and the server. For administrators only.',
  Health: 'For load balancers and monitoring. Always at the root of the server, without credentials or limits.',
} as const

export type Tag = keyof typeof TAGS

type PathParameter = Omit<Parameter, 'name' | 'in' | 'required'> & {
  /** Name in the protocol, if it differs from that in the routes. */
  readonly name?: string
}

export const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  username: {
    description: 'Your user name; case is ignored.',
    schema: { type: 'string' },
    example: 'ida',
  },
  id: { description: 'The `id` from the corresponding list.', schema: { type: 'integer' }, example: '1' },
  device: {
    name: 'deviceid',
    description: 'ID that the client chooses once: 1 to 64 letters, digits, `_`, `.` or `-`; case-sensitive.',
    schema: { type: 'string' },
    example: 'ida-pixel',
  },
  token: {
    description: 'The token from the address.',
    schema: { type: 'string' },
    example: 'Zk3vQ8mTb1XcY5nWd7LpR2sHj9FgA4uKe6VtB0yNqC3',
  },
  count: { description: 'Maximum number of items, up to 100.', schema: { type: 'integer' }, example: '25' },
  name: { description: 'The `name` from the list of podcast lists.', schema: { type: 'string' }, example: 'sea-stuff' },
  tag: { description: 'The `tag` from the list of tags.', schema: { type: 'string' }, example: 'sea-coast' },
  folder: { description: 'The `id` from the list of folders.', schema: { type: 'integer' }, example: '1' },
  size: {
    description: 'Length of the short side in pixels: 64, 128, 300 or 600.',
    schema: { type: 'integer', enum: [64, 128, 300, 600] },
    example: '128',
  },
  scope: {
    description: 'Scope of the settings.',
    schema: { type: 'string', enum: ['account', 'device', 'podcast', 'episode'] },
    example: 'podcast',
  },
  format: {
    description: 'Format of the list; JSON without a suffix.',
    schema: { type: 'string' },
    example: 'json',
  },
}

/** User that an administrative request is about. */
export const ADMINISTERED_USER: PathParameter = {
  description: 'The user name; case is ignored.',
  schema: { type: 'string' },
  example: 'ole',
}
