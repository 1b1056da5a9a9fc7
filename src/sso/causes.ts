import * as oauth from 'oauth4webapi'

/** Nobody reads more of a provider's own words. */
const WORDS_MAX = 200

/**
 * What went wrong, for the log of an administrator. Only messages: what the library hangs on its errors holds codes and tokens.
 */
export function inPlainWords(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError)
    return `the provider refuses: ${words(error.error, error.error_description)}`
  if (error instanceof oauth.AuthorizationResponseError)
    return `the provider sent the browser back with an error: ${words(error.error, error.error_description)}`
  if (error instanceof oauth.WWWAuthenticateChallengeError) return `the provider refuses with status ${error.status}`
  if (!(error instanceof Error)) return 'unknown cause'
  if (error.name === 'TimeoutError') return 'the provider takes too long to answer'
  const code = 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return `${error.message.slice(0, WORDS_MAX)}${code}`
}

function words(error: string, description: string | undefined): string {
  const text = `${error}${description === undefined ? '' : `, ${description}`}`
  // Some quote the code they refuse.
  return text.replaceAll(/[\w.~+/-]{20,}/g, '…').slice(0, WORDS_MAX)
}
