import { expect, test } from 'bun:test'
import { isAddressOrNetwork, isHost, isPrivatePlace } from '../../src/config/parsers.ts'

test.each<[string, (text: string) => boolean, string, string]>([
  [
    'an address or a range',
    isAddressOrNetwork,
    '10.0.0.1 10.0.0.0/8 ::1 fd00::/8 ::ffff:10.0.0.1 0.0.0.0/0',
    '127.1 010.0.0.1 0x7f.0.0.1 256.0.0.1 10.0.0.0/33 10.0.0.0/ 10/8 ::/129 fe80::1%eth0 10.0.0.1:80 home.lan *',
  ],
  [
    'a host',
    isHost,
    '0.0.0.0 :: localhost mail.home.example a_b.lan xn--bcher-kva.example',
    `a:80 [::1] -a.lan a..b a. 1.2.3 ${'a'.repeat(64)}.lan http://a`,
  ],
  [
    'a place in the private network',
    isPrivatePlace,
    '192.168.1.0/24 127.0.0.1 ::1 rss-bridge.lan rss-bridge.lan:8080 192.168.1.5:8080 [fd00::1]:80',
    ':80 a: a:0 a:65536 a:b [a]:80 [127.0.0.1]:80 *.lan http://a.lan 1.2.3:80',
  ],
])('what is %s', (_what, isOne, right, wrong) => {
  expect(right.split(' ').filter((text) => !isOne(text))).toEqual([])
  expect(['', 'a b', ...wrong.split(' ')].filter(isOne)).toEqual([])
})
