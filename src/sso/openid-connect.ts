import * as oauth from 'oauth4webapi'
import {
  type Identified,
  type IdentityProvider,
  type PendingSignIn,
  SignInFailure,
} from '../domain/accounts/single-sign-on.ts'
import type { Clock } from '../platform/clock.ts'
import type { Secret } from '../platform/secret.ts'
import { failureMessage } from './failure-message.ts'

/** A person waits in front of a blank page meanwhile. */
const REQUEST_MS = 5000
/** Clocks of small computers are a little off. */
const TOLERANCE_SECONDS = 60

export interface ProviderSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Secret | undefined
  readonly name: string
  readonly scopes: string
  /** Of this server, where the provider sends the browser back to. */
  readonly redirectUri: string
  /** Groups are asked for only where they matter. */
  readonly groupsClaim: string | undefined
}

/** One OpenID Connect provider: authorization code, PKCE and every check (docs/protocol.md#single-sign-on). */
export function createOpenIdProvider(settings: ProviderSettings, clock: Clock): IdentityProvider {
  const { issuer, clientId, clientSecret, name, scopes, redirectUri, groupsClaim } = settings
  const methods = clientSecret ? secretMethods(clientSecret.reveal()) : { none: oauth.None() }
  /** The method that has worked last. */
  let accepted: oauth.ClientAuth | undefined
  const options = () => ({
    signal: AbortSignal.timeout(REQUEST_MS),
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  })
  const discover = createDiscovery(issuer, options, clock)

  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: TOLERANCE_SECONDS }

  async function exchange(provider: oauth.AuthorizationServer, answer: URLSearchParams, verifier: string) {
    // What a provider says it understands is not always what it lets this client do. Refusals cost nothing: the code
    // stays good.
    let refused: unknown
    for (const method of inOrder(methods, provider.token_endpoint_auth_methods_supported, accepted)) {
      const response = await oauth.authorizationCodeGrantRequest(
        provider,
        client,
        method,
        answer,
        redirectUri,
        verifier,
        options(),
      )
      if (response.ok) accepted = method
      if (response.ok || !(await refusesClient(response))) return response
      refused = response
    }
    throw new SignInFailure('sso_failed', 'the provider refuses oidc_client_id and oidc_client_secret', refused)
  }

  async function identify(parameters: URLSearchParams, { state, nonce, verifier }: PendingSignIn): Promise<Identified> {
    // A copy of the metadata each time: the library keeps the provider's keys with it, and keys change.
    const provider = { ...(await discover()) }
    const answer = oauth.validateAuthResponse(provider, client, parameters, state)
    const response = await exchange(provider, answer, verifier)
    const tokens = await oauth.processAuthorizationCodeResponse(provider, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(provider, response, options())
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    if (!claims) throw new SignInFailure('sso_failed', 'the provider sent no ID token')
    const all = await completed(provider, claims, tokens.access_token)
    return {
      issuer: provider.issuer,
      subject: claims.sub,
      username: textOf(all, 'preferred_username'),
      email: textOf(all, 'email'),
      emailIsVerified: flagOf(all, 'email_verified') === true,
      groups: groupsClaim === undefined ? undefined : groupsOf(all, groupsClaim),
    }
  }

  /** Some providers put everything into the ID token, some nothing but the subject; the rest is at userinfo. */
  async function completed(provider: oauth.AuthorizationServer, claims: Claims & { sub: string }, accessToken: string) {
    const wanted = [
      'preferred_username',
      'email',
      'email_verified',
      ...(groupsClaim === undefined ? [] : [groupsClaim]),
    ]
    if (provider.userinfo_endpoint === undefined || wanted.every((claim) => claim in claims)) return claims
    const response = await oauth.userInfoRequest(provider, client, accessToken, options())
    const isSigned = response.headers.get('content-type')?.includes('application/jwt') === true
    const more = await oauth.processUserInfoResponse(provider, client, claims.sub, response)
    if (isSigned) await oauth.validateApplicationLevelSignature(provider, response, options())
    return { ...more, ...claims }
  }

  /** An address that a browser or the library goes to. */
  function isUsable(endpoint: string | undefined): boolean {
    const protocol = URL.parse(endpoint ?? '')?.protocol
    return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'))
  }

  return {
    name,

    async test() {
      const provider = await explained('sso_unavailable', () => discover('refresh'))
      const endpoints = {
        'authorization endpoint': provider.authorization_endpoint,
        'token endpoint': provider.token_endpoint,
        'address of its keys': provider.jwks_uri,
      }
      for (const [what, endpoint] of Object.entries(endpoints))
        if (!isUsable(endpoint)) throw new SignInFailure('sso_unavailable', `the provider names no usable ${what}`)
    },

    async begin() {
      const { authorization_endpoint: endpoint } = await explained('sso_unavailable', discover)
      const url = URL.parse(endpoint ?? '')
      if (!url || !isUsable(endpoint))
        throw new SignInFailure('sso_unavailable', 'the provider names no usable authorization endpoint')
      const pending = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
      }
      const parameters = {
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        scope: scopes,
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      }
      for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value)
      return { url: url.href, pending }
    },

    complete: (parameters, pending) => explained('sso_failed', () => identify(parameters, pending)),

    async endSessionUrl(returnTo) {
      const { end_session_endpoint: endpoint } = await explained('sso_unavailable', discover)
      const url = URL.parse(endpoint ?? '')
      if (!url) return undefined
      url.searchParams.set('client_id', clientId)
      url.searchParams.set('post_logout_redirect_uri', returnTo)
      return url.href
    },
  }
}

