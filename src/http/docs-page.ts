import { sha256 } from '../platform/crypto.ts'
import type { ApiDocument } from './api-document.ts'
import { renderPage, STYLE } from './docs/page.ts'

/** The human page of the API: plain HTML without scripts. `csp` allows exactly its own style, and nothing else at all. */
export function docsPage(document: ApiDocument): { html: string; csp: string } {
  const hash = Buffer.from(sha256(STYLE)).toString('base64')
  const csp = [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return { html: renderPage(document), csp: csp.join('; ') }
}
