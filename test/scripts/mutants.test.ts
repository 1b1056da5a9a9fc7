import { expect, test } from 'bun:test'
import { mutantsOf } from '../../scripts/mutants.ts'

const CASES: readonly [kind: string, source: string, mutated: readonly string[]][] = [
  ['a comparison', 'a < b', ['a <= b']],
  ['a logical operator', 'a && b', ['a || b']],
  ['a condition', 'if (a) b', ['if (!(a)) b']],
  ['a negation', 'f(!a)', ['', 'f(a)']],
  ['a conditional expression', 'const a = b ? c : d', ['const a = !(b) ? c : d']],
  ['a number', 'const a = 1', ['const a = 2']],
  ['a truth value', 'const a = true', ['const a = false']],
  ['a call whose result is ignored', 'f(a)', ['']],
  ['a step of a chain', 'const a = b.filter(c).map(d)', ['const a = b.map(d)']],
  ['no types', 'type A = 1 | true\nlet a: A<2>', []],
]

test.each(CASES)('mutates %s', (_, source, mutated) => {
  const texts = mutantsOf('a.ts', source).map(
    ({ start, end, text }) => source.slice(0, start) + text + source.slice(end),
  )
  expect(texts).toEqual([...mutated])
})

test('names the line of a mutant', () => {
  expect(mutantsOf('a.ts', 'const a = b\n\nconst c = 1').map(({ line }) => line)).toEqual([3])
})
