import type { Parameter } from '../../openapi/document-types.ts'

/** Introduction of the API description. */
export const DESCRIPTION = `podstep keeps podcast subscriptions and listening positions in step between all the apps and devices of a person. \
It speaks the gpodder.net API v2, which many podcast apps know.

All errors have the same schema. Unknown keys in bodies are ignored, and responses may gain keys.`

export const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic', description: 'User name and password, or app password, with each request.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'An app password alone.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'sessionid',
    description: 'The cookie that every success with a password sets. Its lifetime is extended while it is in use.',
  },
} as const

/** The chapters of the API description, in reading order. */
export const TAGS = {
  Accounts: 'Sign in and out, create an account, manage your own.',
  Devices: 'The devices you listen with, and which of them share one list of subscriptions.',
  Subscriptions:
    'What a device is subscribed to: as changes since last time, or as a whole list in one of several formats.',
  'Episode actions': 'What happened to episodes: downloaded, played up to a position, deleted. One log per account.',
  Folders: 'Names under which a user sorts podcasts.',
  Queue: 'What the user wants to hear next, on any device.',
  Settings: 'Values that all your apps share. Which keys there are is up to the apps.',
  Directory: 'Podcasts that others listen to.',
  'Podcast lists': 'Lists that users put together for everybody to read.',
  Outlets: 'What the server tells others for you: private feeds for apps that cannot sync, and a webhook.',
  'Nextcloud apps':
    'For apps that know Nextcloud: letting them in by way of the browser, and what its gpoddersync does. One list of subscriptions per account, which is that of the device `gpoddersync`; episode actions are the same as everywhere.',
  'Single sign-on': 'Signing in with an account at an OpenID Connect provider, where the server is set up for one.',
  Administration: 'Managing the accounts and the server. For administrators only.',
  Health:
    'For load balancers and monitoring. Always at the root of the server, without credentials and without limits.',
} as const

export type Tag = keyof typeof TAGS

type PathParameter = Omit<Parameter, 'name' | 'in' | 'required'> & {
  /** Name in the protocol, if it differs from that in the routes. */
  readonly name?: string
}

export const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  username: {
    description: 'Your user name, in upper or lower case.',
    schema: { type: 'string' },
    example: 'ida',
  },
  id: { description: 'The `id` in the list of these things.', schema: { type: 'integer' }, example: '1' },
  device: {
    name: 'deviceid',
    description: 'Chosen by the client and kept: 1 to 64 letters, digits, `_`, `.` or `-`. Case matters.',
    schema: { type: 'string' },
    example: 'ida-pixel',
  },
  token: {
    description: 'What the address holds.',
    schema: { type: 'string' },
    example: 'Zk3vQ8mTb1XcY5nWd7LpR2sHj9FgA4uKe6VtB0yNqC3',
  },
  count: { description: 'How many at most, up to 100.', schema: { type: 'integer' }, example: '25' },
  name: { description: 'The `name` in the list of lists.', schema: { type: 'string' }, example: 'sea-stuff' },
  tag: { description: 'The `tag` in the list of tags.', schema: { type: 'string' }, example: 'sea-coast' },
  folder: { description: 'The `id` in the list of folders.', schema: { type: 'integer' }, example: '1' },
  size: {
    description: 'Pixels a side: 64, 128, 300 or 600.',
    schema: { type: 'integer', enum: [64, 128, 300, 600] },
    example: '128',
  },
  scope: {
    description: 'What the settings belong to.',
    schema: { type: 'string', enum: ['account', 'device', 'podcast', 'episode'] },
    example: 'podcast',
  },
  format: {
    description: 'How the list is written. Without a suffix it is JSON.',
    schema: { type: 'string' },
    example: 'json',
  },
}

/** User that an administrative request is about. */
export const ADMINISTERED_USER: PathParameter = {
  description: 'The user name, in upper or lower case.',
  schema: { type: 'string' },
  example: 'ole',
}
