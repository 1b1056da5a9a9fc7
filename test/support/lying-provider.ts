import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { settingsOf } from './browser.ts'

type Json = Readonly<Record<string, unknown>>
/** Takes the correct response of a provider and returns the one to send. */
type Lie = (truth: Json) => Json | Response | Promise<Response>

export interface Lies {
  readonly discovery?: Lie
  /** Parameters of the redirect back to podstep. */
  readonly callback?: (truth: Json) => Json
  /** `by` is the client's authentication method. */
  readonly token?: (truth: Json, by: 'client_secret_basic' | 'client_secret_post') => ReturnType<Lie>
  readonly header?: (truth: Json) => Json
  readonly claims?: (truth: Json) => Json
  /** Signature of a token, in base64url. */
  readonly signature?: (input: string) => string
  readonly keys?: Lie
  readonly userinfo?: Lie
}

export interface LyingProvider extends AsyncDisposable {
  readonly issuer: string
  /** Settings of a podstep at `BASE_URL` for this provider. */
  readonly settings: Record<string, string>
  /** Lies from now on. */
  lies: Lies
  /** Claims about the next person who signs in. */
  person: Json
  /** Secrets issued so far. */
  readonly secrets: readonly string[]
  /** Requested paths, in order. */
  readonly paths: readonly string[]
  /** Returns claims as a token, with the lies about tokens applied. */
  jwt(claims: Json): string
}

export const CLIENT_SECRET = 'the client secret of 32 letters!'

/** A provider that signs people in without a prompt: correct except for its `lies`, and faster than a real one. */
export function startLyingProvider(lies: Lies = {}): LyingProvider {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const signed = (input: string) =>
    sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')
  const secrets = [CLIENT_SECRET]
  const paths: string[] = []
  /** Claims by authorization code and by access token. */
  const claimsOf = new Map<string, Json>()

  function secret(value: string | null): string {
    if (value) secrets.push(value)
    return value ?? ''
  }

  function authorize(query: URLSearchParams): Response {
    const code = secret(randomUUID())
    const now = Math.floor(Date.now() / 1000)
    const { person } = provider
    const nonce = secret(query.get('nonce'))
    claimsOf.set(code, { ...person, iss: issuer, aud: query.get('client_id'), nonce, iat: now, exp: now + 300 })
    const truth = { code, state: secret(query.get('state')), iss: issuer }
    const back = provider.lies.callback?.(truth) ?? truth
    return Response.redirect(`${query.get('redirect_uri') ?? ''}?${new URLSearchParams(texts(back))}`)
  }

  function jwt(claims: Json): string {
    const { lies: activeLies } = provider
    const header = { alg: 'ES256', typ: 'JWT', kid: 'key-1' }
    const input = [activeLies.header?.(header) ?? header, activeLies.claims?.(claims) ?? claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return secret(`${input}.${(activeLies.signature ?? signed)(input)}`)
  }

  async function token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const code = form.get('code') ?? ''
    secret(form.get('code_verifier'))
    const accessToken = secret(randomUUID())
    const claims = claimsOf.get(code) ?? {}
    claimsOf.set(accessToken, claims)
    const truth = { access_token: accessToken, token_type: 'Bearer', expires_in: 60, id_token: jwt(claims) }
    const by = request.headers.has('authorization') ? 'client_secret_basic' : 'client_secret_post'
    const { token: lie } = provider.lies
    return respond(lie && (() => lie(truth, by)), truth)
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    paths.push(pathname)
    const { lies: activeLies } = provider
    if (pathname === '/authorize') return authorize(searchParams)
    if (pathname === '/.well-known/openid-configuration') return respond(activeLies.discovery, discovery(issuer))
    if (pathname === '/token') return token(request)
    if (pathname === '/keys') {
      const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'key-1', alg: 'ES256', use: 'sig' }]
      return respond(activeLies.keys, { keys })
    }
    if (pathname === '/userinfo') {
      const bearer = request.headers.get('authorization')?.replace('Bearer ', '') ?? ''
      return respond(activeLies.userinfo, claimsOf.get(bearer) ?? {})
    }
    return new Response('nothing here', { status: 404 })
  }

  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  const issuer = `http://127.0.0.1:${server.port}`

  const provider: LyingProvider = {
    issuer,
    settings: { ...settingsOf(issuer, 'podstep'), oidc_client_secret: CLIENT_SECRET },
    lies,
    person: { sub: 'ida', preferred_username: 'ida', email: 'ida@pods.example', email_verified: true },
    secrets,
    paths,
    jwt,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return provider
}

function discovery(issuer: string): Json {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    // Includes insecure algorithms: a client must not rely on the provider to list only secure ones.
    id_token_signing_alg_values_supported: ['ES256', 'RS256', 'HS256', 'none'],
    userinfo_signing_alg_values_supported: ['ES256', 'RS256', 'HS256', 'none'],
    authorization_response_iss_parameter_supported: true,
  }
}

async function respond(lie: Lie | undefined, truth: Json): Promise<Response> {
  const body = (await lie?.(truth)) ?? truth
  return body instanceof Response ? body : Response.json(body)
}

function texts(values: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)]))
}
