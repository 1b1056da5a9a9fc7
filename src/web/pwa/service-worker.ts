/*
 * Lets the web client start while the server is unreachable. Caches only the client's own files: no API answers and no
 * pictures. Documents come from the server as long as it answers, so that users get the latest version. Files below
 * `a/` have a hash in their name and never change.
 */

/** Inserted by the build: the files to cache on install, all cacheable files, and the paths of the pages. */
declare const SHELL_FILES: readonly string[]
declare const ALL_FILES: readonly string[]
declare const PAGES: readonly string[]

/** Types of the service worker API in use, because TypeScript cannot combine its own with the types of pages. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request
  readonly preloadResponse: Promise<Response | undefined>
  respondWith(response: Promise<Response>): void
}
interface Worker {
  readonly registration: ServiceWorkerRegistration
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listen: (event: WorkerEvent) => void): void
  addEventListener(type: 'fetch', listen: (event: RequestEvent) => void): void
}

const worker = globalThis as unknown as Worker
const { scope } = worker.registration
/** Contains the path, because several servers may share an origin and its caches. */
const CACHE = `podstep.files ${new URL(scope).pathname}`

/** Milliseconds after which the server counts as unreachable and the cached document is shown. */
const SERVER_TIMEOUT_MS = 5000

/** `Vary` is only about compression, which does not matter here. */
const ANY_FORM = { ignoreVary: true }

worker.addEventListener('install', (event) => event.waitUntil(install()))
worker.addEventListener('activate', (event) => event.waitUntil(activate()))
worker.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  if (method !== 'GET' || !url.startsWith(scope)) return
  const path = new URL(url).pathname.slice(new URL(scope).pathname.length)
  if (ALL_FILES.includes(path)) event.respondWith(cachedFile(event.request))
  else if (mode === 'navigate' && PAGES.includes(`/${path}`)) event.respondWith(freshDocument(event))
})

async function install(): Promise<void> {
  const cache = await caches.open(CACHE)
  const cachedUrls = new Set((await cache.keys()).map(({ url }) => url))
  const missing = SHELL_FILES.map((path) => new URL(path, scope).href).filter((url) => !cachedUrls.has(url))
  await cache.addAll(missing)
  // The cached document must refer to files of this version.
  await cache.add(new Request(scope, { cache: 'no-cache' }))
  await worker.skipWaiting()
}

async function activate(): Promise<void> {
  const cache = await caches.open(CACHE)
  const current = new Set([scope, ...ALL_FILES.map((path) => new URL(path, scope).href)])
  for (const request of await cache.keys()) if (!current.has(request.url)) await cache.delete(request)
  // Lets the browser request documents while the worker starts.
  await worker.registration.navigationPreload?.enable()
  await worker.clients.claim()
}

async function cachedFile(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  const cached = await cache.match(request.url, ANY_FORM)
  if (cached) return cached
  const response = await fetch(request)
  if (response.ok) await cache.put(request.url, response.clone())
  return response
}

/** Returns the document from the server, else the cached one. All pages share one document. */
async function freshDocument(event: RequestEvent): Promise<Response> {
  const answer = askForDocument(event)
  const cached = await (await caches.open(CACHE)).match(scope, ANY_FORM)
  if (!cached) return await answer
  return await Promise.race([answer.catch(() => cached), after(SERVER_TIMEOUT_MS).then(() => cached)])
}

async function askForDocument(event: RequestEvent): Promise<Response> {
  const response = (await event.preloadResponse) ?? (await fetch(event.request))
  const isPage = response.ok && !response.redirected && response.headers.get('content-type')?.startsWith('text/html')
  if (isPage) {
    const copy = response.clone()
    event.waitUntil(caches.open(CACHE).then((cache) => cache.put(scope, copy)))
  }
  return response
}

function after(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
