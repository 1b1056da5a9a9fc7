import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { AccountModel, SSO_EXAMPLE, SsoInfo } from '../accounts/me.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, done, integer, objectSchema } from '../shared/models.ts'

const Server = describedObject('Public information about the server.', {
  version: t.String(),
  registration: t.Union([t.Literal('open'), t.Literal('closed'), t.Literal('invite')], {
    description:
      '`open`: anyone can create an account. `closed`: registration is off. `invite`: new accounts must be activated by email or by an administrator.',
  }),
  first_run: t.Boolean({
    description:
      'Whether there is no account yet. The first one can be created regardless of `registration`, and becomes administrator.',
  }),
  mail: t.Boolean({ description: 'Whether a forgotten password can be reset by email.' }),
  outbound: t.Boolean({
    description:
      'Whether the server connects to other servers: for feeds, pictures, the external directory, webhooks and imports.',
  }),
  sso: SsoInfo,
  proxy_user: t.Union([t.String(), t.Null()], {
    description:
      'User named by an authenticating proxy in this request (`proxy_user_header`). The account may not exist. Null without the setting, without the header, or if the request bypasses the proxy.',
  }),
  external_directory: t.Boolean({ description: 'Whether the search includes an external directory.' }),
  account: t.Union([AccountModel, t.Null()], {
    description: 'The account that the credentials belong to; null without credentials.',
  }),
  base_url: t.String({ description: 'Address of the server to enter in apps.' }),
  addresses: t.Array(t.String(), {
    description:
      'Known addresses of the server for apps on other machines: `base_url` if it is set, otherwise addresses in its own networks. Empty without credentials.',
  }),
})

export const getServer = endpoint('Accounts', 'getServer', 'Get public information about the server', {
  description: 'For pages on which users sign in or register.',
  response: Server,
  example: {
    version: '0.1.0',
    registration: 'invite',
    first_run: false,
    mail: true,
    outbound: true,
    sso: SSO_EXAMPLE,
    proxy_user: null,
    external_directory: true,
    account: null,
    base_url: 'https://pods.example',
    addresses: [],
  },
})

const Base = objectSchema({
  baseurl: t.String({ description: 'Base address, to which the paths of the API are appended.' }),
})

export const getClientConfig = endpoint('Accounts', 'getClientConfig', 'Get the client configuration', {
  description: 'For apps that fetch it before their first request. There is no feed service.',
  response: describedObject('Addresses of the server.', {
    mygpo: Base,
    'mygpo-feedservice': Base,
    update_timeout: integer({ description: 'Seconds for which the response may be cached.' }),
  }),
  example: {
    mygpo: { baseurl: 'https://pods.example/' },
    'mygpo-feedservice': { baseurl: 'https://pods.example/' },
    update_timeout: 604_800,
  },
})

export const isAlive = endpoint('Health', 'isAlive', 'Check that the server responds', { ...done, isAtRoot: true })

export const isReady = endpoint('Health', 'isReady', 'Check that the server can store data', {
  ...done,
  isAtRoot: true,
  errors: [
    errorResponse(
      'unavailable',
      'The database cannot be written or read, is damaged or missing; or the server is stopping. The message says which.',
      'the server is stopping',
    ),
  ],
})

export const health = { ...isReady, id: 'health', summary: 'Another name for `/readyz`' }
