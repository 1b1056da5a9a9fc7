import { type Certificate, type CertificateFiles, readCertificate } from '../../doctor/certificates.ts'
import type { Log } from '../../platform/log.ts'
import { messageOf } from '../../platform/unknown.ts'

/** The returned function rereads the certificate and passes it to `use` if it has changed. */
export function createCertificateRenewal(
  files: CertificateFiles,
  first: Certificate,
  parts: { readonly now: () => number; readonly use: (certificate: Certificate) => void; readonly log: Log },
): () => void {
  const { now, use, log } = parts
  let current = first
  let lastError = ''
  return () => {
    try {
      const next = readCertificate(files, now())
      lastError = ''
      if (next.cert === current.cert && next.key === current.key) return
      use(next)
      current = next
      for (const warning of next.warnings) log.warn(warning)
      log.info('a new TLS certificate is in use', { valid_until: new Date(next.validUntil * 1000).toISOString() })
    } catch (error) {
      const message = messageOf(error)
      if (message !== lastError)
        log.error('the TLS certificate stays as it was, since the new one cannot be used', { cause: message })
      lastError = message
    }
  }
}
