import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { addressesOf } from '../../src/cli/addresses.ts'
import { newestAt } from '../../src/demo/shows.ts'
import { basic, type Client, clientOf } from '../support/client.ts'
import { startWebServer } from '../support/web-server.ts'
import { openWire } from '../support/wire.ts'
import { requireBinary } from './support/binary.ts'
import { podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'

const IDA = basic('ida', 'seaglass')
const OTTO = basic('otto', 'driftwood')

/** A demo on a free port, with its temporary folder in `folder`. Killed at the end of the block. */
async function startDemo(folder: Folder, args: readonly string[] = [], env: Record<string, string> = {}) {
  const child = Bun.spawn([requireBinary(), 'demo', '--port', '0', ...args], {
    cwd: folder.path,
    env: { TMPDIR: folder.path, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const err = child.stderr.text()
  const reader = child.stdout.getReader()
  let out = ''
  while (!out.includes('Stop with Ctrl-C.\n')) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the demo ended instead:\n${out}${await err}`)
    out += Buffer.from(value).toString()
  }
  const base = /^ {2}Server +(\S+)$/m.exec(out)?.[1] ?? ''
  const network = {
    fetch: (request: Request) => fetch(new Request(request.url.replace('http://localhost', base), request)),
  }
  return {
    out,
    base,
    port: Number(new URL(base).port),
    client: (headers: Record<string, string> = {}) => clientOf(network, headers),
    signal: (name: 'SIGINT') => void child.kill(name),
    exited: child.exited,
    /** Ends the demo; returns its exit code and its log. */
    async end(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') {
      child.kill(signal)
      return { code: await child.exited, err: await err }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

describe('podstep demo', () => {
  test('serves feeds, fetches only those, and has two users with data', async () => {
    await using web = startWebServer({ '/f': () => new Response('<rss/>') })
    using folder = emptyFolder()
    // The day may end while the demo starts.
    const before = newestAt(Date.now() / 1000)
    await using demo = await startDemo(folder)
    const after = newestAt(Date.now() / 1000)
    const { base } = demo
    const [ida, otto, anyone] = [demo.client(IDA), demo.client(OTTO), demo.client()]
    const feed = `${base}/demo/lantern-quay.xml`
    const newest = `${base}/demo/lantern-quay/8.mp3`
    const answers: readonly [Client, string, unknown][] = [
      [ida, '/api/2/subscriptions/ida/phone.json?since=0', { add: { length: 8 }, remove: [] }],
      [otto, '/api/2/subscriptions/otto/desktop.json?since=0', { add: [feed, `${base}/demo/small-engines.xml`] }],
      [ida, '/api/2/sync-devices/ida.json', { synchronized: [['phone', 'laptop']] }],
      [ida, '/api/2/lists/ida.json', [{ title: 'Sea air' }, { title: 'Short ones' }]],
      [ida, '/api/2/favorites/ida.json', { length: 3, 0: { podcast_title: expect.any(String) } }],
      [anyone, '/toplist/1.json', [{ url: feed, title: 'Lantern Quay', subscribers: 3 }]],
      [
        ida,
        `/api/2/data/episode.json?${new URLSearchParams({ podcast: feed, url: newest })}`,
        { title: 'The last paper chart', podcast_title: 'Lantern Quay', mime_type: 'audio/mpeg' },
      ],
      [otto, `/api/2/data/podcast.json?url=${base}/demo/tide-tables.xml`, { title: 'Tide Tables, Read Aloud' }],
    ]
    for (const [client, path, json] of answers) expect(await client.get(path)).toMatchObject({ status: 200, json })
    expect((await ida.get('/api/2/episodes/ida.json?since=0')).text).toContain(`${base}/demo/lantern-quay/6.mp3`)
    const { json: inbox } = await ida.get('/api/2/me/inbox?per_page=1')
    const [latest] = (inbox as { items: { episode: { released: string } }[] }).items
    const days = [before, after].map((seconds) => new Date(seconds * 1000).toISOString().slice(0, 19))
    expect(days).toContain(latest?.episode.released.slice(0, 19) ?? '')

    expect((await anyone.get('/demo/lantern-quay.xml')).text).toContain(`<enclosure url="${newest}"`)
    const media = await anyone.get('/demo/lantern-quay/8.mp3', { headers: { range: 'bytes=0-35' } })
    expect(media).toMatchObject({ status: 206 })
    const picture = await ida.get(`/artwork/128?url=${encodeURIComponent(feed)}`)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp'])
    const elsewhere = await otto.get(`/api/2/data/podcast.json?url=http://127.0.0.1:${web.port}/f`)
    expect(elsewhere).toMatchObject({ status: 403 })
    expect(web.asked).toEqual([])

    // The suggested commands work as printed.
    const commands = [...demo.out.matchAll(/^ {2}curl (?:-u (\S+):(\S+) )?'([^']+)'$/gm)]
    expect(commands.length).toBeGreaterThan(3)
    for (const [, username = '', password = '', url = ''] of commands) {
      const headers = username === '' ? {} : basic(username, password)
      expect((await fetch(url, { headers })).status).toBe(200)
    }
  })

  test('has fixed dates on request, and on all addresses uses one that other devices can reach', async () => {
    using folder = emptyFolder()
    await using demo = await startDemo(folder, ['--dates', 'fixed', '--host', '0.0.0.0', '--empty'])
    const [address = '127.0.0.1'] = addressesOf(networkInterfaces())
    expect(new URL(demo.base).hostname).toBe(address)
    const podcast = await demo.client(OTTO).get(`/api/2/data/podcast.json?url=${demo.base}/demo/kasa-to-ame.xml`)
    expect(podcast.json).toMatchObject({ title: '傘と雨の話' })
    const feed = await demo.client().get('/demo/lantern-quay.xml')
    expect(/<item>.*?<pubDate>(.*?)</s.exec(feed.text)?.[1]).toBe('Mon, 30 Jun 2025 06:00:00 GMT')
  })

  test('with --empty has two users without data, ignores settings and the limit on registrations', async () => {
    using folder = emptyFolder()
    folder.file('config.toml', 'data_dir = "./data"\nhost = "0.0.0.0"\nregistration = "closed"\n')
    const env = { SVC_DATA_DIR: folder.file('data'), SVC_BASE_URL: 'https://a.example' }
    await using demo = await startDemo(folder, ['--empty'], env)
    expect(demo.base).toStartWith('http://127.0.0.1:')
    expect((await demo.client(IDA).get('/api/2/devices/ida.json')).json).toEqual([])
    expect((await demo.client(OTTO).get('/subscriptions/otto.json')).json).toEqual([])
    for (let n = 0; n < 11; n++) {
      const user = { username: `app${n}`, password: 'seaglass' }
      expect(await demo.client().post('/api/2/register', user)).toMatchObject({ status: 200 })
    }
    expect((await demo.client().get('/demo/feeds.opml')).text).toContain(`${demo.base}/demo/brackwasser.xml`)
    expect((await demo.end('SIGTERM')).code).toBe(0)
    expect(readdirSync(folder.path)).toEqual(['config.toml'])
  })

  test.each(['SIGINT', 'SIGHUP'] as const)(
    'logs requests, and on %s exits with 0 and leaves nothing',
    async (signal) => {
      using folder = emptyFolder()
      await using demo = await startDemo(folder, ['--empty'])
      expect(readdirSync(folder.path)).toEqual([expect.stringMatching(/^podstep-demo-/)])
      expect(demo.out).toContain(`Data     ${folder.path}/podstep-demo-`)
      await demo.client(IDA).get('/api/2/devices/ida.json')
      const { code, err } = await demo.end(signal)
      expect(code).toBe(0)
      const lines: unknown[] = err
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(lines).toMatchObject([{ route: '/api/2/devices/:username', status: 200 }, { msg: 'stopping' }])
      expect(readdirSync(folder.path)).toEqual([])
      await expect(openWire(demo.port)).rejects.toThrow('ECONNREFUSED')
    },
  )

  test('leaves nothing when a second Ctrl-C cuts off a request', async () => {
    using folder = emptyFolder()
    await using demo = await startDemo(folder, ['--empty'])
    using wire = await openWire(demo.port)
    const headers = `Authorization: ${IDA['authorization']}\r\nContent-Length: 50\r\nExpect: 100-continue`
    wire.send(`POST /api/2/subscriptions/ida/phone.json HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`)
    // The body never comes.
    await wire.until('100 Continue\r\n\r\n')
    const impatience = setInterval(() => demo.signal('SIGINT'), 30)
    try {
      expect(await demo.exited).toBe(1)
    } finally {
      clearInterval(impatience)
    }
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('refuses wrong arguments and a port in use, and leaves nothing', async () => {
    await using web = startWebServer({})
    using folder = emptyFolder()
    const inUse = `error: cannot listen on 127.0.0.1 port ${web.port} (settings host, port): `
    for (const [args, expected, message] of [
      [['--port', String(web.port)], 1, inUse],
      [['--port', 'many'], 2, 'port'],
      [['--data-dir', 'data'], 2, '--data-dir'],
      [['--dates', '2026-11-27'], 2, '--dates: expected today or fixed, got "2026-11-27"'],
      [['--dates', ''], 2, '--dates: expected today or fixed, got ""'],
      [['ida'], 2, 'demo: unexpected argument "ida"'],
    ] as const) {
      const { code, out, err } = await podstep(['demo', ...args], { cwd: folder.path, env: { TMPDIR: folder.path } })
      expect([args, code, out]).toEqual([args, expected, ''])
      expect(err).toContain(message)
    }
    expect(readdirSync(folder.path)).toEqual([])
  })
})
