import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { basic, type Client, clientOf } from '../../support/client.ts'
import { type Covers, SHOWS, secondsOf, serveDemoShows } from './demo-shows.ts'

/* A server for browser tests and screenshots, with sample users, devices, and podcasts with episodes and pictures. */

const ROOT = join(import.meta.dir, '../../..')

export type Demo = Awaited<ReturnType<typeof startDemo>>

export interface DemoOptions {
  /** The command to start; the executable by default. */
  readonly program?: readonly string[]
  /** Starts without users and podcasts. */
  readonly isEmpty?: boolean
  readonly env?: Readonly<Record<string, string>>
  /** Covers to use instead of plain pictures. */
  readonly covers?: Covers
}

/**
 * Starts the server. `ida` (password `seaglass`) is the administrator, `ole` (`driftwood`) is not, and `tove` (`samphire`)
 * makes some podcasts popular.
 */
export async function startDemo({
  program = [join(ROOT, 'dist/podstep')],
  isEmpty = false,
  env = {},
  covers,
}: DemoOptions = {}) {
  const shows = serveDemoShows(covers)
  const dir = mkdtempSync(join(tmpdir(), 'podstep-demo-'))
  const server = Bun.spawn([...program, 'serve'], {
    cwd: dir,
    env: {
      PATH: process.env['PATH'],
      HOME: dir,
      SVC_PORT: '0',
      SVC_HOST: '127.0.0.1',
      SVC_DATA_DIR: join(dir, 'data'),
      SVC_LOG_FORMAT: 'json',
      SVC_REGISTRATION: 'open',
      SVC_RATE_LIMIT: 'false',
      SVC_FEED_ALLOW_PRIVATE: '127.0.0.0/8',
      SVC_DIRECTORY_URL: `${shows.url}/directory`,
      SVC_DIRECTORY_KEY: 'key',
      SVC_DIRECTORY_SECRET: 'secret',
      ...env,
    },
    stdout: 'inherit',
    stderr: 'pipe',
  })
  const port = await portOf(server.stderr)
  const url = `http://127.0.0.1:${port}`
  if (!isEmpty) await fillIn(url, shows.url)
  return {
    url,
    feeds: shows.url,
    async stop() {
      server.kill()
      await server.exited
      await shows.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Reads the port from the log, and keeps reading, because a full pipe would block the server. */
async function portOf(stderr: ReadableStream<Uint8Array>): Promise<number> {
  const found = Promise.withResolvers<number>()
  void (async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of stderr) {
      text += decoder.decode(chunk, { stream: true })
      const port = /"port":(\d+)/.exec(text)?.[1]
      if (port !== undefined) found.resolve(Number(port))
    }
    found.reject(new Error(`the server ended: ${text}`))
  })()
  return found.promise
}

async function fillIn(url: string, feeds: string): Promise<void> {
  const at = (slug: string) => `${feeds}/${slug}.xml`
  const anyone = remoteClient(url)
  const ida = remoteClient(url, basic('ida', 'seaglass'))
  const ole = remoteClient(url, basic('ole', 'driftwood'))
  await succeed(anyone.post('/api/2/register', { username: 'ida', password: 'seaglass', email: 'ida@pods.example' }))
  await succeed(anyone.post('/api/2/register', { username: 'ole', password: 'driftwood' }))
  await succeed(anyone.post('/api/2/register', { username: 'tove', password: 'samphire' }))
  const devices = [
    ['ida-pixel', 'Pixel in the kitchen', 'mobile', ['harbour', 'kitchen', 'night', 'orbit', 'moss', 'sauna', 'tokyo']],
    ['ida-desk', 'Desktop', 'desktop', ['harbour', 'old/ledger', 'orbit']],
    ['ida-laptop', 'Laptop', 'laptop', ['kitchen', 'chess']],
  ] as const
  for (const [id, caption, type, slugs] of devices) {
    await succeed(ida.post(`/api/2/devices/ida/${id}.json`, { caption, type }))
    await succeed(ida.post(`/api/2/subscriptions/ida/${id}.json`, { add: slugs.map(at) }))
  }
  await succeed(ida.post('/api/2/sync-devices/ida.json', { synchronize: [['ida-desk', 'ida-laptop']] }))
  const others = ['harbour', 'night', 'choir', 'weather', 'local', 'moss', 'gone']
  await succeed(ole.post('/api/2/subscriptions/ole/tablet.json', { add: others.map(at) }))
  const tove = remoteClient(url, basic('tove', 'samphire'))
  const popular = ['harbour', 'night', 'moss']
  await succeed(tove.post('/api/2/subscriptions/tove/tablet.json', { add: popular.map(at) }))
  const refresh = (slug: string) => ida.post(`/api/admin/feeds/update/single?url=${encodeURIComponent(at(slug))}`)
  for (const slug of [...SHOWS.map((show) => show.slug), 'gone', 'old/ledger']) await refresh(slug)
  const now = Math.floor(Date.now() / 1000)
  const actions = Array.from({ length: 60 }, (_, n) => {
    const slug = ['harbour', 'kitchen', 'night', 'orbit'][n % 4] ?? 'harbour'
    return {
      podcast: at(slug),
      episode: `${feeds}/${slug}/${34 - (n % 12)}.mp3`,
      device: 'ida-pixel',
      action: 'play',
      timestamp: new Date((now - n * 39_600) * 1000).toISOString().slice(0, 19),
      ...{ started: 0, position: n % 5 === 4 ? secondsOf(n % 12) : 300 + ((n * 97) % 800), total: secondsOf(n % 12) },
    }
  })
  await succeed(ida.post('/api/2/episodes/ida.json', actions))
}

/** A client of the server at this address. */
export function remoteClient(url: string, headers?: Record<string, string>): Client {
  const send = (request: Request) => fetch(new Request(request.url.replace('http://localhost', url), request))
  return clientOf({ fetch: send }, headers)
}

/** Returns the response to a request that prepares a test. Throws unless the request succeeds. */
export async function succeed(asked: ReturnType<Client['get']>): ReturnType<Client['get']> {
  const answer = await asked
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
  return answer
}
