import { spyOn } from 'bun:test'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Claims } from '../../src/sso/openid-connect.ts'
import { BASE_URL, settingsOf } from './browser.ts'

// The library tells at import, and at the first use of many things, what nobody should do in production.
for (const level of ['info', 'warn'] as const) spyOn(console, level).mockImplementation(() => undefined)
const { default: Provider } = await import('oidc-provider')

type Algorithm = 'RS256' | 'ES256' | 'PS256'
type AuthMethod = 'client_secret_basic' | 'client_secret_post' | 'none'

interface OidcProviderOptions {
  /** Of the only client, as registered at the provider. */
  readonly authMethod?: AuthMethod
  readonly algorithm?: Algorithm
  /** Whether claims are to be had at the userinfo endpoint only, as the standard has it, or in the ID token too. */
  readonly claimsAt?: 'userinfo' | 'id_token'
  /** What follows host and port in the provider's own name: '', '/' or a path. */
  readonly path?: string
}

export interface OidcProvider extends AsyncDisposable {
  /** As it names itself. */
  readonly issuer: string
  /** What a podstep at `BASE_URL` has to be told about it. */
  readonly settings: Record<string, string>
  /** Signs with a new key from now on, and does not know the old one any more. */
  rotateKeys(): void
  /** Nothing listens at its address any more. */
  stop(): Promise<void>
}

/** Who may sign in, by what is typed as login; that is the subject too. */
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

/** A real OpenID provider on a port of its own, with its pages for login and consent. */
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
      // The library knows that it is mounted at a path when it finds both, as below other frameworks.
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
