import { expect, test } from 'bun:test'
import { cronIssue, nextTime } from '../../src/platform/cron.ts'

/** In local time, which the scheduler uses. */
const at = (text: string) => new Date(`2025-03-02T${text}`).getTime() / 1000

test.each([
  ['0 4 * * *', '03:00:00', '04:00:00'],
  ['0 4 * * *', '03:59:59', '04:00:00'],
  ['*/20 * * * * *', '10:00:05', '10:00:20'],
])('%s follows %s at %s', (pattern, now, next) => {
  expect(nextTime(pattern, at(now))).toBe(at(next))
})

test('a pattern that never matches has no next time, and is reported', () => {
  expect(nextTime('0 0 30 2 *', at('10:00:00'))).toBeUndefined()
  expect(cronIssue('0 0 30 2 *')).toBe('it never matches')
  expect(cronIssue('0 4 * * *')).toBeUndefined()
  expect(cronIssue('61 * * * *')).toContain('61')
})
