import { describe, expect, test } from 'bun:test'
import type { NetworkInterfaceInfo } from 'node:os'
import { addressesOf, type Greeting, greeting } from '../../src/cli/greeting.ts'

const FIRST: Greeting = {
  version: '1.2.3',
  address: 'http://localhost:8080',
  elsewhere: ['http://192.168.1.20:8080', 'http://10.0.0.7:8080'],
  dataDir: '/home/ida/podstep/data',
  settingsFile: undefined,
  isFirstRun: true,
}

describe('a server started at a terminal says', () => {
  test('on the first day, where it is and how to begin', () => {
    expect(greeting(FIRST)).toBe(`podstep 1.2.3 is ready.

  In your browser   http://localhost:8080
  On other devices  http://192.168.1.20:8080
                    http://10.0.0.7:8080
  Data              /home/ida/podstep/data
  Settings          none, so the defaults are in effect

There is no account yet. Open the address and make the first one: it is the administrator.
Stop with Ctrl-C.
`)
  })

  test('later, where it is', () => {
    const later = { ...FIRST, elsewhere: [], settingsFile: 'config.toml', isFirstRun: false }
    expect(greeting(later)).toBe(`podstep 1.2.3 is ready.

  In your browser   http://localhost:8080
  Data              /home/ida/podstep/data
  Settings          config.toml

Stop with Ctrl-C.
`)
  })
})

test('other devices are told of networks that they can be on', () => {
  const at = (address: string, more: Partial<NetworkInterfaceInfo> = {}): NetworkInterfaceInfo =>
    ({ address, netmask: '', mac: '', internal: false, cidr: null, family: 'IPv4', ...more }) as NetworkInterfaceInfo
  expect(
    addressesOf({
      lo: [at('127.0.0.1', { internal: true })],
      eth0: [at('192.168.1.20'), at('fe80::1', { family: 'IPv6', scopeid: 0 })],
      wlan0: [at('10.0.0.7')],
      usb0: [at('169.254.3.4')],
      docker0: [at('172.17.0.1')],
      'br-5e1f': [at('172.18.0.1')],
      gone: undefined,
    }),
  ).toEqual(['192.168.1.20', '10.0.0.7'])
})
