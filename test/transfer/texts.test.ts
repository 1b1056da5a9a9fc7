import { heapSize } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { copyOf, createTextBudget, exampleStart, isTooLongForAddress, titleStart } from '../../src/transfer/texts.ts'

const MIB = 1024 * 1024

test.each([
  ['copyOf', copyOf],
  ['titleStart', titleStart],
  ['exampleStart', exampleStart],
])('%s does not keep the longer text of its argument in memory', (_name, start) => {
  const kept: string[] = []
  Bun.gc(true)
  const before = heapSize()
  for (let n = 0; n < 50; n++) {
    const long = Buffer.alloc(MIB, `abcdefghij${n}`).toString()
    kept.push(start(long.slice(10, 110)), start(long.slice(0, 100)))
  }
  Bun.gc(true)
  expect(heapSize() - before).toBeLessThan(5 * MIB)
  expect(kept.every((text) => text.length === 100)).toBe(true)
})

test.each(['', 'a', 'Fog & 🌊', '\ud800 "\\', 'ö\u0000\n'])('a copy of %j is the same text', (text) => {
  expect(copyOf(text)).toBe(text)
})

test('titles and examples are cut, addresses are not', () => {
  const long = 'x'.repeat(10_000)
  expect([titleStart(long).length, exampleStart(long).length]).toEqual([1000, 250])
  expect([long, 'x'.repeat(4097), 'x'.repeat(4096)].map(isTooLongForAddress)).toEqual([true, true, false])
})

test('a budget limits the total length of texts', () => {
  const { keep } = createTextBudget(2 * MIB)
  const text = 'x'.repeat(MIB - 100)
  expect([keep(text), keep(undefined)]).toEqual([text, undefined])
  expect(() => {
    keep(text)
    keep(text)
  }).toThrow('it holds too much text to import: more than 2 million characters')
})

test.each([[''], [undefined]])('a budget also limits the number of empty texts (%p)', (text) => {
  const { keep } = createTextBudget(MIB)
  const keepMany = () => {
    for (let n = 0; n < MIB; n++) keep(text)
  }
  expect(keepMany).toThrow(expect.objectContaining({ code: 'validation_failed' }))
})
