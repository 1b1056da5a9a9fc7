import { describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { addressesOf } from '../../src/cli/addresses.ts'
import { newestAt } from '../../src/demo/shows.ts'
import { basic, clientOf } from '../support/client.ts'
import { startWebServer } from '../support/web-server.ts'
import { openWire } from '../support/wire.ts'
import { requireBinary } from './support/binary.ts'
import { podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'

const IDA = basic('ida', 'seaglass')
const OTTO = basic('otto', 'driftwood')

/** A demo on a free port, whose temporary folders are in `folder`; killed at the end of the block. */
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
    client: (headers: Record<string, string> = {}) => clientOf(network, headers),
    signal: (name: 'SIGINT') => void child.kill(name),
    exited: child.exited,
    /** Sends the signal; the exit code, and what it has written to standard error in all. */
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
  test('has two users with devices, a group, history, favorites and lists, and feeds that it has fetched from itself', async () => {
    using folder = emptyFolder()
    await using demo = await startDemo(folder)
    const { base } = demo
    const ida = demo.client(IDA)
    const otto = demo.client(OTTO)
    expect((await ida.post('/api/2/auth/ida/login.json')).status).toBe(200)
    expect((await otto.post('/api/2/auth/otto/login.json')).status).toBe(200)

    expect((await ida.get('/api/2/subscriptions/ida/phone.json?since=0')).json).toMatchObject({
      add: { length: 8 },
      remove: [],
    })
    expect((await otto.get('/api/2/subscriptions/otto/desktop.json?since=0')).json).toMatchObject({
      add: [`${base}/demo/lantern-quay.xml`, `${base}/demo/small-engines.xml`],
    })
    expect((await ida.get('/api/2/sync-devices/ida.json')).json).toMatchObject({ synchronized: [['phone', 'laptop']] })
    expect((await ida.get('/api/2/episodes/ida.json?since=0')).text).toContain(`${base}/demo/lantern-quay/6.mp3`)
    expect((await ida.get('/api/2/me/subscriptions')).json).toHaveLength(10)
    expect((await ida.get('/api/2/favorites/ida.json')).json).toMatchObject({
      length: 3,
      0: { podcast_title: expect.any(String), duration: expect.any(Number) },
    })
    expect((await ida.get('/api/2/lists/ida.json')).json).toMatchObject([{ title: 'Sea air' }, { title: 'Short ones' }])
    expect((await demo.client().get('/toplist/1.json')).json).toMatchObject([
      { url: `${base}/demo/lantern-quay.xml`, title: 'Lantern Quay', subscribers: 3 },
    ])
    const newest = `${base}/demo/lantern-quay/8.mp3`
    const query = new URLSearchParams({ podcast: `${base}/demo/lantern-quay.xml`, url: newest })
    expect((await ida.get(`/api/2/data/episode.json?${query}`)).json).toMatchObject({
      title: 'The last paper chart',
      podcast_title: 'Lantern Quay',
      mime_type: 'audio/mpeg',
    })

    const feed = await demo.client().get('/demo/lantern-quay.xml')
    expect(feed.text).toContain('<title>Lantern Quay</title>')
    expect(feed.text).toContain(`<enclosure url="${newest}"`)
    const media = await demo.client().get('/demo/lantern-quay/8.mp3', { headers: { range: 'bytes=0-35' } })
    expect(media).toMatchObject({ status: 206 })
    const picture = await ida.get(`/artwork/128?url=${encodeURIComponent(`${base}/demo/lantern-quay.xml`)}`)
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/webp'])
    // Each request that it proposes works as it is printed.
    const proposed = [...demo.out.matchAll(/^ {2}curl (?:-u (\S+):(\S+) )?'([^']+)'$/gm)]
    expect(proposed.length).toBeGreaterThan(3)
    for (const [, username = '', password = '', url = ''] of proposed) {
      const headers = username === '' ? {} : basic(username, password)
      expect((await fetch(url, { headers })).status).toBe(200)
    }
  })

  test.each([
    ['today unless told otherwise', [], undefined],
    ['on 30 June 2025 with --dates fixed', ['--dates', 'fixed'], '2025-06-30T06:00:00Z'],
  ])('has its newest episodes %s', async (_, args, fixed) => {
    using folder = emptyFolder()
    // The day may end while the demo starts.
    const before = newestAt(Date.now() / 1000)
    await using demo = await startDemo(folder, args)
    const after = newestAt(Date.now() / 1000)
    const { json } = await demo.client(IDA).get('/api/2/me/inbox?per_page=1')
    const expected = fixed === undefined ? [before, after] : [Date.parse(fixed) / 1000]
    const accepted = expected.map((seconds) => new Date(seconds * 1000).toISOString().slice(0, 19))
    const released = (json as { items: { episode: { released: string } }[] }).items[0]?.episode.released.slice(0, 19)
    expect(accepted).toContain(released ?? '')
  })

  test('fetches nothing else of this machine than its own feeds', async () => {
    await using web = startWebServer({ '/f': () => new Response('<rss/>') })
    using folder = emptyFolder()
    await using demo = await startDemo(folder)
    const otto = demo.client(OTTO)
    const own = await otto.get(`/api/2/data/podcast.json?url=${demo.base}/demo/tide-tables.xml`)
    expect(own).toMatchObject({ status: 200, json: { title: 'Tide Tables, Read Aloud' } })
    expect(await otto.get(`/api/2/data/podcast.json?url=http://127.0.0.1:${web.port}/f`)).toMatchObject({ status: 403 })
    expect(web.asked).toEqual([])
  })

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends with 0 on %s and leaves nothing behind, after requests that it has logged',
    async (signal) => {
      using folder = emptyFolder()
      await using demo = await startDemo(folder, ['--empty'])
      expect(readdirSync(folder.path)).toEqual([expect.stringMatching(/^podstep-demo-/)])
      expect(demo.out).toContain(`Data     ${folder.path}/podstep-demo-`)
      await demo.client(IDA).get('/api/2/devices/ida.json')
      const { code, err } = await demo.end(signal)
      expect(code).toBe(0)
      const lines = err
        .trimEnd()
        .split('\n')
        .map((line): unknown => JSON.parse(line))
      expect(lines).toMatchObject([{ route: '/api/2/devices/:username', status: 200 }, { msg: 'stopping' }])
      expect(readdirSync(folder.path)).toEqual([])
      await expect(openWire(Number(new URL(demo.base).port))).rejects.toThrow('ECONNREFUSED')
    },
  )

  test('leaves nothing behind either when a second Ctrl-C does not wait for a request', async () => {
    using folder = emptyFolder()
    await using demo = await startDemo(folder, ['--empty'])
    const port = Number(new URL(demo.base).port)
    using wire = await openWire(port)
    const authorization = `Authorization: ${IDA['authorization']}\r\nContent-Length: 50\r\nExpect: 100-continue`
    wire.send(`POST /api/2/subscriptions/ida/phone.json HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`)
    // The server waits for a body that does not come.
    await wire.until('100 Continue\r\n\r\n')
    const impatience = setInterval(() => demo.signal('SIGINT'), 30)
    try {
      expect(await demo.exited).toBe(1)
    } finally {
      clearInterval(impatience)
    }
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('on all addresses has its feeds at one that other devices reach', async () => {
    using folder = emptyFolder()
    await using demo = await startDemo(folder, ['--host', '0.0.0.0'])
    const [address = '127.0.0.1'] = addressesOf(networkInterfaces())
    expect(new URL(demo.base).hostname).toBe(address)
    const feed = new URLSearchParams({ url: `${demo.base}/demo/kasa-to-ame.xml` })
    expect((await demo.client(OTTO).get(`/api/2/data/podcast.json?${feed}`)).json).toMatchObject({
      title: '傘と雨の話',
    })
  })

  test('with --empty has users without anything, and lets others register as often as tests need', async () => {
    using folder = emptyFolder()
    await using demo = await startDemo(folder, ['--empty'])
    const ida = demo.client(IDA)
    expect((await ida.get('/api/2/devices/ida.json')).json).toEqual([])
    expect((await demo.client(OTTO).get('/subscriptions/otto.json')).json).toEqual([])
    for (let n = 0; n < 25; n++) {
      const made = await demo.client().post('/api/2/register', { username: `app${n}`, password: 'seaglass' })
      expect(made.status).toBe(200)
    }
    expect((await demo.client().get('/demo/feeds.opml')).text).toContain(`${demo.base}/demo/brackwasser.xml`)
  })

  test('takes nothing from settings, and does not touch ./data', async () => {
    using folder = emptyFolder()
    folder.file('config.toml', 'data_dir = "./data"\nhost = "0.0.0.0"\nregistration = "closed"\n')
    await using demo = await startDemo(folder, ['--empty'], {
      SVC_DATA_DIR: folder.file('data'),
      SVC_BASE_URL: 'https://a.example',
    })
    expect(demo.base).toStartWith('http://127.0.0.1:')
    expect((await demo.client().post('/api/2/register', { username: 'ben', password: 'seaglass' })).status).toBe(200)
    expect((await demo.end('SIGTERM')).code).toBe(0)
    expect(readdirSync(folder.path)).toEqual(['config.toml'])
  })

  test('refuses a port in use and leaves nothing behind', async () => {
    await using web = startWebServer({})
    using folder = emptyFolder()
    const args = ['demo', '--port', String(web.port)]
    const { code, out, err } = await podstep(args, { cwd: folder.path, env: { TMPDIR: folder.path } })
    expect([code, out]).toEqual([1, ''])
    expect(err).toStartWith(`error: cannot listen on 127.0.0.1 port ${web.port} (settings host, port): `)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test.each([
    [['--port', 'many'], 'port'],
    [['--data-dir', 'data'], '--data-dir'],
    [['--dates', '2026-11-27'], '--dates: expected today or fixed, got "2026-11-27"'],
    [['--dates', ''], '--dates: expected today or fixed, got ""'],
    [['ida'], 'demo: unexpected argument "ida"'],
  ])('refuses %j with exit code 2', async (args, told) => {
    using folder = emptyFolder()
    const { code, err } = await podstep(['demo', ...args], { cwd: folder.path, env: { TMPDIR: folder.path } })
    expect(code).toBe(2)
    expect(err).toContain(told)
    expect(readdirSync(folder.path)).toEqual([])
  })

  test('says in its help where the data is and what removes it', async () => {
    using folder = emptyFolder()
    const { code, out } = await podstep(['demo', '--help'], { cwd: folder.path })
    expect(code).toBe(0)
    expect(out).toContain('temporary folder')
    expect(out).toContain('--empty')
    expect(out).toContain('--dates')
  })
})
