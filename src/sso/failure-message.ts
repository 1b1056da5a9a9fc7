import * as oauth from 'oauth4webapi'
import { codeOf, isRecord } from '../platform/unknown.ts'

const WORDS_MAX = 200

const NO_NAME = 'the name of the provider cannot be resolved'
const NO_ROUTE = 'cannot connect to the provider: no way leads to its address'

const CAUSES: Readonly<Record<string, string>> = {
  EAI_AGAIN: NO_NAME,
  ECONNREFUSED: 'the provider refuses connections',
  ECONNRESET: 'the connection to the provider was lost',
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ENOTFOUND: NO_NAME,
  EPROTO: 'the provider does not use TLS',
}
const ABOUT_CERTIFICATE = /CERT|LEAF_SIGNATURE|HOSTNAME_MISMATCH/

export const CHOOSE_A_KEY =
  'podstep needs a signature with a key of the provider, as RS256 or ES256; in Authentik, choose a signing key for the provider'

/** Message for the log. Uses only messages, since other properties of the library's errors hold codes and tokens. */
export function failureMessage(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError)
    return `the provider refuses: ${words(error.error, error.error_description)}`
  if (error instanceof oauth.AuthorizationResponseError)
    return `the provider sent the browser back with an error: ${words(error.error, error.error_description)}`
  if (error instanceof oauth.WWWAuthenticateChallengeError) return `the provider refuses with status ${error.status}`
  if (!(error instanceof Error)) return 'unknown cause'
  if (error.name === 'TimeoutError') return 'the provider does not answer in time'
  if (error instanceof SyntaxError) return `the answer of the provider is invalid: ${error.message.slice(0, WORDS_MAX)}`
  const alg = algorithmOf(error.cause)
  if (alg !== undefined) {
    const name = JSON.stringify(alg.slice(0, 30))
    return /^(?:HS|none)/.test(alg)
      ? `${error.message}, ${name}: ${CHOOSE_A_KEY}`
      : `${error.message}, ${name}: the description of the provider does not name it`
  }
  if (error.message.startsWith('JWE ')) return ENCRYPTED
  const code = codeOf(error)
  const cause = ABOUT_CERTIFICATE.test(code) ? 'the certificate of the provider is not trusted' : CAUSES[code]
  return `${cause ?? error.message.slice(0, WORDS_MAX)}${code && ` (${code})`}`
}

const ENCRYPTED =
  'the provider encrypts its tokens, which podstep does not read: remove the encryption key there (in Authentik, of the provider)'

function algorithmOf(cause: unknown): string | undefined {
  if (!isRecord(cause)) return undefined
  const { alg } = isRecord(cause['header']) && 'expected' in cause ? cause['header'] : cause
  return typeof alg === 'string' ? alg : undefined
}

function words(error: string, description: string | undefined): string {
  const text = `${error}${description === undefined ? '' : `, ${description}`}`
  // Some providers quote the code that they refuse.
  return text.replaceAll(/[\w.~+/-]{20,}/g, '…').slice(0, WORDS_MAX)
}
