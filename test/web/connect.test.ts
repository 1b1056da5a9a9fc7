import { expect, test } from 'bun:test'
import { encode } from 'uqr'
import { qrPath } from '../../src/web/components/qr-path.ts'
import { activeSince, addressesForApps, stepParts } from '../../src/web/pages/connect/connection.ts'
import { LOCALES } from './support/texts.ts'

const LAN = ['http://192.168.1.20:8080', 'http://10.0.0.7:8080']
const NAS = 'http://nas.lan:8080'
const PUBLIC = 'https://p.example'

test.each<[string, page: string, base_url: string, addresses: string[], expected: string[]]>([
  ['the page, then those of the network', `${NAS}/`, NAS, LAN, [NAS, ...LAN]],
  ['the page alone if it is by https', `${PUBLIC}/`, PUBLIC, LAN, [PUBLIC]],
  ['those of the network if the page is on this computer', 'http://localhost:8080/', 'http://localhost:8080', LAN, LAN],
  ['each one once', `${LAN[1]}/`, LAN[1] ?? '', LAN, [LAN[1] ?? '', LAN[0] ?? '']],
  ['the configured one first', `${NAS}/`, PUBLIC, [PUBLIC], [PUBLIC, NAS]],
  [
    'the configured one for a page on this computer',
    'http://127.0.0.1:8080/',
    `${PUBLIC}/a`,
    [`${PUBLIC}/a`],
    [`${PUBLIC}/a`],
  ],
  ['none if only this computer reaches it', 'http://127.0.0.1:8080/', 'http://127.0.0.1:8080', [], []],
  ['none if what is configured is no better', 'http://[::1]/', 'http://localhost', ['http://localhost'], []],
  ['a name that only looks like this computer', 'https://localhost.example/', '', [], ['https://localhost.example']],
])('addresses for apps: %s', (_, page, base_url, addresses, expected) => {
  expect(addressesForApps(page, { base_url, addresses })).toEqual(expected)
})

test('until the server has said more, apps are given the address of the page', () => {
  expect(addressesForApps(`${NAS}/`, undefined)).toEqual([NAS])
})

const seen = (id: string, last_contact: string) => ({ id, caption: id, last_contact })
const NOON = '2025-03-02T12:00:00'
const LATER = '2025-03-02T12:00:03'

test.each([
  ['a device that was seen since', [seen('a', NOON), seen('b', NOON)], [seen('a', NOON), seen('b', LATER)], ['b']],
  ['a device that was seen for the first time', [seen('a', '')], [seen('a', NOON)], ['a']],
  ['a new device that was not seen', [seen('a', NOON)], [seen('a', NOON), seen('b', '')], ['b']],
  ['the latest comes first', [], [seen('a', NOON), seen('b', LATER), seen('c', NOON)], ['b', 'a', 'c']],
])('an app that has connected: %s', (_, before, now, expected) => {
  expect(activeSince(before, now).map(({ id }) => id)).toEqual(expected)
})

test('a step tells apart what the app shows and the place for the address', () => {
  expect(stepParts('Open *Settings → Sync*, enter {address}.')).toEqual([
    { kind: 'text', text: 'Open ' },
    { kind: 'screen', text: 'Settings → Sync' },
    { kind: 'text', text: ', enter ' },
    { kind: 'address', text: '' },
    { kind: 'text', text: '.' },
  ])
})

test.each([...LOCALES])('the steps in %s name the address once per app', (_, { connect }) => {
  for (const { steps } of Object.values(connect.apps)) {
    const parts = steps.split('\n').flatMap(stepParts)
    expect(parts.filter(({ kind }) => kind === 'address')).toHaveLength(1)
    expect(parts.filter(({ text }) => /[*{}]/.test(text))).toEqual([])
  }
})

test.each([...LOCALES])(
  'in %s, the first thing told of Clementine is which versions cannot use this server',
  (_, { connect }) => {
    const [first = '', ...rest] = connect.apps.clementine.steps.split('\n')
    expect(stepParts(first)).toContainEqual({ kind: 'screen', text: 'Advanced Settings' })
    expect(stepParts(first).filter(({ kind, text }) => kind === 'text' && text.includes('gpodder.net'))).toHaveLength(1)
    expect(rest.join('\n')).not.toContain('gpodder.net')
  },
)

test('the path of a QR code fills its dark modules and nothing else', () => {
  const address = 'http://192.168.1.20:8080'
  const { size, path } = qrPath(address)
  const dark = Array.from({ length: size }, () => Array.from({ length: size }, () => false))
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    dark[Number(y)]?.fill(true, Number(x), Number(x) + Number(length))
  const { data } = encode(address, { ecc: 'M', border: 4 })
  expect(dark).toEqual(data)
  expect(dark.slice(0, 4).flat().includes(true)).toBe(false)
})
