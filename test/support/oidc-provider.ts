import { spyOn } from 'bun:test'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Claims } from '../../src/sso/openid-connect.ts'
import { BASE_URL, settingsOf } from './browser.ts'

// The library prints warnings about use in production, at import and at the first use of many features.
for (const level of ['info', 'warn'] as const) spyOn(console, level).mockImplementation(() => undefined)
const { default: Provider } = await import('oidc-provider')

type Algorithm = 'RS256' | 'ES256' | 'PS256'
type AuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none'

interface OidcProviderOptions {
  /** Registered authentication method of the only client. */
  readonly authMethod?: AuthMethod
  readonly algorithm?: Algorithm
  /** Where to send claims: from the userinfo endpoint only, as in the standard, or also in the ID token. */
  readonly claimsAt?: 'userinfo' | 'id_token'
  /** Path in the issuer's URL: '', '/' or longer. */
  readonly path?: string
}

export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string
  /** Settings of a podstep at `BASE_URL` for this provider. */
  readonly settings: Record<string, string>
  /** Replaces the signing key, and forgets the old one. */
  rotateKeys(): void
  /** Stops listening at the address. */
  stop(): Promise<void>
}

/** Accounts by login, which is also the subject. */
const ACCOUNTS: Readonly<Record<string, Claims>> = {
  ida: { preferred_username: 'ida', email: 'ida@pods.example', email_verified: true },
  'ole-24': {
    ...{ preferred_username: 'ole', email: 'ole@pods.example', email_verified: true },
    groups: ['crew', 'podcast-admins'],
  },
  'uma-8': { preferred_username: 'uma', email: 'uma@pods.example', email_verified: true },
}

const CLIENT_ID = 'podstep'
const CLIENT_SECRET = 'a secret of: 32 + letters & more'

/** Starts a real OpenID provider on its own port, with pages for login and consent. */
export async function startOidcProvider({
  authMethod = 'client_secret_basic',
  algorithm = 'ES256',
  claimsAt = 'userinfo',
  path = '',
}: OidcProviderOptions = {}): Promise<OidcProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the provider has no port')
  const issuer = `http://127.0.0.1:${address.port}${path}`
  const mount = path.replace(/\/$/, '')
  const isPublic = authMethod === 'none'

  function rotateKeys(): void {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT_ID,
          ...(!isPublic && { client_secret: CLIENT_SECRET }),
          token_endpoint_auth_method: authMethod,
          id_token_signed_response_alg: algorithm,
          redirect_uris: [`${BASE_URL}/auth/sso/callback`],
          post_logout_redirect_uris: [`${BASE_URL}/login`],
        },
      ],
      jwks: { keys: [{ ...newKey(algorithm).export({ format: 'jwk' }), alg: algorithm, use: 'sig' }] },
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email', 'email_verified'] },
      conformIdTokenClaims: claimsAt === 'userinfo',
      findAccount: (_context, id) => {
        const claims = ACCOUNTS[id]
        return claims && { accountId: id, claims: () => ({ ...claims, sub: id }) }
      },
    })
    const callback = provider.callback()
    handle = (request, response) => {
      const { url = '/' } = request
      // With both properties, the library detects that it is mounted at a path, as in other frameworks.
      Object.assign(request, { originalUrl: url, url: url.slice(mount.length) })
      callback(request, response)
    }
  }
  rotateKeys()

  async function stop(): Promise<void> {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }

  return {
    issuer,
    settings: { ...settingsOf(issuer, CLIENT_ID), ...(!isPublic && { oidc_client_secret: CLIENT_SECRET }) },
    rotateKeys,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function newKey(algorithm: Algorithm): KeyObject {
  if (algorithm === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
}
