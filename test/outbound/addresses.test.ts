import { afterAll, describe, expect, test } from 'bun:test'
import { allowedPlace, canonicalAddress, isPublicAddress, systemResolve } from '../../src/outbound/address-rules.ts'
import { startRawServer } from '../support/web-server.ts'
import { attempt, connectBy, type FetchCase, fetched, haveInternet, namesAre, refused } from './fetching.ts'

const words = (text: string) => text.trim().split(/\s+/)

describe('addresses of the internet', () => {
  test.each([
    ['IPv4', '1.1.1.1 8.8.8.8 223.255.255.255'],
    ['next to private networks', '9.255.255.255 11.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255 192.169.0.0'],
    ['next to carrier-grade NAT', '100.63.255.255 100.128.0.0'],
    ['next to loopback and link-local', '126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0'],
    ['next to benchmarks', '198.17.255.255 198.20.0.0'],
    ['IPv6', '2606:4700::1111 2a00:1450:4001:82a::200e 2001:4860:4860::8888'],
    ['IPv4 in IPv6', '::ffff:1.1.1.1 ::ffff:101:101 64:ff9b::1.1.1.1 64:ff9b::808:808'],
  ])('are public: %s', (_what, addresses) => {
    for (const address of words(addresses)) expect([address, isPublicAddress(address)]).toEqual([address, true])
  })

  test.each([
    ['this machine', '0.0.0.0 0.1.2.3 127.0.0.1 127.255.255.255 :: ::1 ::2'],
    ['private networks', '10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255'],
    ['carrier-grade NAT', '100.64.0.0 100.127.255.255'],
    ['metadata of clouds', '100.100.100.200 168.63.129.16 169.254.169.254 192.0.0.192 fd00:ec2::254'],
    ['link-local', '169.254.0.0 fe80::1 fe80::1%eth0 fe80::1%1 febf::1 fec0::1'],
    ['unique local', 'fc00::1 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
    ['documentation', '192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1'],
    ['benchmarks', '198.18.0.0 198.19.255.255 2001:2::1'],
    ['multicast and broadcast', '224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 ff02::1 ff0e::1'],
    ['special protocols', '192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1 2001:1::1 2001:3::1 2001:4:112::1'],
    ['more special ranges', '100::1 2001:10::1 2001:20::1 2001:30::1 2620:4f:8000::1 4000::1 5f00::1'],
    ['tunnels', '2001::1 2001:0:7f00:1:: 2002:7f00:1:: 2002:808:808::1'],
    ['IPv4-compatible IPv6', '::127.0.0.1 ::808:808'],
    ['IPv4-mapped IPv6', '::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:a00:1 ::ffff:168.63.129.16'],
    ['IPv4-translated IPv6', '::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8'],
    ['IPv4 behind NAT64', '64:ff9b::127.0.0.1 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b::a9fe:a9fe'],
    ['local NAT64', '64:ff9b:1::7f00:1 64:ff9b:1:7f00:0:100:808:808 64:ff9b:1::808:808'],
    ['names, ports and ranges', 'localhost pods.example 1.1.1.1:80 1.1.1.1/32 [2606:4700::1111]'],
    ['invalid addresses', '256.1.1.1 1.1.1.1.1 1.1.1.-1 2606:4700::1111::1 2606:4700::12345'],
  ])('are not public: %s', (_what, addresses) => {
    for (const address of ['', ' ', ' 1.1.1.1', '1.1.1.1\n', ...words(addresses)])
      expect([address, isPublicAddress(address)]).toEqual([address, false])
  })
})

test('an address has one spelling', () => {
  for (const text of ['127.1', '2130706433', '::ffff:7f00:1']) expect(canonicalAddress(text)).toBe('127.0.0.1')
  expect(canonicalAddress('FD00:0:0:0:0:0:0:20')).toBe('fd00::20')
  expect(canonicalAddress('64:ff9b::127.0.0.1')).toBe('64:ff9b::7f00:1')
  for (const text of ['fe80::1%eth0', 'pods.example']) expect(canonicalAddress(text)).toBeUndefined()
})

/** Each place is written `host port address`. */
test.each<[string, allowed: string[], others: string[]]>([
  [
    '192.168.1.20',
    ['nas.lan 80 192.168.1.20', '192.168.1.20 8443 192.168.1.20'],
    ['nas.lan 80 192.168.1.21', '192.168.1.20.nip.example 80 10.0.0.1', 'nas.lan 80 64:ff9b::c0a8:114'],
  ],
  ['::ffff:192.168.1.20', ['nas.lan 80 192.168.1.20'], []],
  ['FD00:0::20', ['nas.lan 80 fd00::20'], ['nas.lan 80 fd00::21']],
  [
    '10.0.0.7/24',
    ['nas.lan 80 10.0.0.255', 'nas.lan 80 10.0.0.1'],
    ['nas.lan 80 10.0.1.0', 'nas.lan 80 fd00::1', 'x 80 10.1.0.1'],
  ],
  ['0.0.0.0/0', ['nas.lan 80 127.0.0.1'], ['nas.lan 80 fd00::1']],
  ['fd00::/8', ['nas.lan 80 fdff::1'], ['nas.lan 80 fe80::1', 'nas.lan 80 10.0.0.1']],
  ['::/0', ['nas.lan 80 fd00::1'], ['nas.lan 80 10.0.0.1']],
  [
    'NAS.lan',
    ['nas.lan 80 10.0.0.1', 'nas.lan 8080 fd00::1'],
    ['evilnas.lan 80 10.0.0.1', 'nas.lan.evil.example 80 10.0.0.1', 'evil.nas.lan 80 10.0.0.1', 'nasxlan 80 10.0.0.1'],
  ],
  ['Nas.Lan:8080', ['nas.lan 8080 10.0.0.1'], ['nas.lan 80 10.0.0.1', 'evilnas.lan 8080 10.0.0.1']],
  [
    '192.168.1.20:8080',
    ['192.168.1.20 8080 192.168.1.20', 'nas.lan 8080 192.168.1.20'],
    ['192.168.1.20 80 192.168.1.20', '192.168.1.21 8080 192.168.1.21'],
  ],
  [
    '[FD00:0:0::20]:8080',
    ['fd00::20 8080 fd00::20', 'nas.lan 8080 fd00::20'],
    ['fd00::20 80 fd00::20', 'fd00::21 8080 fd00::21'],
  ],
])('feed_allow_private = %s allows matching hosts, ports and addresses only', (setting, allowed, others) => {
  const allows = allowedPlace(setting)
  for (const place of [...allowed, ...others]) {
    const [host = '', port, address = ''] = place.split(' ')
    expect([place, allows(host, Number(port), address)]).toEqual([place, allowed.includes(place)])
  }
})

/** A server in the private network that must not be reached. */
const trap = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret'))
afterAll(() => trap[Symbol.asyncDispose]())

/** Expects a failure without any attempt to connect. */
async function expectUntried(url: string, options: FetchCase = {}) {
  let tries = 0
  using _connect = connectBy((real, target, init) => {
    tries++
    return real(target, init)
  })
  expect(await refused(url, { allowed: [], ...options })).toMatchObject({ reason: 'forbidden' })
  expect([url, tries]).toEqual([url, 0])
}

const at = (host: string) => `http://${host}:${trap.port}/`

describe('the private network is not reached', () => {
  test('by any spelling of this machine; each is reached if 127.0.0.1 is allowed', async () => {
    const decimal =
      '127.0.0.1 127.1 127.0.1 2130706433 127.0.0.1. 127。0。0。1 127%2e0%2e0%2e1 ①②⑦.⓪.⓪.① １２７.０.０.１'
    const other = '0x7f000001 0x7F.1 0x7f.0x0.0x0.0x1 017700000001 0177.0.0.1 0177.0.0.01'
    const mapped = '[::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:ffff:127.0.0.1] [::FFFF:7F00:0001]'
    for (const host of words(`${decimal} ${other} ${mapped}`)) {
      await expectUntried(at(host))
      expect(await fetched(at(host))).toMatchObject({ status: 200 })
    }
  })

  test.each([
    ['IPv4', '0.0.0.0 127.0.0.2 10.0.0.1 100.64.0.1 172.16.0.1 192.168.1.1 224.0.0.1 240.0.0.1'],
    [
      'other spellings of IPv4',
      '0 0x0 00 ⓪ 0xa.1 012.0.0.1 2852039166 0xa9fea9fe 0251.0376.0251.0376 3232235777 192.168.257 4294967295',
    ],
    ['IPv6', '[::] [::1] [0:0:0:0:0:0:0:1] [fc00::1] [fd00:ec2::254] [fe80::1] [fec0::1] [ff02::1]'],
    ['IPv4 in IPv6', '[::127.0.0.1] [::ffff:0:127.0.0.1] [::ffff:169.254.169.254] [64:ff9b::7f00:1] [2002:7f00:1::]'],
    ['names', 'localhost LOCALHOST localhost. ⓛⓞⓒⓐⓛⓗⓞⓢⓣ podstep.localhost 0x7f.1.nip.example metadata.google.internal'],
  ])('by %s', async (_what, hosts) => {
    for (const host of words(hosts)) await expectUntried(at(host))
  })

  test('by a name with a private address', async () => {
    const addresses = '169.254.169.254 0.0.0.0 ::1 ::ffff:127.0.0.1 64:ff9b::7f00:1 fd00::1 fe80::1 168.63.129.16'
    for (const address of words(addresses)) await expectUntried(at('pods.example'), { resolve: namesAre(address) })
  })

  test.each([
    ['a public name before the @', 'http://pods.example@127.0.0.1:PORT/'],
    ['a backslash, which ends the host', 'http://pods.example\\@127.0.0.1:PORT/'],
    ['TLS', 'https://127.0.0.1:PORT/'],
  ])('by a trick with %s', async (_what, url) => {
    await expectUntried(url.replace('PORT', `${trap.port}`))
  })

  test('by anonymous clients, even if it is allowed; the message names the setting only if it would help', async () => {
    const url = at('pods.example')
    const allowed = ['127.0.0.1', '127.0.0.0/8', '0.0.0.0/0', 'pods.example', `pods.example:${trap.port}`]
    await expectUntried(url, { allowed, mayReachPrivate: false })
    const message = 'pods.example is in a private network'
    const hint = `${message}; feed_allow_private could allow it`
    expect(await refused(url, { allowed: [] })).toMatchObject({ message: hint })
    expect(await refused(url, { allowed: [], mayReachPrivate: false })).toMatchObject({ message })
  })

  test('at a port that is not allowed, including default ports', async () => {
    const ports = (port: number) => ['pods.example', '127.0.0.1'].map((host) => `${host}:${port}`)
    await expectUntried(at('pods.example'), { allowed: ports(trap.port + 1) })
    await expectUntried('http://pods.example/', { allowed: [...ports(443), ...ports(8080)] })
    await expectUntried('https://pods.example/', { allowed: [...ports(80), ...ports(8443)] })
    for (const place of ports(trap.port)) expect(await fetched(at('pods.example'), { allowed: [place] })).toBeDefined()
  })
})

test('ports of other services are refused on any host', async () => {
  for (const port of [0, 1, 7, 22, 25, 53, 110, 143, 465, 587, 993, 2049, 5060, 6000, 6667, 10080]) {
    await expectUntried(`http://127.0.0.1:${port}/`, { allowed: ['127.0.0.1'] })
    await expectUntried(`https://pods.example:${port}/`, { resolve: namesAre('1.1.1.1') })
  }
  const { message } = await refused('http://127.0.0.1:25/')
  expect(message).toBe('port 25 belongs to another kind of service')
})

describe('a name', () => {
  const PUBLIC = '1.1.1.1'
  const reachedAt = (...hosts: string[]) => hosts.map((host) => `${host}:${trap.port}`)

  test('that changes its address after the check is reached at the checked one', async () => {
    using internet = haveInternet()
    let flips = 0
    const resolve = async () => [flips++ % 2 === 0 ? PUBLIC : '127.0.0.1']
    const outcomes = { answer: 0, forbidden: 0 }
    for (let n = 0; n < 200; n++) {
      const outcome = await attempt(at('pods.example'), { resolve, allowed: [] })
      outcomes['status' in outcome ? 'answer' : 'forbidden']++
    }
    expect(outcomes).toEqual({ answer: 100, forbidden: 100 })
    expect(new Set(internet.reached)).toEqual(new Set(reachedAt(PUBLIC)))
  })

  test.each([
    [[PUBLIC, '127.0.0.1'], []],
    [[PUBLIC, '8.8.8.8', '9.9.9.9', '2606:4700::1111', '10.0.0.1'], []],
    [['127.0.0.1', '127.0.0.2'], ['127.0.0.1']],
  ])('is refused if one of its addresses is private and not allowed: %p', async (addresses, allowed) => {
    using internet = haveInternet()
    const failure = await refused(at('pods.example'), { resolve: namesAre(...addresses), allowed })
    expect(failure).toMatchObject({ reason: 'forbidden' })
    expect(internet.reached).toEqual([])
  })

  test.each([
    ['has no address', namesAre(), 'has no address'],
    ['is not known', () => Promise.reject(new Error('ENOTFOUND http://pods.example/')), 'cannot be resolved'],
    ['has an invalid address', namesAre('elsewhere.example'), 'has an unusable address'],
    ['has an invalid second address', namesAre(PUBLIC, ''), 'has an unusable address'],
  ])('that %s is not resolved', async (_case, resolve, message) => {
    using internet = haveInternet()
    const failure = { reason: 'unresolved', message: `the name pods.example ${message}` }
    expect(await refused(at('pods.example'), { resolve })).toMatchObject(failure)
    expect(internet.reached).toEqual([])
  })

  test.each([
    ['::ffff:101:101', '1.1.1.1'],
    ['::1.1.1.1', '1.1.1.1'],
    ['2606:4700:0:0:0:0:0:1111', '[2606:4700::1111]'],
    ['64:ff9b::1.1.1.1', '[64:ff9b::101:101]'],
  ])('with the address %s is reached at the checked one, %s', async (address, reached) => {
    using internet = haveInternet()
    await fetched(at('pods.example'), { resolve: namesAre(address) })
    expect(internet.reached).toEqual(reachedAt(reached))
  })

  // IPv4 first, since IPv6 does not work in many homes.
  test('with several addresses is tried at three at most, IPv4 first', async () => {
    const resolve = namesAre('2606:4700::1', '2606:4700::2', '2606:4700::3', '1.1.1.1', '8.8.8.8')
    for (const [isDown, reached] of [
      [() => false, reachedAt('1.1.1.1')],
      [(address: string) => address.includes('.'), reachedAt('1.1.1.1', '8.8.8.8', '[2606:4700::1]')],
    ] as const) {
      using internet = haveInternet(isDown)
      expect(await fetched(at('pods.example'), { resolve })).toMatchObject({ status: 200 })
      expect(internet.reached).toEqual(reached)
    }
    using internet = haveInternet(() => true)
    const failure = { reason: 'unreachable', message: 'pods.example cannot be reached (ENETUNREACH)' }
    expect(await refused(at('pods.example'), { resolve })).toMatchObject(failure)
    expect(internet.reached).toHaveLength(3)
  })

  test('is resolved by the system', async () => {
    const addresses = await systemResolve('localhost')
    expect(addresses.length).toBeGreaterThan(0)
    expect(['127.0.0.1', '::1']).toEqual(expect.arrayContaining([...addresses]))
  })
})
