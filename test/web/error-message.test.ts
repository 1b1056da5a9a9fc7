import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { listErrorCodes } from '../../src/domain/shared/errors.ts'
import { ApiError } from '../../src/web/api/client.ts'
import { errorMessage } from '../../src/web/components/feedback/notice.tsx'
import { findText, setLanguage } from '../../src/web/locales/index.ts'
import { t } from './support/texts.ts'

// Setting a language notes it on the page, and needs nothing else of it.
beforeAll(async () => {
  Object.assign(globalThis, { document: { documentElement: { lang: '' } } })
  await setLanguage('en')
})
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'document')
})

test.each([
  ['a code that the page has a text for', new ApiError(409, 'last_admin', 'x'), t('admin.users.errors.last_admin')],
  ['a field', new ApiError(422, 'validation_failed', 'x', 'email'), t('admin.users.fields.email')],
  ['a field without a text', new ApiError(422, 'validation_failed', 'x', 'shoe'), t('errors.codes.validation_failed')],
  ['a code without a text of the page', new ApiError(502, 'feed_unreachable', 'x'), t('errors.codes.feed_unreachable')],
  ['a rate limit', new ApiError(429, 'rate_limited', 'x', undefined, 17), '17 seconds'],
  ['a rate limit of unknown length', new ApiError(429, 'rate_limited', 'x'), t('errors.codes.rate_limited')],
  ['a code that is unknown here', new ApiError(409, 'brand_new', 'not today'), 'not today'],
  ['an error of the page itself', new Error('oh'), 'oh'],
])('the message for %s', (_, error, expected) => {
  expect(errorMessage(error, 'admin.users')).toContain(expected)
})

test('every error code of the server has a text', () => {
  expect(
    listErrorCodes()
      .map(({ code }) => code)
      .filter((code) => findText(`errors.codes.${code}`) === undefined),
  ).toEqual([])
})

describe('messages are in the language of the user', () => {
  test.each(['de', 'fr', 'es', 'it'] as const)('%s', async (language) => {
    const english = new Map(listErrorCodes().map(({ code }) => [code, findText(`errors.codes.${code}`)]))
    await setLanguage(language)
    for (const [word, text] of english) {
      const message = errorMessage(new ApiError(400, word, 'an English sentence'))
      expect(message).not.toContain('an English sentence')
      expect(message).not.toBe(text ?? '')
    }
    await setLanguage('en')
  })
})
