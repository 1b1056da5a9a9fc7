import { expect, test } from 'bun:test'
import type { NetworkInterfaceInfo } from 'node:os'
import { addressesElsewhere, addressesOf, connectableHost } from '../../src/cli/addresses.ts'
import { type Greeting, greeting } from '../../src/cli/greeting.ts'

const FIRST: Greeting = {
  version: '1.2.3',
  address: 'http://localhost:8080',
  elsewhere: ['http://192.168.1.20:8080', 'http://10.0.0.7:8080'],
  data: '/home/ida/podstep/data',
  settingsFile: undefined,
  isFirstRun: true,
}

test('a server started in a terminal prints its addresses, and on the first run how to begin', () => {
  expect(greeting(FIRST)).toBe(`podstep 1.2.3 is ready.

  In your browser   http://localhost:8080
  On other devices  http://192.168.1.20:8080
                    http://10.0.0.7:8080
  Data              /home/ida/podstep/data
  Settings          none, so the defaults are in effect

There is no account yet. Open the address and create the first one: it becomes the administrator.
Stop with Ctrl-C.
`)
  const later = greeting({ ...FIRST, elsewhere: [], settingsFile: 'config.toml', isFirstRun: false })
  expect(later).toEndWith('  Settings          config.toml\n\nStop with Ctrl-C.\n')
  expect(later).not.toContain('On other devices')
})

test('other devices get addresses of networks that they can be on', () => {
  const at = (address: string, more: Partial<NetworkInterfaceInfo> = {}): NetworkInterfaceInfo =>
    ({ address, netmask: '', mac: '', internal: false, cidr: null, family: 'IPv4', ...more }) as NetworkInterfaceInfo
  const lan = { eth0: [at('192.168.1.20'), at('fe80::1', { family: 'IPv6', scopeid: 0 })], wlan0: [at('10.0.0.7')] }
  const others = { usb0: [at('169.254.3.4')], docker0: [at('172.17.0.1')], 'br-5e1f': [at('172.18.0.1')] }
  const lo = [at('127.0.0.1', { internal: true })]
  expect(addressesOf({ lo, ...lan, ...others, gone: undefined })).toEqual(['192.168.1.20', '10.0.0.7'])
  // A container has a separate network, unless it shares the networks of its host.
  const bridge = { lo, eth0: [at('172.17.0.2')] }
  expect(addressesOf(bridge, true)).toEqual([])
  expect(addressesOf({ ...bridge, docker0: [at('172.18.0.1')] }, true)).toEqual(['172.17.0.2'])
})

test.each([
  ['0.0.0.0', ['http://192.168.1.20:8080']],
  ['192.168.1.7', ['http://192.168.1.7:8080']],
  ['fd00::7', ['http://[fd00::7]:8080']],
  ['127.0.0.1', []],
  ['localhost', []],
])('a server that listens on %s has for other devices the addresses %j', (host, addresses) => {
  const lan = { address: '192.168.1.20', netmask: '', mac: '', internal: false, cidr: null, family: 'IPv4' } as const
  const io = { interfaces: () => ({ eth0: [lan] }), isInContainer: false }
  expect(addressesElsewhere(host, io, { port: 8080 })).toEqual(addresses)
})

test('a server on all addresses is reached at localhost on its own machine, others where they listen', () => {
  expect([connectableHost('::'), connectableHost('0.0.0.0'), connectableHost('192.168.1.7')]).toEqual([
    'localhost',
    'localhost',
    '192.168.1.7',
  ])
})
