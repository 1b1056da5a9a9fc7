import { expect, test } from 'bun:test'
import { deviceIdFor } from '../../src/web/pages/transfer/device-id.ts'

test.each([
  ['Web', ['web', 'web-2'], 'web-3'],
  ['Ida’s phone', [], 'ida-s-phone'],
  ['台所', [], '台所'],
  ['.. / ..', [], 'web'],
  ['x'.repeat(80), [], 'x'.repeat(64)],
  ['x'.repeat(80), ['x'.repeat(64)], `${'x'.repeat(59)}-2`],
])('the ID for a device %p beside %p is %s (docs/protocol.md#D13)', (name, taken, id) => {
  expect(deviceIdFor(name, taken)).toBe(id)
  expect(id).toMatch(/^[\p{L}\p{N}_.-]{1,64}$/u)
})