type Methods = Readonly<Record<string, oauth.ClientAuth>>

function secretMethods(secret: string): Methods {
  return {
    client_secret_basic: oauth.ClientSecretBasic(secret),
    client_secret_post: oauth.ClientSecretPost(secret),
  }
}

/** What worked last, then what the provider names; one that names none means Basic (OpenID Connect Discovery 3). */
function inOrder(
  methods: Methods,
  supported: readonly string[] = [],
  accepted: oauth.ClientAuth | undefined,
): oauth.ClientAuth[] {
  const entries = Object.entries(methods)
  const inTurn = [
    ...entries.filter(([name]) => supported.includes(name)),
    ...entries.filter(([name]) => !supported.includes(name)),
  ].map(([, method]) => method)
  return accepted ? [accepted, ...inTurn.filter((method) => method !== accepted)] : inTurn
}

async function refusesClient(response: Response): Promise<boolean> {
  if (response.status === 401) return true
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'invalid_client'
}

/** Whatever goes wrong inside becomes a failed sign-in that says what it was. */
async function explained<T>(code: 'sso_unavailable' | 'sso_failed', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignInFailure) throw error
    if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied')
      throw new SignInFailure('sso_denied', 'the provider says that access was denied', error)
    throw new SignInFailure(code, failureMessage(error), error)
  }
}

/** What a provider says about a user; nothing about the types of the values is certain. */
export type Claims = Readonly<Record<string, unknown>>

function textOf(claims: Claims, name: string): string | undefined {
  const value = claims[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Some providers write truth values as text. */
function flagOf(claims: Claims, name: string): boolean | undefined {
  const value = claims[name]
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : undefined
}

/** A list of names, or a single one. */
function groupsOf(claims: Claims, name: string): string[] {
  const value = claims[name]
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.filter((group) => typeof group === 'string')
}

/** Endpoints move rarely; a sign-in should not have to ask for them each time. */
const FRESH_MS = 10 * 60_000

/**
 * The provider's description of itself, kept for some minutes. The names of issuers are compared without a slash at the
 * end, which people add and leave out; what the provider writes is what its tokens must name, letter for letter.
 */
function createDiscovery(
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
