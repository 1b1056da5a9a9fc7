import { describe, expect, test } from 'bun:test'
import { allowedPlace, canonicalAddress, isPublicAddress } from '../../src/outbound/address-rules.ts'

describe('an address of the internet', () => {
  test.each([
    ['1.1.1.1', 'IPv4'],
    ['9.255.255.255', 'the last one before 10/8'],
    ['11.0.0.0', 'the first one after 10/8'],
    ['100.63.255.255', 'the last one before the shared addresses of providers'],
    ['100.128.0.0', 'the first one after them'],
    ['126.255.255.255', 'the last one before loopback'],
    ['128.0.0.0', 'the first one after loopback'],
    ['169.253.255.255', 'the last one before link-local'],
    ['169.255.0.0', 'the first one after link-local'],
    ['172.15.255.255', 'the last one before 172.16/12'],
    ['172.32.0.0', 'the first one after 172.16/12'],
    ['192.167.255.255', 'the last one before 192.168/16'],
    ['192.169.0.0', 'the first one after 192.168/16'],
    ['198.17.255.255', 'the last one before benchmarks'],
    ['198.20.0.0', 'the first one after benchmarks'],
    ['223.255.255.255', 'the last one before multicast'],
    ['2606:4700::1111', 'IPv6'],
    ['2a00:1450:4001:82a::200e', 'IPv6 in full'],
    ['2001:4860:4860::8888', 'IPv6 near Teredo'],
    ['::ffff:1.1.1.1', 'IPv4 in IPv6, mapped'],
    ['::ffff:101:101', 'the same in hexadecimal'],
    ['64:ff9b::1.1.1.1', 'IPv4 behind NAT64'],
    ['64:ff9b::808:808', 'the same in hexadecimal'],
  ])('%s is one: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('no address of the internet', () => {
  test.each([
    ['0.0.0.0', 'this machine'],
    ['0.1.2.3', 'this network'],
    ['10.0.0.0', 'private, the first one'],
    ['10.255.255.255', 'private, the last one'],
    ['100.64.0.0', "a provider's inside, the first one"],
    ['100.100.100.200', "a cloud's metadata"],
    ['100.127.255.255', "a provider's inside, the last one"],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback, the last one'],
    ['168.63.129.16', "a cloud's metadata among public addresses"],
    ['169.254.0.0', 'link-local, the first one'],
    ['169.254.169.254', "most clouds' metadata"],
    ['172.16.0.0', 'private, the first one'],
    ['172.31.255.255', 'private, the last one'],
    ['192.0.0.192', "a cloud's metadata"],
    ['192.0.2.1', 'documentation'],
    ['192.31.196.1', 'AS112'],
    ['192.52.193.1', 'AMT'],
    ['192.88.99.1', '6to4 relays'],
    ['192.168.0.0', 'private, the first one'],
    ['192.168.255.255', 'private, the last one'],
    ['192.175.48.1', 'AS112'],
    ['198.18.0.0', 'benchmarks, the first one'],
    ['198.19.255.255', 'benchmarks, the last one'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.255', 'multicast, the last one'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'this machine'],
    ['::1', 'loopback'],
    ['::2', 'unassigned'],
    ['::127.0.0.1', 'IPv4 in IPv6, the abandoned way'],
    ['::808:808', 'public IPv4 in it'],
    ['::ffff:127.0.0.1', 'IPv4 in IPv6, mapped'],
    ['::ffff:7f00:1', 'the same in hexadecimal'],
    ['0:0:0:0:0:ffff:a00:1', 'private, mapped, in full'],
    ['::ffff:169.254.169.254', 'metadata, mapped'],
    ['::ffff:168.63.129.16', "a cloud's metadata, mapped"],
    ['::ffff:0:127.0.0.1', 'IPv4 in IPv6, translated'],
    ['::ffff:0:8.8.8.8', 'public IPv4, translated'],
    ['64:ff9b::127.0.0.1', 'loopback behind NAT64'],
    ['64:ff9b::7f00:1', 'the same in hexadecimal'],
    ['64:ff9b::a00:1', 'private behind NAT64'],
    ['64:ff9b::a9fe:a9fe', 'metadata behind NAT64'],
    ['64:ff9b:1::7f00:1', 'loopback behind NAT64 of one network'],
    ['64:ff9b:1:7f00:0:100:808:808', 'loopback in the middle of such an address'],
    ['64:ff9b:1::808:808', 'NAT64 of one network'],
    ['100::1', 'discarded'],
    ['2001::1', 'Teredo'],
    ['2001:0:7f00:1::', 'Teredo by way of loopback'],
    ['2001:1::1', 'protocols'],
    ['2001:2::1', 'benchmarks'],
    ['2001:3::1', 'AMT'],
    ['2001:4:112::1', 'AS112'],
    ['2001:10::1', 'ORCHID'],
    ['2001:20::1', 'ORCHIDv2'],
    ['2001:30::1', 'drones'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4 by way of loopback'],
    ['2002:808:808::1', '6to4 by way of a public address'],
    ['2620:4f:8000::1', 'AS112'],
    ['3fff::1', 'documentation'],
    ['4000::1', 'not given to anybody'],
    ['5f00::1', 'segment routing'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', "a cloud's metadata"],
    ['fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'unique local, the last one'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local with a zone'],
    ['fe80::1%1', 'link-local with a numbered zone'],
    ['febf::1', 'link-local, the last block'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['ff0e::1', 'multicast of the whole world'],
  ])('%s is none: %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each([
    '',
    ' ',
    'localhost',
    'pods.example',
    '1.1.1.1:80',
    '1.1.1.1/32',
    '[2606:4700::1111]',
    '256.1.1.1',
    '1.1.1.1.1',
    '1.1.1.-1',
    '2606:4700::1111::1',
    '2606:4700::12345',
    ' 1.1.1.1',
    '1.1.1.1\n',
  ])('%p is no address at all', (text) => {
    expect(isPublicAddress(text)).toBe(false)
  })
})

describe('the one spelling of an address', () => {
  test.each([
    ['127.1', '127.0.0.1'],
    ['0x7f.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['::ffff:7f00:1', '127.0.0.1'],
    ['FD00:0:0:0:0:0:0:20', 'fd00::20'],
    ['64:ff9b::127.0.0.1', '64:ff9b::7f00:1'],
    ['fe80::1%eth0', undefined],
    ['2606:4700::1111%1', undefined],
    ['pods.example', undefined],
    ['', undefined],
  ])('of %p is %p', (text, spelling) => {
    expect(canonicalAddress(text)).toBe(spelling)
  })
})

describe('a place in the private network', () => {
  test.each([
    ['192.168.1.20', 'nas.lan', 80, '192.168.1.20'],
    ['192.168.1.20', '192.168.1.20', 8443, '192.168.1.20'],
    ['::ffff:192.168.1.20', 'nas.lan', 80, '192.168.1.20'],
    ['fd00::20', 'nas.lan', 80, 'fd00::20'],
    ['FD00:0::20', 'nas.lan', 80, 'fd00::20'],
    ['10.0.0.0/24', 'nas.lan', 80, '10.0.0.255'],
    ['10.0.0.7/24', 'nas.lan', 80, '10.0.0.1'],
    ['0.0.0.0/0', 'nas.lan', 80, '127.0.0.1'],
    ['fd00::/8', 'nas.lan', 80, 'fdff::1'],
    ['nas.lan', 'nas.lan', 80, '10.0.0.1'],
    ['nas.lan', 'nas.lan', 8080, 'fd00::1'],
    ['NAS.lan', 'nas.lan', 80, '10.0.0.1'],
    ['nas.lan:8080', 'nas.lan', 8080, '10.0.0.1'],
    ['Nas.Lan:8080', 'nas.lan', 8080, '10.0.0.1'],
    ['192.168.1.20:8080', '192.168.1.20', 8080, '192.168.1.20'],
    ['192.168.1.20:8080', 'nas.lan', 8080, '192.168.1.20'],
    ['[fd00::20]:8080', 'fd00::20', 8080, 'fd00::20'],
    ['[fd00:0:0::20]:8080', 'fd00::20', 8080, 'fd00::20'],
    ['[FD00::20]:8080', 'nas.lan', 8080, 'fd00::20'],
  ])('%s allows %s, port %i, at %s', (text, host, port, address) => {
    expect(allowedPlace(text)(host, port, address)).toBe(true)
  })

  test.each([
    ['192.168.1.20', 'nas.lan', 80, '192.168.1.21'],
    ['192.168.1.20', '192.168.1.20.nip.example', 80, '10.0.0.1'],
    ['192.168.1.20', 'nas.lan', 80, '64:ff9b::c0a8:114'],
    ['fd00::20', 'nas.lan', 80, 'fd00::21'],
    ['10.0.0.0/24', 'nas.lan', 80, '10.0.1.0'],
    ['10.0.0.0/24', 'nas.lan', 80, 'fd00::1'],
    ['10.0.0.0/24', '10.0.0.1', 80, '10.1.0.1'],
    ['0.0.0.0/0', 'nas.lan', 80, 'fd00::1'],
    ['fd00::/8', 'nas.lan', 80, 'fe80::1'],
    ['fd00::/8', 'nas.lan', 80, '10.0.0.1'],
    ['::/0', 'nas.lan', 80, '10.0.0.1'],
    ['nas.lan', 'evilnas.lan', 80, '10.0.0.1'],
    ['nas.lan', 'nas.lan.evil.example', 80, '10.0.0.1'],
    ['nas.lan', 'evil.nas.lan', 80, '10.0.0.1'],
    ['nas.lan', 'nasxlan', 80, '10.0.0.1'],
    ['nas.lan:8080', 'nas.lan', 80, '10.0.0.1'],
    ['nas.lan:80', 'nas.lan', 8080, '10.0.0.1'],
    ['nas.lan:8080', 'evilnas.lan', 8080, '10.0.0.1'],
    ['192.168.1.20:8080', '192.168.1.20', 80, '192.168.1.20'],
    ['192.168.1.20:8080', '192.168.1.21', 8080, '192.168.1.21'],
    ['[fd00::20]:8080', 'fd00::20', 80, 'fd00::20'],
    ['[fd00::20]:8080', 'fd00::21', 8080, 'fd00::21'],
  ])('%s does not allow %s, port %i, at %s', (text, host, port, address) => {
    expect(allowedPlace(text)(host, port, address)).toBe(false)
  })
})
