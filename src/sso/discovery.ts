import * as oauth from 'oauth4webapi'
import { SignInFailure } from '../domain/accounts/identity-provider.ts'
import type { Clock } from '../platform/clock.ts'

/** Endpoints move rarely; a sign-in should not have to ask for them each time. */
const FRESH_MS = 10 * 60_000

/**
 * The provider's description of itself, kept for some minutes. The names of issuers are compared without a slash at the end, which
 * people add and leave out; what the provider writes is what its tokens must name, letter for letter.
 */
export function createDiscovery(
  issuer: string,
  options: () => oauth.DiscoveryRequestOptions,
  clock: Clock,
): (mode?: 'refresh') => Promise<oauth.AuthorizationServer> {
  let known: { readonly provider: Promise<oauth.AuthorizationServer>; readonly until: number } | undefined

  async function discover(): Promise<oauth.AuthorizationServer> {
    const response = await oauth.discoveryRequest(new URL(issuer), options())
    if (response.status !== 200)
      throw new SignInFailure('sso_unavailable', `the provider answers its discovery address with ${response.status}`)
    return oauth.processDiscoveryResponse(await namedIssuer(response), response)
  }

  async function namedIssuer(response: Response): Promise<URL> {
    const body: unknown = await response.clone().json()
    const name = typeof body === 'object' && body !== null && 'issuer' in body ? body.issuer : undefined
    if (typeof name !== 'string' || withoutSlash(name) !== withoutSlash(issuer))
      throw new SignInFailure(
        'sso_unavailable',
        `the provider calls itself ${JSON.stringify(String(name).slice(0, 200))}, not as oidc_issuer says`,
      )
    return new URL(name)
  }

  return (mode) => {
    if (!mode && known && clock.monotonic() < known.until) return known.provider
    const provider = discover()
    known = { provider, until: clock.monotonic() + FRESH_MS }
    // A failure is not worth remembering.
    provider.catch(() => {
      if (known?.provider === provider) known = undefined
    })
    return provider
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
