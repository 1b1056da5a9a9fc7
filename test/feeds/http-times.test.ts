import { describe, expect, test } from 'bun:test'
import { freshSeconds, retryAfterSeconds } from '../../src/worker/fetch-feed.ts'

const HOUR = 3600
const DAY = 24 * HOUR
/** 2025-03-02T10:00:00Z, a Sunday. */
const NOW = 1_740_909_600

describe('an answer is fresh', () => {
  test.each<[string, Record<string, string>, number]>([
    ['unless it says so, not at all', {}, 0],
    ['as its maximum age says', { 'cache-control': 'max-age=600' }, 600],
    ['with other directives around it', { 'cache-control': 'public, max-age=600, must-revalidate' }, 600],
    ['in any case and spacing', { 'cache-control': 'Public,  MAX-AGE = 600' }, 600],
    ['in quotation marks', { 'cache-control': 'max-age="600"' }, 600],
    ['not as long as caches on the way may keep it', { 'cache-control': 's-maxage=900' }, 0],
    ['not at all with the age zero', { 'cache-control': 'max-age=0' }, 0],
    ['for a day at the most', { 'cache-control': 'max-age=31536000' }, DAY],
    ['for a day with a number larger than any', { 'cache-control': `max-age=${'9'.repeat(400)}` }, DAY],
    ['not with an age below zero', { 'cache-control': 'max-age=-600' }, 0],
    ['not with an age that is none', { 'cache-control': 'max-age=soon' }, 0],
    ['not if it must not be kept', { 'cache-control': 'no-store, max-age=600' }, 0],
    ['not if it must be asked for each time', { 'cache-control': 'max-age=600, No-Cache' }, 0],
    ['until it expires', { expires: 'Sun, 02 Mar 2025 11:00:00 GMT' }, HOUR],
    ['until it expires, for a day at the most', { expires: 'Fri, 02 Mar 2035 11:00:00 GMT' }, DAY],
    ['not if it has expired', { expires: 'Sun, 02 Mar 2025 09:59:59 GMT' }, 0],
    ['not if it expired when there was no web yet', { expires: 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    ['not if it expires at zero', { expires: '0' }, 0],
    ['not if it expires at less', { expires: '-1' }, 0],
    ['not if it expires at no date', { expires: 'never' }, 0],
    [
      'by its age rather than by its end',
      { 'cache-control': 'max-age=60', expires: 'Sun, 02 Mar 2025 11:00:00 GMT' },
      60,
    ],
    [
      'until it expires if its age is no number',
      { 'cache-control': 'public', expires: 'Sun, 02 Mar 2025 11:00:00 GMT' },
      HOUR,
    ],
    [
      'not if it must be asked for, whenever it expires',
      { 'cache-control': 'no-cache', expires: 'Sun, 02 Mar 2025 11:00:00 GMT' },
      0,
    ],
  ])('%s', (_case, headers, seconds) => {
    expect(freshSeconds(new Headers(headers), NOW)).toBe(seconds)
  })

  test('as all of its lines together say', () => {
    const headers = new Headers([
      ['cache-control', 'public'],
      ['cache-control', 'max-age=600'],
    ])
    expect(freshSeconds(headers, NOW)).toBe(600)
  })
})

describe('a server wants to be left alone', () => {
  test.each<[string, string | undefined, number | undefined]>([
    ['unless it says so, for no time of its own', undefined, undefined],
    ['nor if it says nothing', '', undefined],
    ['nor if it says nothing sensible', 'later', undefined],
    ['for seconds', '120', 120],
    ['for no second', '0', 0],
    ['for seconds with spaces around them', '  120 ', 120],
    ['for a day at the most', '31536000', DAY],
    ['for a day with a number larger than any', '9'.repeat(400), DAY],
    ['until a date', 'Sun, 02 Mar 2025 10:02:00 GMT', 120],
    ['until a date in the manner of the seventies', 'Sunday, 02-Mar-25 10:02:00 GMT', 120],
    ['until a date, for a day at the most', 'Fri, 02 Mar 2035 10:00:00 GMT', DAY],
    ['until a date that is over', 'Sun, 02 Mar 2025 09:00:00 GMT', 0],
  ])('%s', (_case, value, seconds) => {
    const headers = new Headers(value === undefined ? {} : { 'retry-after': value })
    expect(retryAfterSeconds(headers, NOW)).toBe(seconds)
  })
})
