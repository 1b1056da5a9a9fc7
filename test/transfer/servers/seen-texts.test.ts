import { expect, test } from 'bun:test'
import { createSeenTexts } from '../../../src/transfer/servers/seen-texts.ts'

test('each of many texts is new once', () => {
  const seen = createSeenTexts()
  const texts = Array.from({ length: 50_000 }, (_, n) => `text ${n}`)
  expect(texts.every((text) => seen.add(text))).toBe(true)
  expect(texts.some((text) => seen.add(text))).toBe(false)
  expect(['', ''].map((text) => seen.add(text))).toEqual([true, false])
  expect(seen.size).toBe(50_001)
})
