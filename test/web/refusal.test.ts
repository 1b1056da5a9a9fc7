import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ApiError } from '../../src/web/api/client.ts'
import { refusalText } from '../../src/web/parts/refusal.ts'
import { isSameName } from '../../src/web/state/typed-name.ts'
import { admin } from '../../src/web/text/en/admin.ts'
import { speak } from '../../src/web/text/index.ts'

const { refusals, fields } = admin.users

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
    ['a rule that an unknown field breaks', new ApiError(422, 'validation_failed', 'too odd', 'shoe'), 'too odd'],
    ['a word that is new', new ApiError(409, 'brand_new', 'not today'), 'not today'],
    ['a fault of the page itself', new Error('oh'), 'oh'],
  ])('%s', (_, error, expected) => {
    expect(refusalText(error, refusals, fields)).toContain(expected ?? 'nothing')
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
