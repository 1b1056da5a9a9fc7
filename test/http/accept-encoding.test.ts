import { expect, test } from 'bun:test'
import { chooseCoding } from '../../src/http/responses/accept-encoding.ts'

test.each([
  // What clients say, from the simplest to the longest.
  [null, undefined],
  ['', undefined],
  ['identity', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['br,gzip', 'br'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', undefined],
  ['compress, sdch', undefined],
  // Weights.
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0.2, br;q=0.2', 'br'],
  ['gzip;q=0', undefined],
  ['gzip;q=0, br', 'br'],
  ['br; q=0.001', 'br'],
  ['identity, gzip', 'gzip'],
  ['identity;q=0.5, gzip;q=0.4', undefined],
  ['identity;q=0', undefined],
  ['identity;q=0, gzip', 'gzip'],
  // Anything.
  ['*', 'gzip'],
  ['*;q=0.1', 'gzip'],
  ['*;q=0', undefined],
  ['gzip;q=0, *', undefined],
  ['br;q=0, *', 'gzip'],
  // What is no header of this kind.
  ['gzip;q=2', undefined],
  ['gzip;q=-1', undefined],
  ['gzip;q=x', undefined],
  ['gzipped', undefined],
  [',,;q=1, gzip ;', 'gzip'],
] as const)('Accept-Encoding: %p is answered with %p', (header, expected) => {
  expect(chooseCoding(header, ['zstd', 'br', 'gzip'])).toBe(expected)
})

test('what is not offered is not chosen', () => {
  expect(chooseCoding('gzip, br, zstd', ['gzip'])).toBe('gzip')
  expect(chooseCoding('br, zstd', ['gzip'])).toBeUndefined()
})
