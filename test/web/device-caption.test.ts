import { expect, test } from 'bun:test'
import { captionOf } from '../../src/web/components/device.tsx'

const DEVICES = [
  { id: 'ida-pixel', caption: 'Pixel in the kitchen' },
  { id: 'desk', caption: ' ' },
]

test.each([
  ['a name that was given', 'ida-pixel', DEVICES, 'Pixel in the kitchen'],
  ['its id if it has no name', 'desk', DEVICES, 'desk'],
  ['its id if it is there no more', 'old-phone', DEVICES, 'old-phone'],
  ['its id while nothing is known', 'ida-pixel', undefined, 'ida-pixel'],
])('a device is called by %s', (_, id, devices, expected) => {
  expect(captionOf(id, devices)).toBe(expected)
})
