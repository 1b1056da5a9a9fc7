import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const rows = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')))

/** Citations of the form: `file` "words". */
const citationsOf = (text: string) =>
  [...text.matchAll(/`([\w./-]+)` "([^"]+)"/g)].map(([, file = '', words = '']) => ({ file, words }))

test('requirements in docs/security.md have unique numbers', () => {
  const numbers = rows.flatMap(([number = '']) => number.split(', '))
  expect(numbers.length).toBeGreaterThan(80)
  expect(new Set(numbers).size).toBe(numbers.length)
})

describe.each(rows)('%s: %s', (_number, _requirement, state, held) => {
  test('has evidence that exists, or a reason', () => {
    const citations = citationsOf(held ?? '')
    expect(['Met', 'Partly', 'Not met', 'Not applicable']).toContain(state ?? '')
    if (state === 'Met') expect(citations).not.toBeEmpty()
    expect(held).not.toBeEmpty()
    // Each test file is cited with words from it.
    expect(held?.match(/`test\//g)?.length ?? 0).toBe(citations.filter(({ file }) => file.startsWith('test/')).length)
    const missing = citations.filter(({ file, words }) => {
      const path = join(ROOT, file)
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(words)
    })
    expect(missing).toEqual([])
  })
})
