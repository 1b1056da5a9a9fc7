import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Elysia } from 'elysia'
import { chooseCoding } from '../../responses/accept-encoding.ts'
import { ALL_PAGES } from '../../responses/caching.ts'
import type { WebFile, WebFiles } from '../../web-files.ts'

/** The paths of the web client's pages. All get the same document, which shows the right one. */
const PAGES = [
  '/',
  '/login',
  '/login/flow/:token',
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
  '/activity',
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

const PAGE_HEADERS = {
  'cache-control': 'no-cache',
  'content-security-policy': CSP,
  'referrer-policy': 'no-referrer',
}
const NEVER_CHANGING = { 'cache-control': 'public, max-age=31536000, immutable' }
/** Icons, which pages of other sites that link here may show. */
const LINKED = { 'cache-control': 'public, max-age=86400', 'cross-origin-resource-policy': ALL_PAGES }

export interface WebClient {
  /** One page for all addresses of the client, and the files that make it. */
  readonly routes: ReturnType<typeof filesOf>
  /** The page that says that there is nothing, for browsers; undefined for programs, which get the error object. */
  notFound(request: Request): Response | undefined
}

export function createWebClient(files: WebFiles, basePath: string): WebClient {
  const page = pageOf(files, basePath)
  return {
    routes: filesOf(files, page),
    notFound(request) {
      const isForPeople = request.method === 'GET' && request.headers.get('accept')?.includes('text/html')
      return isForPeople ? send(page(), request, PAGE_HEADERS, 404) : undefined
    },
  }
}

function filesOf(files: WebFiles, page: () => WebFile) {
  const app = new Elysia()
  for (const path of PAGES) app.get(path, ({ request }) => send(page(), request, PAGE_HEADERS))
  for (const [path, file] of files)
    if (path !== 'index.html')
      app.get(`/${path}`, ({ request }) => send(file, request, path.startsWith('a/') ? NEVER_CHANGING : LINKED))
  return app
}

/** Compressed when somebody asks for it: the compressors take 10 ms and 10 MiB, and many servers never show a page. */
function pageOf(files: WebFiles, basePath: string): () => WebFile {
  const template = files.get('index.html')
  if (!template) throw new Error('the web client has no page')
  let page: WebFile | undefined
  function make({ type, raw: bytes }: WebFile): WebFile {
    const raw = new Uint8Array(Buffer.from(Buffer.from(bytes).toString().replace('{base}', encodeURI(basePath))))
    return {
      type,
      raw,
      brotli: new Uint8Array(brotliCompressSync(raw)),
      gzip: new Uint8Array(gzipSync(raw)),
    }
  }
  return () => {
    page ??= make(template)
    return page
  }
}

function send(
  { type, raw, brotli, gzip }: WebFile,
  request: Request,
  headers: Record<string, string>,
  status = 200,
): Response {
  const coding = chooseCoding(request.headers.get('accept-encoding'), ['br', 'gzip'])
  return new Response(coding === 'br' ? brotli : coding === 'gzip' ? gzip : raw, {
    status,
    headers: {
      'content-type': type,
      vary: 'Accept-Encoding',
      ...headers,
      ...(coding && { 'content-encoding': coding }),
    },
  })
}
