import { expect, test } from 'bun:test'
import { encode } from 'uqr'
import { qrPath } from '../../src/web/components/qr-path.ts'
import { activeSince, addressesForApps, stepParts } from '../../src/web/pages/connect/connection.ts'
import { LOCALES } from './support/texts.ts'

const LAN = ['http://192.168.1.20:8080', 'http://10.0.0.7:8080']
const NAS = 'http://nas.lan:8080'
const PUBLIC = 'https://p.example'

test.each<[string, page: string, base_url: string, addresses: string[], expected: string[]]>([
  ['that of the page, then those of the network', `${NAS}/`, NAS, LAN, [NAS, ...LAN]],
  ['only that of the page if it has HTTPS', `${PUBLIC}/`, PUBLIC, LAN, [PUBLIC]],
  [
    'those of the network if the page is at a loopback address',
    'http://localhost:8080/',
    'http://localhost:8080',
    LAN,
    LAN,
  ],
  ['each once', `${LAN[1]}/`, LAN[1] ?? '', LAN, [LAN[1] ?? '', LAN[0] ?? '']],
  ['the configured one first', `${NAS}/`, PUBLIC, [PUBLIC], [PUBLIC, NAS]],
  [
    'the configured one for a page at a loopback address',
    'http://127.0.0.1:8080/',
    `${PUBLIC}/a`,
    [`${PUBLIC}/a`],
    [`${PUBLIC}/a`],
  ],
  ['none if there is only a loopback address', 'http://127.0.0.1:8080/', 'http://127.0.0.1:8080', [], []],
  [
    'none if the configured one is a loopback address, too',
    'http://[::1]/',
    'http://localhost',
    ['http://localhost'],
    [],
  ],
  ['a name that starts with localhost', 'https://localhost.example/', '', [], ['https://localhost.example']],
])('addresses for apps: %s', (_, page, base_url, addresses, expected) => {
  expect(addressesForApps(page, { base_url, addresses })).toEqual(expected)
  // Until the server has responded, only the address of the page is known.
  expect(addressesForApps(`${NAS}/`, undefined)).toEqual([NAS])
})

const seen = (id: string, last_contact: string) => ({ id, caption: id, last_contact })
const NOON = '2025-03-02T12:00:00'
const LATER = '2025-03-02T12:00:03'

test.each([
  ['a device used since then', [seen('a', NOON), seen('b', NOON)], [seen('a', NOON), seen('b', LATER)], ['b']],
  ['a device used for the first time', [seen('a', '')], [seen('a', NOON)], ['a']],
  ['a new device that was not used', [seen('a', NOON)], [seen('a', NOON), seen('b', '')], ['b']],
  ['several devices, the latest first', [], [seen('a', NOON), seen('b', LATER), seen('c', NOON)], ['b', 'a', 'c']],
])('connected apps are found by %s', (_, before, now, expected) => {
  expect(activeSince(before, now).map(({ id }) => id)).toEqual(expected)
})

test('a step is split into text, labels of the app and the address', () => {
  expect(stepParts('Open *Settings → Sync*, enter {address}.')).toEqual([
    { kind: 'text', text: 'Open ' },
    { kind: 'screen', text: 'Settings → Sync' },
    { kind: 'text', text: ', enter ' },
    { kind: 'address', text: '' },
    { kind: 'text', text: '.' },
  ])
})

test.each([...LOCALES])('the steps of each app in %s contain the address once', (_, { connect }) => {
  for (const { steps } of Object.values(connect.apps)) {
    const parts = steps.split('\n').flatMap(stepParts)
    expect(parts.filter(({ kind }) => kind === 'address')).toHaveLength(1)
    expect(parts.filter(({ text }) => /[*{}]/.test(text))).toEqual([])
  }
})

test('the path of a QR code covers exactly its dark modules', () => {
  const address = 'http://192.168.1.20:8080'
  const { size, path } = qrPath(address)
  const dark = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    dark[Number(y)]?.fill(true, Number(x), Number(x) + Number(length))
  const { data } = encode(address, { ecc: 'M', border: 4 })
  expect(dark).toEqual(data)
  expect(dark.slice(0, 4).flat().includes(true)).toBe(false)
})
