import { expect, test } from 'bun:test'
import {
  type Check,
  hasError,
  ok,
  resultLines,
  resultsJson,
  runChecks,
  warning,
} from '../../../src/cli/doctor/checks.ts'

const CHECKS: readonly Check[] = [
  { name: 'one', run: () => ok('fine') },
  { name: 'two', run: () => Promise.resolve(warning('odd', 'look')) },
]

test('results come one by one, as lines and as JSON', async () => {
  const lines: string[] = []
  const results = await runChecks(CHECKS, (result) => lines.push(resultLines(result)))
  expect(lines.join('')).toBe(
    'ok       one          fine\nWARNING  two          odd\n                      what to do: look\n',
  )
  expect(hasError(results)).toBe(false)
  expect(JSON.parse(resultsJson(results))).toEqual({
    ok: true,
    checks: [
      { check: 'one', status: 'ok', observed: 'fine', what_to_do: null },
      { check: 'two', status: 'warning', observed: 'odd', what_to_do: 'look' },
    ],
  })
})

test('a check that fails itself is an error, and the others are made', async () => {
  const broken: Check = { name: 'broken', run: () => Promise.reject(new Error('no such thing')) }
  const results = await runChecks([broken, ...CHECKS], () => undefined)
  expect(results.map(({ status }) => status)).toEqual(['error', 'ok', 'warning'])
  expect(results[0]?.observed).toBe('the check could not be made: no such thing')
  expect(hasError(results)).toBe(true)
})
