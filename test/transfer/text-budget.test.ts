import { expect, test } from 'bun:test'
import { createTextBudget } from '../../src/transfer/texts.ts'

const MILLION = 1024 * 1024

test('a budget limits the total length of texts', () => {
  const { keep } = createTextBudget(2 * MILLION)
  const text = 'x'.repeat(MILLION - 100)
  expect([keep(text), keep(undefined)]).toEqual([text, undefined])
  expect(() => {
    keep(text)
    keep(text)
  }).toThrow('it holds too much text to import: more than 2 million characters')
})

test.each([[''], [undefined]])('a budget also limits the number of empty texts (%p)', (text) => {
  const { keep } = createTextBudget(MILLION)
  const keepMany = () => {
    for (let n = 0; n < MILLION; n++) keep(text)
  }
  expect(keepMany).toThrow(expect.objectContaining({ code: 'validation_failed' }))
})
