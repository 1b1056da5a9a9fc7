import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ERROR_WORDS } from '../../src/http/error-words.ts'
import { ApiError } from '../../src/web/api/client.ts'
import { refusalText } from '../../src/web/components/feedback/error-message.ts'
import { errorText } from '../../src/web/components/feedback/notice.tsx'
import { isSameName } from '../../src/web/store/imports.ts'
import { admin } from '../../src/web/text/en/admin.ts'
import { refusals as ownWords } from '../../src/web/text/en/refusals.ts'
import { speak } from '../../src/web/text/index.ts'

const { refusals, fields } = admin.users
const { words } = ownWords

// Nothing of a page is needed but where its language is noted.
beforeAll(async () => {
  Object.assign(globalThis, { document: { documentElement: { lang: '' } } })
  await speak('en')
})
afterAll(() => {
  Reflect.deleteProperty(globalThis, 'document')
})

describe('why something was refused', () => {
  test.each([
    ['a word of the page', new ApiError(409, 'last_admin', 'x'), refusals['last_admin']],
    ['a rule that a field breaks', new ApiError(422, 'validation_failed', 'x', 'email'), fields['email']],
    [
      'a rule that an unknown field breaks',
      new ApiError(422, 'validation_failed', 'too odd', 'shoe'),
      words['validation_failed'],
    ],
    ['a word that no page needs for itself', new ApiError(502, 'feed_unreachable', 'x'), words['feed_unreachable']],
    ['too much haste', new ApiError(429, 'rate_limited', 'x', undefined, 17), '17 seconds'],
    ['too much haste, for an unknown time', new ApiError(429, 'rate_limited', 'x'), words['rate_limited']],
    ['a word that is new', new ApiError(409, 'brand_new', 'not today'), 'not today'],
    ['a fault of the page itself', new Error('oh'), 'oh'],
  ])('%s', (_, error, expected) => {
    expect(refusalText(error, refusals, fields)).toContain(expected ?? 'nothing')
  })
})

test('there are own words for all that the server refuses with', () => {
  expect(ERROR_WORDS.map(({ word }) => word).filter((word) => words[word] === undefined)).toEqual([])
})

describe('what the server says is told in the language of the person', () => {
  test.each(['de', 'fr', 'es', 'it'] as const)('%s', async (language) => {
    await speak(language)
    for (const word of Object.keys(words)) {
      const text = errorText(new ApiError(400, word, 'an English sentence'))
      expect(text).not.toContain('an English sentence')
      expect(text).not.toBe(words[word] ?? '')
    }
    await speak('en')
  })
})

describe('a name typed to confirm', () => {
  test.each([
    ['ole', 'ole', true],
    [' Ole ', 'ole', true],
    ['ol', 'ole', false],
    ['', 'ole', false],
  ])('%j for %s: %p', (typed, username, expected) => {
    expect(isSameName(typed, username)).toBe(expected)
  })
})
