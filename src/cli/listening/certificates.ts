import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { Log } from '../../platform/log.ts'
import { messageOf } from '../../platform/unknown.ts'
import { CommandError } from '../io.ts'

/** What TLS needs, in PEM. */
export interface Certificate {
  readonly cert: string
  readonly key: string
  /** Unix seconds. */
  readonly validUntil: number
  /** What works but is probably not meant. */
  readonly warnings: readonly string[]
}

export interface CertificateFiles {
  readonly tlsCert: string
  readonly tlsKey: string
}

const READABLE_BY_ALL = 0o004

/** Reads certificate and key, and makes sure that they fit each other. Throws `CommandError` that names the setting. */
export function readCertificate({ tlsCert, tlsKey }: CertificateFiles, now: number): Certificate {
  const cert = read('tls_cert', tlsCert)
  const key = read('tls_key', tlsKey)
  const parsed = using('tls_cert', tlsCert, () => new X509Certificate(cert))
  const fits = using('tls_key', tlsKey, () => parsed.checkPrivateKey(createPrivateKey(key)))
  if (!fits) throw refusal('tls_key', tlsKey, 'the key does not belong to the certificate of tls_cert')
  const validUntil = Date.parse(parsed.validTo) / 1000
  const isOpen = (statSync(tlsKey).mode & READABLE_BY_ALL) !== 0
  const warnings = [
    ...(validUntil <= now ? [`tls_cert ${tlsCert} has expired: it was valid until ${parsed.validTo}`] : []),
    ...(isOpen ? [`tls_key ${tlsKey} can be read by every user of this machine: chmod o-r`] : []),
  ]
  return { cert, key, validUntil, warnings }
}

/**
 * Makes a function that reads the files again, and has `use` serve them if they have changed. What cannot be used is
 * told once, and the one before stays.
 */
export function createCertificateRenewal(
  files: CertificateFiles,
  first: Certificate,
  parts: { readonly now: () => number; readonly use: (certificate: Certificate) => void; readonly log: Log },
): () => void {
  const { now, use, log } = parts
  let current = first
  let told = ''
  return () => {
    try {
      const next = readCertificate(files, now())
      told = ''
      if (next.cert === current.cert && next.key === current.key) return
      use(next)
      current = next
      for (const warning of next.warnings) log.warn(warning)
      log.info('a new TLS certificate is in use', { valid_until: new Date(next.validUntil * 1000).toISOString() })
    } catch (error) {
      const message = messageOf(error)
      if (message !== told)
        log.error('the TLS certificate stays as it was, since the new one cannot be used', { cause: message })
      told = message
    }
  }
}

function read(setting: string, path: string): string {
  return using(setting, path, () => readFileSync(path, 'utf8'))
}

function using<T>(setting: string, path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw refusal(setting, path, messageOf(error))
  }
}

function refusal(setting: string, path: string, why: string): CommandError {
  return new CommandError(`error: cannot use ${path} (setting ${setting}): ${why}`)
}
