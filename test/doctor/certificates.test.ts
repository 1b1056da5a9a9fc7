import { expect, test } from 'bun:test'
import { servedCertificate } from '../../src/doctor/certificates.ts'
import { CERTIFICATE, EXPIRED_CERTIFICATE, PRIVATE_KEY } from '../support/certificate.ts'

const signal = new AbortController().signal

test.each([
  ['of a name', 'localhost', CERTIFICATE, true],
  ['of an address', '127.0.0.1', CERTIFICATE, true],
  ['that has expired', '127.0.0.1', EXPIRED_CERTIFICATE, false],
])('the expiry of an untrusted certificate is read: %s', async (_title, host, cert, isValid) => {
  using server = Bun.serve({ hostname: host, port: 0, tls: { cert, key: PRIVATE_KEY }, fetch: () => new Response() })
  const end = await servedCertificate(host, Number(server.port), signal)
  expect(end > Date.UTC(2025, 2, 2) / 1000).toBe(isValid)
})

test('an address without a server or TLS is an error', async () => {
  using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  await expect(servedCertificate('127.0.0.1', Number(server.port), signal)).rejects.toThrow()
  await expect(servedCertificate('127.0.0.1', 1, signal)).rejects.toThrow()
})
