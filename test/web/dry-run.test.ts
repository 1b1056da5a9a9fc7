import { describe, expect, test } from 'bun:test'
import { deviceIdFor } from '../../src/web/pages/transfer/preview.tsx'
import { countStates, dryRun } from '../../src/web/pages/transfer/read-list.ts'

const run = (known: readonly string[], ...addresses: readonly string[]) =>
  dryRun(
    addresses.map((address) => ({ address, title: '' })),
    (url) => known.includes(url),
  )

describe('the dry run of an import', () => {
  test.each([
    ['https://a.example/f', 'new', 'https://a.example/f'],
    ['feed://A.example/f', 'new', 'http://a.example/f'],
    ['a.example/f', 'new', 'http://a.example/f'],
    ['https://ida:pw@a.example/f', 'new', 'https://a.example/f'],
    ['https://have.example/f', 'known', 'https://have.example/f'],
    ['HTTPS://Have.example/f', 'known', 'https://have.example/f'],
    ['antennapod_local:content://1', 'invalid', 'antennapod_local:content://1'],
    ['ftp://a.example/f', 'invalid', 'ftp://a.example/f'],
    ['javascript:alert(1)', 'invalid', 'javascript:alert(1)'],
    [`https://a.example/${'x'.repeat(2048)}`, 'invalid', `https://a.example/${'x'.repeat(2048)}`],
    ['', 'invalid', ''],
  ] as const)('%p is %s', (address, state, url) => {
    expect(run(['https://have.example/f'], address)).toEqual([{ state, url, title: '' }])
  })

  test('the second of two addresses that the server keeps as one is twice there, known or not', () => {
    const rows = run(
      ['https://have.example/f'],
      ...['https://a.example/f', 'https://A.example/f', 'https://have.example/f', 'https://have.example/f', 'x', 'x'],
    )
    expect(rows.map(({ state }) => state)).toEqual(['new', 'duplicate', 'known', 'duplicate', 'invalid', 'invalid'])
    expect(countStates(rows)).toEqual({ new: 1, known: 1, duplicate: 2, invalid: 2 })
  })

  test('titles stay', () => {
    const [row] = dryRun([{ address: 'https://a.example/f', title: 'Harbour' }], () => false)
    expect(row?.title).toBe('Harbour')
  })
})

describe('the ID of a new device (docs/protocol.md#D13)', () => {
  test.each([
    ['Web', [], 'web'],
    ['Web', ['web'], 'web-2'],
    ['Web', ['web', 'web-2'], 'web-3'],
    ['Ida’s phone', [], 'ida-s-phone'],
    ['Küche & Bad', [], 'küche-bad'],
    ['台所', [], '台所'],
    ['…', [], 'web'],
    ['.. / ..', [], 'web'],
    ['v1.2_b', [], 'v1.2_b'],
    ['x'.repeat(80), [], 'x'.repeat(64)],
    ['x'.repeat(80), ['x'.repeat(64)], `${'x'.repeat(59)}-2`],
  ])('%p beside %p is %s', (name, taken, id) => {
    expect(deviceIdFor(name, taken)).toBe(id)
    expect(id).toMatch(/^[\p{L}\p{N}_.-]{1,64}$/u)
  })
})
