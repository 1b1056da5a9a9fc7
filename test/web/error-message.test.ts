import './support/browser-globals.ts'
import { beforeAll, expect, test } from 'bun:test'
import type { SignInErrorCode } from '../../src/domain/accounts/single-sign-on.ts'
import type { FeedFailureReason } from '../../src/domain/feeds/ports.ts'
import { ERROR_CODES } from '../../src/domain/shared/errors.ts'
import { ApiError } from '../../src/web/api/client.ts'
import { errorMessage, toastError } from '../../src/web/components/feedback/notice.tsx'
import { setLanguage } from '../../src/web/locales/index.ts'
import { toasts } from '../../src/web/store/toasts.ts'
import { LOCALES, t } from './support/texts.ts'

beforeAll(() => setLanguage('en'))

test.each([
  ['a code with a text of its page', new ApiError(409, 'last_admin', 'x'), t('admin.users.errors.last_admin')],
  ['a field', new ApiError(422, 'validation_failed', 'x', 'email'), t('admin.users.fields.email')],
  ['a field without a text', new ApiError(422, 'validation_failed', 'x', 'shoe'), t('errors.codes.validation_failed')],
  ['a code without a text of its page', new ApiError(502, 'feed_unreachable', 'x'), t('errors.codes.feed_unreachable')],
  ['a rate limit', new ApiError(429, 'rate_limited', 'x', undefined, 17), '17 seconds'],
  ['a rate limit of unknown length', new ApiError(429, 'rate_limited', 'x'), t('errors.codes.rate_limited')],
  ['a long rate limit', new ApiError(429, 'rate_limited', 'x', undefined, 541), '10 minutes'],
  ['too many wrong codes', new ApiError(429, 'rate_limited', 'x', 'code', 1800), 'Use a recovery code'],
  ['a very long rate limit', new ApiError(429, 'rate_limited', 'x', undefined, 7200), '2 hours'],
  ['unsent reports', new ApiError(0, 'unsent', 'x'), 'If you sign out again'],
  ['an unknown code', new ApiError(409, 'brand_new', 'not today'), t('common.errors.unexpected')],
  ['an error in the client', new Error('oh'), t('common.errors.unexpected')],
])('the message for %s', (_, error, expected) => {
  expect(errorMessage(error, 'admin.users')).toContain(expected)
})

test.each([...LOCALES])('exactly the error codes of the server have texts (%s)', (_, texts) => {
  expect(new Set(Object.keys(texts.errors.codes))).toEqual(new Set(Object.keys(ERROR_CODES)))
})

test.each<[string, unknown, string | undefined]>([
  ['of an unknown code', new ApiError(409, 'brand_new', 'not today'), 'not today'],
  ['of the browser', new Error('oh'), 'oh'],
  ['of a known code', new ApiError(409, 'last_admin', 'the last one'), undefined],
  ['of an unreachable server', new ApiError(0, 'offline', 'unreachable'), undefined],
])('the English message %s is shown as a detail only if necessary', (_, error, detail) => {
  toastError(error)
  expect(toasts.value.at(-1)).toMatchObject({ kind: 'error', text: errorMessage(error) })
  expect(toasts.value.at(-1)?.detail).toBe(detail as never)
})

test('exactly the error codes of single sign-on have texts', () => {
  const codes = {
    ...{ sso_state: true, sso_denied: true, sso_failed: true, sso_unavailable: true, account_inactive: true },
    ...{ account_pending: true, registration_closed: true, email_taken: true, identity_taken: true },
  } satisfies Record<SignInErrorCode, true>
  expect(new Set(Object.keys(LOCALES.get('en')?.auth.errors ?? {}))).toEqual(new Set(Object.keys(codes)))
})

test.each([...LOCALES])('each reason of a failing feed has texts for users and administrators (%s)', (_, texts) => {
  const reasons = {
    ...{ forbidden: true, unreachable: true, timeout: true, tls: true, too_large: true, not_a_feed: true },
    ...{ gone: true, not_found: true, denied: true, blocked: true, refused: true, server_error: true, internal: true },
  } satisfies Record<FeedFailureReason, true>
  const expected = new Set(Object.keys(reasons))
  expect(new Set(Object.keys(texts.podcast.reasons))).toEqual(expected)
  expect(new Set(Object.keys(texts.admin.feeds.reasons))).toEqual(expected)
})
