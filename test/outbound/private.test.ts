import { afterAll, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { startRawServer } from '../support/web-server.ts'
import { type FetchCase, fetched, namesAre, refused } from './fetching.ts'

/** What nobody may reach who is not allowed to. */
const trap = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret'))
const connecting = spyOn(globalThis, 'fetch')
beforeEach(() => connecting.mockClear())
afterAll(async () => {
  connecting.mockRestore()
  await trap[Symbol.asyncDispose]()
})

/** Expects that nothing is even tried. */
async function expectUntried(url: string, options: FetchCase = {}) {
  const before = trap.connections
  expect(await refused(url, { allowed: [], ...options })).toMatchObject({ reason: 'forbidden' })
  expect(connecting).not.toHaveBeenCalled()
  expect(trap.connections).toBe(before)
}

const LOOPBACK = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7F.1',
  '0x7f.0x0.0x0.0x1',
  '017700000001',
  '0177.0.0.1',
  '0177.0.0.01',
  '127.0.0.1.',
  '127。0。0。1',
  '127%2e0%2e0%2e1',
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::FFFF:7F00:0001]',
]

describe('this machine, spelled', () => {
  test.each(LOOPBACK)('%s is not reached', async (host) => {
    await expectUntried(`http://${host}:${trap.port}/feed.xml`)
  })

  test.each(LOOPBACK)('%s is reached when 127.0.0.1 is allowed: it really is that', async (host) => {
    const before = trap.connections
    expect(await fetched(`http://${host}:${trap.port}/`)).toMatchObject({ status: 200 })
    expect(trap.connections).toBe(before + 1)
  })
})

describe('the private network, spelled', () => {
  test.each([
    '0',
    '0.0.0.0',
    '0x0',
    '00',
    '⓪',
    '127.0.0.2',
    '127.255.255.254',
    '10.0.0.1',
    '0xa.1',
    '012.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '2852039166',
    '0xa9fea9fe',
    '0251.0376.0251.0376',
    '168.63.129.16',
    '172.16.0.1',
    '192.168.1.1',
    '3232235777',
    '192.168.257',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '4294967295',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
    '[::ffff:169.254.169.254]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fc00::1]',
    '[fd00::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
  ])('%s is not reached', async (host) => {
    await expectUntried(`http://${host}:${trap.port}/feed.xml`)
  })
})

describe('a name', () => {
  test.each([
    'localhost',
    'LOCALHOST',
    'localhost.',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'podstep.localhost',
    '127.0.0.1.nip.example',
    '0x7f.1.nip.example',
    'metadata.google.internal',
    'a-name-of-the-internet.example',
  ])('%s of this machine is not reached', async (host) => {
    await expectUntried(`http://${host}:${trap.port}/feed.xml`)
  })

  test.each([
    '169.254.169.254',
    '0.0.0.0',
    '::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
    'fd00::1',
    'fe80::1',
    '168.63.129.16',
  ])('of %s is not reached', async (address) => {
    await expectUntried(`http://pods.example:${trap.port}/`, { resolve: namesAre(address) })
  })
})

describe('credentials', () => {
  test.each([
    ['http://pods.example@127.0.0.1:PORT/', 'a public name before the @'],
    ['http://pods.example:80@127.0.0.1:PORT/', 'a public name and port before it'],
    ['http://pods.example%2f@127.0.0.1:PORT/', 'a path before it'],
    ['http://pods.example\\@127.0.0.1:PORT/', 'a backslash, which ends the host'],
    ['http://1.1.1.1 &@127.0.0.1:PORT# @3.3.3.3/', 'two of them'],
    ['http:127.0.0.1:PORT/', 'no slashes'],
    ['http:/\\127.0.0.1:PORT/', 'odd slashes'],
    ['http://127.0.0.1\t:PORT/', 'a tab'],
    ['http://12\n7.0.0.1:PORT/', 'a line end'],
    ['https://127.0.0.1:PORT/', 'TLS'],
  ])('and other tricks in the address do not help: %p (%s)', async (url) => {
    await expectUntried(url.replace('PORT', `${trap.port}`))
  })
})

describe('an allowed place', () => {
  test('does not help a stranger', async () => {
    const allowed = ['127.0.0.1', '127.0.0.0/8', '0.0.0.0/0', 'pods.example', `pods.example:${trap.port}`]
    await expectUntried(`http://pods.example:${trap.port}/`, { allowed, mayReachPrivate: false })
    await expectUntried(`http://127.0.0.1:${trap.port}/`, { allowed, mayReachPrivate: false })
  })

  test('allows no other port, if it names one', async () => {
    const url = `http://pods.example:${trap.port}/`
    await expectUntried(url, { allowed: [`pods.example:${trap.port + 1}`, `127.0.0.1:${trap.port + 1}`] })
    expect(await fetched(url, { allowed: [`pods.example:${trap.port}`] })).toMatchObject({ status: 200 })
    expect(await fetched(url, { allowed: [`127.0.0.1:${trap.port}`] })).toMatchObject({ status: 200 })
  })

  test('means the usual port where none is written', async () => {
    await expectUntried('http://pods.example/', { allowed: ['pods.example:443', 'pods.example:8080'] })
    await expectUntried('https://pods.example/', { allowed: ['pods.example:80', 'pods.example:8443'] })
  })

  test('is named by the refusal of others', async () => {
    const failure = await refused(`http://nas.lan:${trap.port}/`, { allowed: [] })
    expect(failure).toHaveProperty('message', 'nas.lan is in a private network; feed_allow_private could allow it')
  })

  test('is not named where it would not help', async () => {
    const failure = await refused(`http://nas.lan:${trap.port}/`, { allowed: [], mayReachPrivate: false })
    expect(failure).toHaveProperty('message', 'nas.lan is in a private network')
  })
})

describe('a port', () => {
  test('of another service is called that, whatever was wanted there', async () => {
    const failure = await refused('http://127.0.0.1:25/', { allowed: ['127.0.0.1'] })
    expect(failure).toHaveProperty('message', 'port 25 belongs to another kind of service')
  })

  test.each([0, 1, 7, 22, 25, 53, 110, 143, 465, 587, 993, 2049, 5060, 6000, 6667, 10080])(
    'of another service is not talked to, wherever: %i',
    async (port) => {
      await expectUntried(`http://127.0.0.1:${port}/`, { allowed: ['127.0.0.1'] })
      await expectUntried(`https://pods.example:${port}/`, { resolve: namesAre('1.1.1.1') })
    },
  )
})
