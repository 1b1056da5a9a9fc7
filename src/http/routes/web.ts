import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Elysia } from 'elysia'
import type { WebFile, WebFiles } from '../web-files.ts'

/** Pages of the web client; it finds out itself which of them it shows. */
const PAGES = [
  '/',
  '/login',
  '/register',
  '/activate',
  '/reset-password',
  '/discover',
  '/podcast',
  '/episode',
  '/listening',
  '/devices',
  '/connect',
  '/upgrades',
  '/transfer',
  '/account',
  '/admin/users',
  '/admin/feeds',
  '/admin/server',
] as const

/** Nothing but our own files, no script or style inside of pages, and nobody's frame. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const FOR_EVER = 'public, max-age=31536000, immutable'

/** The web client: one page for all of its addresses, and the files that make it. */
export function webRoutes(files: WebFiles, basePath: string) {
  const page = pageOf(files, basePath)
  const app = new Elysia()
  for (const path of PAGES)
    app.get(path, ({ request }) =>
      send(page, request, {
        'cache-control': 'no-cache',
        'content-security-policy': CSP,
        'referrer-policy': 'no-referrer',
      }),
    )
  for (const [path, file] of files)
    if (path !== 'index.html')
      app.get(`/${path}`, ({ request }) =>
        send(file, request, { 'cache-control': path.startsWith('a/') ? FOR_EVER : 'public, max-age=86400' }),
      )
  return app
}

function pageOf(files: WebFiles, basePath: string): WebFile {
  const template = files.get('index.html')
  if (!template) throw new Error('the web client has no page')
  const raw = Buffer.from(Buffer.from(template.raw).toString().replace('{base}', encodeURI(basePath)))
  return {
    type: template.type,
    raw: new Uint8Array(raw),
    brotli: new Uint8Array(brotliCompressSync(raw)),
    gzip: new Uint8Array(gzipSync(raw)),
  }
}

function send({ type, raw, brotli, gzip }: WebFile, request: Request, headers: Record<string, string>): Response {
  const accepted = request.headers.get('accept-encoding') ?? ''
  const [coding, body] = /\bbr\b/.test(accepted)
    ? ['br', brotli]
    : /\bgzip\b/.test(accepted)
      ? ['gzip', gzip]
      : [undefined, raw]
  return new Response(body, {
    headers: {
      'content-type': type,
      vary: 'Accept-Encoding',
      ...headers,
      ...(coding && { 'content-encoding': coding }),
    },
  })
}
