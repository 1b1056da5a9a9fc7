import * as oauth from 'oauth4webapi'
import {
  type Identified,
  type IdentityProvider,
  type PendingSignIn,
  SignInFailure,
} from '../domain/accounts/single-sign-on.ts'
import type { Clock } from '../platform/clock.ts'
import type { Secret } from '../platform/secret.ts'
import { isRecord } from '../platform/unknown.ts'
import { createDiscovery } from './discovery.ts'
import { failureMessage } from './failure-message.ts'
import { withoutNulls } from './without-nulls.ts'

const REQUEST_MS = 5000
/** Tolerated clock difference: clocks of small computers are often slightly off. */
const TOLERANCE_SECONDS = 60

export interface ProviderSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: Secret | undefined
  readonly name: string
  readonly scopes: string
  readonly redirectUri: string
  readonly groupsClaim: string | undefined
}

/** Client of an OpenID Connect provider: authorization code, PKCE and every check (docs/protocol.md#single-sign-on). */
export function createOpenIdProvider(settings: ProviderSettings, clock: Clock): IdentityProvider {
  const { issuer, clientId, clientSecret, name, scopes, redirectUri, groupsClaim } = settings
  const methods = clientSecret ? secretMethods(clientSecret.reveal()) : { none: oauth.None() }
  let accepted: oauth.ClientAuth | undefined
  const options = () => ({
    signal: AbortSignal.timeout(REQUEST_MS),
    [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
  })
  const discovery = createDiscovery(issuer, options, clock)

  const client: oauth.Client = { client_id: clientId, [oauth.clockTolerance]: TOLERANCE_SECONDS }

  async function exchange(provider: oauth.AuthorizationServer, answer: URLSearchParams, verifier: string) {
    // Providers do not always accept the methods that they announce. A refusal costs nothing: the code stays valid.
    let refused: unknown
    for (const method of orderMethods(methods, provider.token_endpoint_auth_methods_supported, accepted)) {
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
      if (response.ok || !(await refusesClient(response))) return withoutNulls(response)
      refused = response
    }
    throw new SignInFailure('sso_failed', 'the provider rejects oidc_client_id and oidc_client_secret', refused)
  }

  async function identify(parameters: URLSearchParams, { state, nonce, verifier }: PendingSignIn): Promise<Identified> {
    // Copy the metadata: the library caches the provider's keys by that object, and keys change.
    const provider = { ...(await discovery.get()) }
    const answer = oauth.validateAuthResponse(provider, client, parameters, state)
    const response = await exchange(provider, answer, verifier)
    const tokens = await oauth.processAuthorizationCodeResponse(provider, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(provider, response, options())
    const claims = oauth.getValidatedIdTokenClaims(tokens)
    if (!claims) throw new SignInFailure('sso_failed', 'the provider sent no ID token')
    const { all, refusal } = await completeClaims(provider, claims, tokens.access_token)
    const groups = groupsClaim === undefined ? undefined : groupsOf(all, groupsClaim)
    const isWithoutGroups = groupsClaim !== undefined && groups === undefined
    return {
      issuer: provider.issuer,
      subject: claims.sub,
      username: textOf(all, 'preferred_username'),
      email: textOf(all, 'email'),
      emailIsVerified: flagOf(all, 'email_verified') === true,
      groups: isWithoutGroups ? [] : groups,
      idToken: tokens.id_token,
      warnings: [
        ...(refusal === undefined ? [] : [refusal]),
        ...(isWithoutGroups ? [groupsWarning(all, groupsClaim)] : []),
      ],
    }
  }

  /** Completes claims from the userinfo endpoint. A refusal matters only if a needed claim is missing. */
  async function completeClaims(
    provider: oauth.AuthorizationServer,
    claims: Claims & { sub: string },
    accessToken: string,
  ): Promise<{ readonly all: Claims; readonly refusal?: string }> {
    const has = (name: string) => findClaim(claims, name) !== undefined
    const hasGroups = groupsClaim === undefined || has(groupsClaim)
    const isComplete = hasGroups && ['preferred_username', 'email', 'email_verified'].every(has)
    if (provider.userinfo_endpoint === undefined || isComplete) return { all: claims }
    const response = await oauth.userInfoRequest(provider, client, accessToken, options())
    if (response.status >= 400 && response.status < 500) {
      const refusal = `the provider refuses its userinfo endpoint with status ${response.status}`
      if (hasGroups && (has('preferred_username') || has('email'))) return { all: claims, refusal }
      throw new SignInFailure('sso_failed', `${refusal}, and the ID token lacks claims`)
    }
    const isSigned = response.headers.get('content-type')?.includes('application/jwt') === true
    const more = await oauth.processUserInfoResponse(provider, client, claims.sub, response)
    if (isSigned) await oauth.validateApplicationLevelSignature(provider, response, options())
    // The ID token may hold only part of an object, and userinfo the part with the groups.
    const groups =
      groupsClaim === undefined ? undefined : (findClaim(claims, groupsClaim) ?? findClaim(more, groupsClaim))
    const own = Object.entries(claims).filter(([, value]) => value !== null)
    return { all: { ...more, ...Object.fromEntries(own), ...(groupsClaim !== undefined && { [groupsClaim]: groups }) } }
  }

  return {
    name,

    async test() {
      await explained('sso_unavailable', () => discovery.get('refresh'))
    },

    async begin({ selectsAccount }) {
      const provider = await explained('sso_unavailable', () => discovery.get())
      const url = new URL(provider.authorization_endpoint)
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
        ...(selectsAccount && { prompt: promptFor(provider) }),
      }
      for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value)
      return { url: url.href, pending }
    },

    async complete(parameters, pending) {
      try {
        return await explained('sso_failed', () => identify(parameters, pending))
      } catch (error) {
        // The provider's endpoints or algorithms may have changed.
        if (!(error instanceof SignInFailure) || error.code !== 'sso_denied') discovery.forget()
        throw error
      }
    },

    async endSessionUrl(returnTo, idToken) {
      const { end_session_endpoint: endpoint } = await explained('sso_unavailable', () => discovery.get())
      const url = URL.parse(endpoint ?? '')
      if (!url) return undefined
      url.searchParams.set('client_id', clientId)
      url.searchParams.set('post_logout_redirect_uri', returnTo)
      if (idToken !== undefined) url.searchParams.set('id_token_hint', idToken)
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

/** Methods to try: the last that worked, then those announced; by default Basic (OpenID Connect Discovery 3). */
function orderMethods(
  methods: Methods,
  supported: readonly string[] = [],
  accepted: oauth.ClientAuth | undefined,
): oauth.ClientAuth[] {
  const entries = Object.entries(methods)
  const ordered = [
    ...entries.filter(([name]) => supported.includes(name)),
    ...entries.filter(([name]) => !supported.includes(name)),
  ].map(([, method]) => method)
  return accepted ? [accepted, ...ordered.filter((method) => method !== accepted)] : ordered
}

async function refusesClient(response: Response): Promise<boolean> {
  if (response.status === 401) return true
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'invalid_client'
}

async function explained<T>(code: 'sso_unavailable' | 'sso_failed', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SignInFailure) throw error
    if (error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied')
      throw new SignInFailure('sso_denied', 'the provider denied access', error)
    throw new SignInFailure(code, failureMessage(error), error)
  }
}

/** Prefers the provider's account chooser; some providers support only a new sign-in instead. */
function promptFor({ prompt_values_supported: prompts }: oauth.AuthorizationServer): string {
  return Array.isArray(prompts) && !prompts.includes('select_account') && prompts.includes('login')
    ? 'login'
    : 'select_account'
}

function groupsWarning(claims: Claims, name: string): string {
  return findClaim(claims, name) === undefined
    ? `the claim ${name} is missing: check oidc_groups_claim, oidc_scopes and the provider`
    : `the claim ${name} cannot be read as groups`
}

export type Claims = Readonly<Record<string, unknown>>

function findClaim(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path] ?? undefined
  // Names may contain dots, as client IDs do.
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const name = path.slice(0, dot)
    const inner = Object.hasOwn(claims, name) ? claims[name] : undefined
    const value = isRecord(inner) ? findClaim(inner, path.slice(dot + 1)) : undefined
    if (value !== undefined) return value
  }
  return undefined
}

function textOf(claims: Claims, name: string): string | undefined {
  const value = claims[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

function flagOf(claims: Claims, name: string): boolean | undefined {
  const value = claims[name]
  if (value === true || value === 'true') return true
  return value === false || value === 'false' ? false : undefined
}

export function groupsOf(claims: Claims, path: string): string[] | undefined {
  const value = findClaim(claims, path)
  if (typeof value === 'string') return [value]
  if (isRecord(value)) return Object.keys(value).filter((name) => value[name] !== null && value[name] !== false)
  if (!Array.isArray(value)) return undefined
  const items: readonly unknown[] = value
  const names = items.flatMap((item) => (typeof item === 'string' ? [item] : isRecord(item) ? rolesOf(item) : []))
  return names.length === 0 && items.length > 0 ? undefined : names
}

/** Returns Zitadel's roles, whose names are the keys of objects of organizations. */
function rolesOf(item: Claims): string[] {
  return Object.keys(item).filter((name) => isRecord(item[name]))
}
