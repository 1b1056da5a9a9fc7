import { afterEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatTimestamp, parseActionTimestamp, parseSince } from '../../../src/domain/shared/time.ts'

/** 2025-03-02T10:00:00 UTC */
const MORNING = 1_740_909_600
const NOW = MORNING
const anySecond = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 })

describe('a date is written as YYYY-MM-DDTHH:MM:SS', () => {
  test.each([
    [MORNING + 0.999, '2025-03-02T10:00:00'],
    // Clamped.
    [-62_167_219_201, '0000-01-01T00:00:00'],
    [253_402_300_800, '9999-12-31T23:59:59'],
    [Number.POSITIVE_INFINITY, '9999-12-31T23:59:59'],
    [Number.NEGATIVE_INFINITY, '0000-01-01T00:00:00'],
    [Number.NaN, '1970-01-01T00:00:00'],
  ])('%d is %s', (seconds, text) => {
    expect(formatTimestamp(seconds)).toBe(text)
  })

  test('like the standard library does, without fraction and zone', () => {
    fc.assert(
      fc.property(anySecond, (seconds) => {
        expect(formatTimestamp(seconds)).toBe(new Date(seconds * 1000).toISOString().slice(0, 19))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('the time of an action (D44)', () => {
  test.each([
    ...'2025-03-02T10:00:00 2025-03-02t10:00:00z 2025-03-02T10:00:00Z 2025-03-02T10:00:00.000Z'.split(' '),
    ...'2025-03-02T10:00:00.999999 2025-03-02T10:00:00,5 2025-03-02T10:00 2025-03-02T10:00:00+00:00'.split(' '),
    ...'2025-03-02T12:00:00+02:00 2025-03-02T12:00:00+0200 2025-03-02T12:00:00+02'.split(' '),
    ...'2025-03-01T22:30:00-11:30 2025-03-02T09:59:60'.split(' '),
    '2025-03-02 10:00:00',
    ' 2025-03-02T10:00:00 ',
    ...[MORNING, MORNING + 0.5, `${MORNING}`, MORNING * 1000, MORNING * 1000 + 999, `${MORNING}000`],
  ])('%j is the same moment', (value) => {
    expect(parseActionTimestamp(value, 1)).toBe(MORNING)
  })

  test.each([undefined, null, '', '  '])('%j is the time of arrival', (value) => {
    expect(parseActionTimestamp(value, NOW)).toBe(NOW)
  })

  test.each([
    [1e11, 1e11],
    [1e11 + 1, 1e8],
    [-0, 0],
    ['0', 0],
    ['1969-12-31T23:59:59', -1],
    ['0001-01-01T00:00:00Z', -62_135_596_800],
    ['9999-12-31T23:59:59', 253_402_300_799],
    ['2024-02-29T00:00:00', 1_709_164_800],
  ])('%j is %d', (value, seconds) => {
    expect(parseActionTimestamp(value, NOW)).toBe(seconds)
  })

  test.each([
    ...'yesterday 2025-03-02 2025-13-01T00:00:00 2025-00-01T00:00:00 2025-02-29T00:00:00'.split(' '),
    ...'2025-04-31T00:00:00 2025-03-02T24:00:00 2025-03-02T10:60:00 2025-03-02T10:00:61'.split(' '),
    ...'2025-03-02T10:00:00+24:00 2025-03-02T10:00:00+02: 12025-03-02T10:00:00 9999-12-31T23:59:59-01:00'.split(' '),
    ...'10:00:00 -5 1e9 0x10 99999999999999999999'.split(' '),
    ...['2025-03-02T10:00:00 CET', -1, Number.NaN, Number.POSITIVE_INFINITY, 1e15, true, {}, [[MORNING]]],
  ])('%j is refused', (value) => {
    expect(() => parseActionTimestamp(value, NOW)).toThrow(
      expect.objectContaining({ code: 'validation_failed', field: 'timestamp' }),
    )
  })

  test('a written date reads back', () => {
    fc.assert(
      fc.property(anySecond, (seconds) => {
        expect(parseActionTimestamp(formatTimestamp(seconds), NOW)).toBe(seconds)
      }),
      { numRuns: 2000 },
    )
  })
})

const zone = process.env.TZ
afterEach(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

test('the time zone of the server does not matter', () => {
  for (const each of ['UTC', 'America/St_Johns', 'Pacific/Apia', 'Europe/Berlin']) {
    process.env.TZ = each
    expect(parseActionTimestamp('2025-03-30T02:30:00', NOW)).toBe(1_743_301_800)
    expect(formatTimestamp(1_743_301_800)).toBe('2025-03-30T02:30:00')
  }
})

describe('since (D15)', () => {
  test.each([
    [0, [undefined, '', ' ', '0']],
    [1_740_909_601, ['1740909601', '1740909601.0', '1740909601.987', ' 1740909601 ', '001740909601', '1740909601.']],
    [Number.MAX_SAFE_INTEGER, ['9007199254740993', '9'.repeat(400)]],
  ])('is %d', (since, texts) => {
    for (const raw of texts) expect([raw, parseSince(raw)]).toEqual([raw, since])
  })

  test.each([...'-1 -0 +5 .5 1e3 0x10 NaN Infinity -Infinity null abc 1,5 ١ 2025-03-02'.split(' '), '1 2'])(
    '%j is refused',
    (raw) => {
      expect(() => parseSince(raw)).toThrow(expect.objectContaining({ code: 'validation_failed', field: 'since' }))
    },
  )
})
