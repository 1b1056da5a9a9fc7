import * as oauth from 'oauth4webapi'
import { SignInFailure } from '../domain/accounts/single-sign-on.ts'
import type { Clock } from '../platform/clock.ts'
import { CHOOSE_A_KEY } from './failure-message.ts'
import { withoutNulls } from './without-nulls.ts'

export interface Provider extends oauth.AuthorizationServer {
  readonly authorization_endpoint: string
}

export interface Discovery {
  get(mode?: 'refresh'): Promise<Provider>
  forget(): void
}

const FRESH_MS = 10 * 60_000

const WITH_KEYS = /^(?:RS|PS|ES)(?:256|384|512)$|^Ed(?:DSA|25519)$|^ML-DSA-/

/** Caches the provider's metadata. Issuers are compared without a trailing slash. */
export function createDiscovery(issuer: string, options: () => oauth.DiscoveryRequestOptions, clock: Clock): Discovery {
  let cached: { readonly provider: Promise<Provider>; readonly until: number } | undefined

  async function discover(): Promise<Provider> {
    const response = await oauth.discoveryRequest(new URL(issuer), options())
    if (response.status !== 200)
      throw new SignInFailure('sso_unavailable', `the provider answers its discovery address with ${response.status}`)
    return checked(await oauth.processDiscoveryResponse(await namedIssuer(response), await withoutNulls(response)))
  }

  async function namedIssuer(response: Response): Promise<URL> {
    const body: unknown = await response.clone().json()
    const name = typeof body === 'object' && body !== null && 'issuer' in body ? body.issuer : undefined
    if (typeof name !== 'string' || withoutSlash(name) !== withoutSlash(issuer))
      throw new SignInFailure(
        'sso_unavailable',
        `the provider names the issuer ${JSON.stringify(String(name).slice(0, 200))}, which is not oidc_issuer`,
      )
    return new URL(name)
  }

  function checked(provider: oauth.AuthorizationServer): Provider {
    const { authorization_endpoint = '', token_endpoint, jwks_uri } = provider
    const algorithms: unknown = provider.id_token_signing_alg_values_supported
    if (Array.isArray(algorithms) && algorithms.length > 0 && !algorithms.some((each) => WITH_KEYS.test(String(each))))
      throw new SignInFailure(
        'sso_failed',
        `the provider signs with ${algorithms.map(String).join(', ').slice(0, 100)}: ${CHOOSE_A_KEY}`,
      )
    const endpoints = {
      'authorization endpoint': authorization_endpoint,
      'token endpoint': token_endpoint,
      'address of its keys': jwks_uri,
    }
    for (const [what, endpoint] of Object.entries(endpoints))
      if (!isUsable(endpoint)) throw new SignInFailure('sso_unavailable', `the provider names no usable ${what}`)
    return { ...provider, authorization_endpoint }
  }

  function isUsable(endpoint: string | undefined): boolean {
    const protocol = URL.parse(endpoint ?? '')?.protocol
    return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'))
  }

  return {
    get(mode) {
      if (!mode && cached && clock.monotonic() < cached.until) return cached.provider
      const provider = discover()
      cached = { provider, until: clock.monotonic() + FRESH_MS }
      // Don't cache failures.
      provider.catch(() => {
        if (cached?.provider === provider) cached = undefined
      })
      return provider
    },
    forget() {
      cached = undefined
    },
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
