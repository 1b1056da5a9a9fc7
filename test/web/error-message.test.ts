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
  ['a code that the page has a text for', new ApiError(409, 'last_admin', 'x'), t('admin.users.errors.last_admin')],
  ['a field', new ApiError(422, 'validation_failed', 'x', 'email'), t('admin.users.fields.email')],
  ['a field without a text', new ApiError(422, 'validation_failed', 'x', 'shoe'), t('errors.codes.validation_failed')],
  ['a code without a text of the page', new ApiError(502, 'feed_unreachable', 'x'), t('errors.codes.feed_unreachable')],
  ['a rate limit', new ApiError(429, 'rate_limited', 'x', undefined, 17), '17 seconds'],
  ['a rate limit of unknown length', new ApiError(429, 'rate_limited', 'x'), t('errors.codes.rate_limited')],
  ['a long rate limit', new ApiError(429, 'rate_limited', 'x', undefined, 541), '10 minutes'],
  ['too many wrong codes', new ApiError(429, 'rate_limited', 'x', 'code', 1800), 'Use a recovery code'],
  ['a very long rate limit', new ApiError(429, 'rate_limited', 'x', undefined, 7200), '2 hours'],
  ['reports that were not sent', new ApiError(0, 'unsent', 'x'), 'If you sign out again'],
  ['a code that is unknown here', new ApiError(409, 'brand_new', 'not today'), t('common.errors.unexpected')],
  ['an error of the page itself', new Error('oh'), t('common.errors.unexpected')],
])('the message for %s', (_, error, expected) => {
  expect(errorMessage(error, 'admin.users')).toContain(expected)
})

test.each([...LOCALES])('every error code of the server has a text, and there are no others (%s)', (_, texts) => {
  expect(new Set(Object.keys(texts.errors.codes))).toEqual(new Set(Object.keys(ERROR_CODES)))
})

test.each<[string, unknown, string | undefined]>([
  ['of a code that only newer servers know', new ApiError(409, 'brand_new', 'not today'), 'not today'],
  ['of the browser', new Error('oh'), 'oh'],
  ['of a code that has a text', new ApiError(409, 'last_admin', 'the last one'), undefined],
  ['of a server that does not answer', new ApiError(0, 'offline', 'unreachable'), undefined],
])('the English message %s is a detail of its own', (_, error, detail) => {
  toastError(error)
  expect(toasts.value.at(-1)).toMatchObject({ kind: 'error', text: errorMessage(error) })
  expect(toasts.value.at(-1)?.detail).toBe(detail as never)
})

test('every error code of single sign-on has a text, and there are no others', () => {
  const codes = {
    ...{ sso_state: true, sso_denied: true, sso_failed: true, sso_unavailable: true, account_inactive: true },
    ...{ account_pending: true, registration_closed: true, email_taken: true, identity_taken: true },
  } satisfies Record<SignInErrorCode, true>
  expect(new Set(Object.keys(LOCALES.get('en')?.auth.errors ?? {}))).toEqual(new Set(Object.keys(codes)))
})

test.each([...LOCALES])(
  'every reason why a feed fails has words for listeners and for administrators (%s)',
  (_, texts) => {
    const reasons = {
      ...{
        forbidden: true,
        unreachable: true,
        timeout: true,
        tls: true,
        too_large: true,
        not_a_feed: true,
        gone: true,
      },
      ...{ not_found: true, denied: true, blocked: true, refused: true, server_error: true, internal: true },
    } satisfies Record<FeedFailureReason, true>
    const expected = new Set(Object.keys(reasons))
    expect(new Set(Object.keys(texts.podcast.reasons))).toEqual(expected)
    expect(new Set(Object.keys(texts.admin.feeds.reasons))).toEqual(expected)
  },
)
