import { brotliCompressSync, gzipSync } from 'node:zlib'
import { Elysia } from 'elysia'
import { sha256 } from '../../../platform/crypto.ts'
import { sessionTokens } from '../../credentials.ts'
import { chooseCoding } from '../../responses/accept-encoding.ts'
import { ALL_PAGES, pageHeaders } from '../../responses/caching.ts'
import type { WebFile, WebFiles } from '../../web-files.ts'

/** Page paths and, for pages that require a sign-in, the file that contains each (src/web/app.tsx). */
export const PAGES: Readonly<Record<string, string | undefined>> = {
  '/': 'main',
  '/login': undefined,
  '/login/flow/:token': undefined,
  '/register': undefined,
  '/activate': undefined,
  '/reset-password': undefined,
  '/inbox': 'rest',
  '/queue': 'rest',
  '/add': 'rest',
  '/discover': 'rest',
  '/podcast': 'rest',
  '/episode': 'rest',
  '/listening': 'rest',
  '/year': 'rest',
  '/favorites': 'rest',
  '/devices': 'rest',
  '/connect': 'rest',
  '/upgrades': 'main',
  '/activity': 'rest',
  '/transfer': 'rest',
  '/account': 'rest',
  '/outlets': 'rest',
  '/admin/users': 'rest',
  '/admin/feeds': 'rest',
  '/admin/server': 'rest',
  '/admin/log': 'rest',
}

/** Allows our own files and one inline script (src/web/theme-start.ts). Media may come from publishers. */
function cspOf(page: WebFile | undefined): string {
  const script = /<script>(.*?)<\/script>/s.exec(new TextDecoder().decode(page?.raw))?.[1]
  const inline = script === undefined ? '' : ` 'sha256-${Buffer.from(sha256(script)).toString('base64')}'`
  return [
    "default-src 'none'",
    `script-src 'self'${inline}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    'media-src http: https:',
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Headers of the service worker, through which browsers learn of a new version. */
const ASKED_AGAIN = {
  'cache-control': 'no-cache',
  // A service worker can fetch only what the policy of its own response allows.
  'content-security-policy': "default-src 'none'; script-src 'self'; connect-src 'self'; frame-ancestors 'none'",
}
const NEVER_CHANGING = { 'cache-control': 'public, max-age=31536000, immutable' }
const LINKED = { 'cache-control': 'public, max-age=86400', 'cross-origin-resource-policy': ALL_PAGES }

export interface WebClient {
  readonly routes: ReturnType<typeof routesOf>
  /** Returns a page for browsers; undefined for programs, which get the error object. */
  notFound(request: Request): Response | undefined
}

export function createWebClient(files: WebFiles, basePath: string, isHttps: (request: Request) => boolean): WebClient {
  const documentFor = createDocuments(files, basePath)
  const headersOfAll = {
    vary: 'Accept-Encoding, Accept-Language, Cookie',
    'cache-control': 'no-cache',
    'content-security-policy': cspOf(files.get('index.html')),
    'referrer-policy': 'no-referrer',
  }
  const overHttp = { ...headersOfAll, ...pageHeaders(false) }
  const overHttps = { ...headersOfAll, ...pageHeaders(true) }

  function showPage(request: Request, status: number, chunk: string | undefined, isPublic: boolean): Response {
    const acceptLanguage = request.headers.get('accept-language')
    const headers = isHttps(request) ? overHttps : overHttp
    return send(documentFor({ chunk, isPublic, acceptLanguage }), request, headers, status)
  }

  return {
    routes: routesOf(files, (request, chunk) =>
      showPage(request, 200, chunk, chunk === undefined || isAnonymous(request)),
    ),
    notFound(request) {
      const isForPeople = request.method === 'GET' && request.headers.get('accept')?.includes('text/html')
      return isForPeople ? showPage(request, 404, undefined, isAnonymous(request)) : undefined
    },
  }
}

function isAnonymous({ headers }: Request): boolean {
  return sessionTokens(headers.get('cookie')).length === 0
}

function routesOf(files: WebFiles, showPage: (request: Request, chunk: string | undefined) => Response) {
  const app = new Elysia()
  for (const [path, chunk] of Object.entries(PAGES)) app.get(path, ({ request }) => showPage(request, chunk))
  for (const [path, file] of files)
    if (path !== 'index.html') app.get(`/${path}`, ({ request }) => send(file, request, headersOf(path)))
  return app
}

function headersOf(path: string): Record<string, string> {
  if (path.startsWith('a/')) return NEVER_CHANGING
  return path.endsWith('.js') ? ASKED_AGAIN : LINKED
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

interface PageRequest {
  /** File of the page, without the hash in its name; undefined for pages that require no sign-in. */
  readonly chunk: string | undefined
  readonly isPublic: boolean
  readonly acceptLanguage: string | null
}

/** Maximum number of languages considered in `Accept-Language`. */
const LANGUAGES_MAX = 5

/** Builds documents that differ in outline, language and preloaded files. Compresses on demand to save memory. */
function createDocuments(files: WebFiles, basePath: string): (request: PageRequest) => WebFile {
  const template = files.get('index.html')
  if (!template) throw new Error('the web client has no page')
  const { type } = template
  const text = new TextDecoder().decode(template.raw)
  const documents = new Map<string, WebFile>()

  function make(isPublic: boolean, language: string, linked: readonly string[]): WebFile {
    const links = linked.map((path) => `<link rel="modulepreload" href="${path}">`).join('\n')
    const page = without(isPublic ? 'shell' : 'public', text)
      .replace('{base}', encodeURI(basePath))
      .replace('{language}', language)
      .replace('{preload}', links)
    const raw = new Uint8Array(Buffer.from(page))
    return { type, raw, brotli: new Uint8Array(brotliCompressSync(raw)), gzip: new Uint8Array(gzipSync(raw)) }
  }

  return ({ chunk, isPublic, acceptLanguage }) => {
    const language = languageOf(acceptLanguage, files)
    const names = !isPublic && chunk === 'rest' ? [language, chunk] : [language]
    const linked = names.map((name) => scriptOf(name, files)).filter((path) => path !== undefined)
    const key = [isPublic, language, ...linked].join()
    const document = documents.get(key) ?? make(isPublic, language, linked)
    documents.set(key, document)
    return document
  }
}

/** The first supported language, which the client will use unless another one was chosen in the browser. */
function languageOf(header: string | null, files: WebFiles): string {
  const codes = (header ?? '').split(',', LANGUAGES_MAX).map((tag) => tag.trim().slice(0, 2).toLowerCase())
  return codes.find((code) => /^[a-z]{2}$/.test(code) && scriptOf(code, files) !== undefined) ?? 'en'
}

/** Path of a script, found by its name without the hash. */
function scriptOf(name: string, files: WebFiles): string | undefined {
  return [...files.keys()].find((path) => path.startsWith(`a/${name}-`) && path.endsWith('.js'))
}

function without(name: string, text: string): string {
  const [start, end] = [`<!--${name}-->`, `<!--/${name}-->`]
  const [before = '', rest] = text.split(start)
  return rest === undefined ? text : before + rest.slice(rest.indexOf(end) + end.length)
}
