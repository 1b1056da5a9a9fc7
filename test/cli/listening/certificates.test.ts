import { expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCertificateRenewal } from '../../../src/cli/listening/certificates.ts'
import { readCertificate } from '../../../src/doctor/certificates.ts'
import { createLog } from '../../../src/platform/log.ts'
import { tempDirs } from '../../store/temp-dir.ts'
import { CERTIFICATE, EXPIRED_CERTIFICATE, PRIVATE_KEY, UNKNOWN_CERTIFICATE } from '../../support/certificate.ts'

const dirs = tempDirs()
const NOW = Date.UTC(2025, 2, 2) / 1000
const OTHER_KEY = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

function place(cert = CERTIFICATE, key = PRIVATE_KEY) {
  const folder = dirs.make()
  const files = { tlsCert: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') }
  writeFileSync(files.tlsCert, cert)
  writeFileSync(files.tlsKey, key)
  chmodSync(files.tlsKey, 0o600)
  return files
}

test('a certificate is read with its key and its expiry', () => {
  const read = readCertificate(place(), NOW)
  expect(read).toMatchObject({ cert: CERTIFICATE, key: PRIVATE_KEY, warnings: [] })
  expect(new Date(read.validUntil * 1000).getUTCFullYear()).toBe(2120)
})

test.each([
  ['no certificate', () => place('nonsense'), 'setting tls_cert'],
  ['no key', () => place(CERTIFICATE, 'nonsense'), 'setting tls_key'],
  ['the key of another', () => place(CERTIFICATE, OTHER_KEY), 'does not belong'],
  ['no file', () => ({ ...place(), tlsKey: '/nowhere/key.pem' }), '/nowhere/key.pem'],
])('%s is reported with its setting', (_case, make, message) => {
  const files = make()
  expect(() => readCertificate(files, NOW)).toThrow(message)
})

test('an expired certificate, and a key that everyone may read, cause warnings', () => {
  const files = place(EXPIRED_CERTIFICATE)
  chmodSync(files.tlsKey, 0o644)
  expect(readCertificate(files, NOW).warnings).toEqual([
    expect.stringContaining('has expired'),
    expect.stringContaining('chmod o-r'),
  ])
})

test('new files are used once; broken ones are reported once, and the old certificate stays', () => {
  const files = place()
  const used: string[] = []
  const logs: string[] = []
  const log = createLog({ level: 'info', format: 'json', write: (line) => logs.push(JSON.parse(line).msg) })
  const use = ({ cert }: { readonly cert: string }) => used.push(cert)
  const renew = createCertificateRenewal(files, readCertificate(files, NOW), { now: () => NOW, use, log })
  renew()
  expect([used, logs]).toEqual([[], []])
  writeFileSync(files.tlsCert, 'half a cert')
  renew()
  renew()
  expect(used).toEqual([])
  expect(logs).toEqual([expect.stringContaining('stays as it was')])
  writeFileSync(files.tlsCert, UNKNOWN_CERTIFICATE)
  renew()
  renew()
  expect(used).toEqual([UNKNOWN_CERTIFICATE])
  expect(logs.at(-1)).toBe('a new TLS certificate is in use')
})
