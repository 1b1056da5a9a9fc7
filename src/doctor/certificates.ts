import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { messageOf } from '../platform/unknown.ts'

export interface Certificate {
  readonly cert: string
  readonly key: string
  /** Unix seconds. */
  readonly validUntil: number
  readonly warnings: readonly string[]
}

export interface CertificateFiles {
  readonly tlsCert: string
  readonly tlsKey: string
}

export class UnusableCertificate extends Error {
  override readonly name = 'UnusableCertificate'
}

const READABLE_BY_ALL = 0o004

/** Reads certificate and key, and checks that they match. Throws `UnusableCertificate`. */
export function readCertificate({ tlsCert, tlsKey }: CertificateFiles, now: number): Certificate {
  const cert = read('tls_cert', tlsCert)
  const key = read('tls_key', tlsKey)
  const parsed = using('tls_cert', tlsCert, () => new X509Certificate(cert))
  const fits = using('tls_key', tlsKey, () => parsed.checkPrivateKey(createPrivateKey(key)))
  if (!fits) throw unusable('tls_key', tlsKey, 'the key does not belong to the certificate of tls_cert')
  const validUntil = Date.parse(parsed.validTo) / 1000
  const isOpen = (statSync(tlsKey).mode & READABLE_BY_ALL) !== 0
  const warnings = [
    ...(validUntil <= now ? [`tls_cert ${tlsCert} has expired: it was valid until ${parsed.validTo}`] : []),
    ...(isOpen ? [`tls_key ${tlsKey} can be read by every user of this machine: chmod o-r`] : []),
  ]
  return { cert, key, validUntil, warnings }
}

function read(setting: string, path: string): string {
  return using(setting, path, () => readFileSync(path, 'utf8'))
}

function using<T>(setting: string, path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw unusable(setting, path, messageOf(error))
  }
}

function unusable(setting: string, path: string, why: string): UnusableCertificate {
  return new UnusableCertificate(`cannot use ${path} (setting ${setting}): ${why}`)
}

/** Returns when the certificate presented by a host expires, in Unix seconds. It need not be trusted. */
export function servedCertificate(host: string, port: number, signal: AbortSignal): Promise<number> {
  // SNI does not allow IP addresses.
  const name = isIP(host) === 0 ? { servername: host } : {}
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const socket = connect({ ...name, host, port, rejectUnauthorized: false }, () => {
    const end = Date.parse(socket.getPeerCertificate().valid_to) / 1000
    if (Number.isNaN(end)) reject(new Error('the server shows no certificate'))
    else resolve(end)
  })
  socket.on('error', reject)
  signal.addEventListener('abort', () => reject(new Error('the server does not answer in time')))
  return promise.finally(() => socket.destroy())
}
