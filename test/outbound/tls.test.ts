import { afterAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer, type SecureVersion } from 'node:tls'
import {
  CERTIFICATE,
  EXPIRED_CERTIFICATE,
  FOREIGN_CERTIFICATE,
  PRIVATE_KEY,
  UNKNOWN_CERTIFICATE,
} from '../support/certificate.ts'
import { startRawServer, startWebServer } from '../support/web-server.ts'
import { attempt, connectBy, fetched, refused, textOf } from './fetching.ts'

/** The unknown certificate is not trusted. */
const trusted = [CERTIFICATE, FOREIGN_CERTIFICATE, EXPIRED_CERTIFICATE]
const connected = connectBy((real, target, init) => real(target, { ...init, tls: { ...init?.tls, ca: trusted } }))
afterAll(() => connected[Symbol.dispose]())

const FOREIGN = 'mail.elsewhere.example'
const feed = { '/feed.xml': () => new Response('a feed') }

/** Fetches from a server with this certificate, under this name. */
async function fetchFrom(certificate: string, host: string) {
  await using server = startWebServer(feed, certificate)
  const outcome = await attempt(`https://${host}:${server.port}/feed.xml`)
  return { outcome, asked: server.asked }
}

describe('a server with TLS', () => {
  test.each([
    [CERTIFICATE, 'localhost'],
    [CERTIFICATE, '127.0.0.1'],
    [FOREIGN_CERTIFICATE, FOREIGN],
    [FOREIGN_CERTIFICATE, `${FOREIGN}.`],
  ])('and a certificate for its name is trusted', async (certificate, host) => {
    const { outcome, asked } = await fetchFrom(certificate, host)
    expect(outcome).toMatchObject({ status: 200 })
    expect(asked.map(({ headers }) => headers.get('host')?.replace(/:\d+$/, ''))).toEqual([host])
  })

  test.each([
    ['for another name', CERTIFICATE, FOREIGN, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['for the address, but not for the name', CERTIFICATE, 'pods.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['for a name, but not for the address', FOREIGN_CERTIFICATE, '127.0.0.1', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['that has expired', EXPIRED_CERTIFICATE, 'localhost', 'CERT_HAS_EXPIRED'],
    ['that is self-signed', UNKNOWN_CERTIFICATE, 'localhost', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('and a certificate %s is not trusted', async (_case, certificate, host, code) => {
    const { outcome, asked } = await fetchFrom(certificate, host)
    expect(outcome).toMatchObject({ reason: 'tls', message: `the connection to ${host} cannot be trusted (${code})` })
    expect(asked).toEqual([])
  })

  test.each<[SecureVersion, boolean]>([
    ['TLSv1', false],
    ['TLSv1.1', false],
    ['TLSv1.2', true],
  ])('up to %s is accepted: %p', async (maxVersion, expected) => {
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\na feed'
    const old = { key: PRIVATE_KEY, cert: CERTIFICATE, minVersion: 'TLSv1', maxVersion } as const
    const server = createServer(old, (socket) => socket.on('error', () => undefined).end(answer)).listen(0)
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const outcome = await attempt(`https://localhost:${port}/`)
    server.close()
    expect(outcome).toMatchObject(expected ? { status: 200 } : { reason: 'tls' })
  })

  test('does not serve another name over the same connection', async () => {
    await using server = startWebServer(feed, FOREIGN_CERTIFICATE)
    const url = (host: string) => `https://${host}:${server.port}/feed.xml`
    expect(textOf(await fetched(url(FOREIGN)))).toBe('a feed')
    expect(await refused(url('pods.example'))).toMatchObject({ reason: 'tls' })
    expect(textOf(await fetched(url(FOREIGN)))).toBe('a feed')
    expect(server.asked).toHaveLength(2)
  })

  test('is distinguished from one without TLS, or that disconnects during the handshake', async () => {
    await using plain = startWebServer(feed)
    const failure = { reason: 'tls', message: 'localhost does not answer over https; try http' }
    expect(await refused(`https://localhost:${plain.port}/feed.xml`)).toMatchObject(failure)
    await using leaving = await startRawServer((socket) => socket.destroy())
    expect(await refused(`https://localhost:${leaving.port}/`)).toMatchObject({ reason: 'unreachable' })
  })
})
