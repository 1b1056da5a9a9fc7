import { ApiError } from '../../api/client.ts'
import { findText, type PlainKey, t } from '../../locales/index.ts'

/** Parts of the texts that have messages of their own for error codes, such as `admin.users` with `admin.users.errors.last_admin`. */
export type ErrorScope = PlainKey extends infer K
  ? K extends `${infer Scope}.errors.${string}`
    ? Scope
    : never
  : never

/**
 * What went wrong, for the user. A page with a scope has texts that know what the user was doing; otherwise the general text for the
 * error code is used, and for codes that this client does not know the English message of the server.
 */
export function errorMessage(error: unknown, scope?: ErrorScope): string {
  if (!(error instanceof ApiError))
    return t('common.errors.unexpected', { message: error instanceof Error ? error.message : String(error) })
  const { code, field, retryAfter } = error
  if (scope !== undefined) {
    const ofField = code === 'validation_failed' ? findText(`${scope}.fields.${field}`) : undefined
    const ofScope = ofField ?? findText(`${scope}.errors.${code}`)
    if (ofScope !== undefined) return ofScope
  }
  if (code === 'offline') return t('common.errors.offline')
  if (code === 'rate_limited' && retryAfter !== undefined)
    return t('common.errors.rateLimited', { seconds: retryAfter })
  return findText(`errors.codes.${code}`) ?? t('common.errors.unexpected', { message: error.message })
}
