import { t } from 'elysia'
import { endpoint } from '../../endpoint.ts'
import { AccountModel, SSO_EXAMPLE, SsoInfo } from '../accounts/me.ts'
import { errorResponse } from '../shared/errors.ts'
import { describedObject, done, integer, objectSchema } from '../shared/models.ts'

const Server = describedObject('What there is to know before signing in.', {
  version: t.String(),
  registration: t.Union([t.Literal('open'), t.Literal('closed'), t.Literal('invite')], {
    description:
      'Who may create an account: anybody, nobody, or anybody, with activation by email or an administrator.',
  }),
  first_run: t.Boolean({
    description:
      'There is no account yet. The next one can be created whatever `registration` says, and becomes administrator.',
  }),
  mail: t.Boolean({ description: 'Whether a forgotten password can be reset by mail.' }),
  outbound: t.Boolean({
    description:
      'Whether the server connects to other servers: for feeds, pictures, the external directory, webhooks and imports.',
  }),
  sso: SsoInfo,
  proxy_user: t.Union([t.String(), t.Null()], {
    description:
      'Whom an authenticating proxy names in this request (`proxy_user_header`). There may be no such account. Null without the setting, without the header, and past the proxy.',
  }),
  external_directory: t.Boolean({ description: 'Whether podcasts that are not on this server can be found.' }),
  account: t.Union([AccountModel, t.Null()], {
    description: 'The account the credentials belong to; null without credentials.',
  }),
  base_url: t.String({ description: 'The address of the server, to be entered in apps.' }),
  addresses: t.Array(t.String(), {
    description:
      'Where apps on other machines reach the server, as far as it knows: `base_url` if it is set, else addresses in its own networks. Empty without credentials.',
  }),
})

export const getServer = endpoint('Accounts', 'getServer', 'Get public facts about the server', {
  description: 'For pages that sign users in, or up.',
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

const Base = objectSchema({ baseurl: t.String({ description: 'Paths of the API are appended to it.' }) })

export const getClientConfig = endpoint('Accounts', 'getClientConfig', 'Get the client configuration', {
  description: 'For apps that ask before their first request. There is no feed service here.',
  response: describedObject('Where the server is.', {
    mygpo: Base,
    'mygpo-feedservice': Base,
    update_timeout: integer({ description: 'Seconds for which the answer may be kept.' }),
  }),
  example: {
    mygpo: { baseurl: 'https://pods.example/' },
    'mygpo-feedservice': { baseurl: 'https://pods.example/' },
    update_timeout: 604_800,
  },
})

export const isAlive = endpoint('Health', 'isAlive', 'Check that the server answers', { ...done, isAtRoot: true })

export const isReady = endpoint('Health', 'isReady', 'Check that the server can store something', {
  ...done,
  isAtRoot: true,
  errors: [
    errorResponse(
      'unavailable',
      'The database cannot be written or read, is damaged or gone; or the server is stopping. The message says which.',
      'the server is stopping',
    ),
  ],
})

export const health = { ...isReady, id: 'health', summary: 'Another name for `/readyz`' }
