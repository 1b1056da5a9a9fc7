import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { platform } from 'node:os'
import { eventually } from '../support/eventually.ts'
import { childrenOf, isThere, nicenessOf } from '../support/processes.ts'
import { startWebServer } from '../support/web-server.ts'
import { CHANGES, LOCAL_FEEDS, startScene } from './support/scene.ts'

const feed = () =>
  new Response('<rss version="2.0"><channel><title>Harbour Talk</title></channel></rss>', {
    headers: { 'content-type': 'application/rss+xml' },
  })

/** A feed whose response waits for `letGo`. */
function slowFeed() {
  const reached = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const route = async () => {
    reached.resolve()
    await go.promise
    return feed()
  }
  return { route, reached: reached.promise, letGo: go.resolve }
}

/** A server and the feeds of ida, who is subscribed to all routes. */
async function start(routes: Parameters<typeof startWebServer>[0]) {
  const web = startWebServer(routes)
  const scene = await startScene({ env: LOCAL_FEEDS })
  const { server, ida } = scene
  const url = (path: string) => `http://127.0.0.1:${web.port}${path}`
  // No worker runs before it is needed.
  expect(childrenOf(server.pid)).toEqual([])
  await ida.post(CHANGES, { add: Object.keys(routes).map(url) })
  return {
    server,
    refresh: (path: string) => ida.post(`/api/admin/feeds/update/single?url=${encodeURIComponent(url(path))}`),
    child: () => childrenOf(server.pid)[0] ?? 0,
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]()
      await web[Symbol.asyncDispose]()
    },
  }
}

describe.if(platform() === 'linux')('the feed worker of the executable', () => {
  test('starts when needed, shares no files or settings with the server, and refuses a huge tree', async () => {
    const attributes = Array.from({ length: 1_200_000 }, (_, n) => `a${n}=""`).join(' ')
    const hostile = () => new Response(`<rss><channel ${attributes}><title>Harbour Talk</title></channel></rss>`)
    await using scene = await start({ '/hostile': hostile, '/f': feed })
    const { status, json } = await scene.refresh('/hostile')
    expect({ status, json }).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining('the document contains more than 1,000,000 attributes') },
    })
    const pid = scene.child()
    const [, peak = ''] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    expect(Number(peak)).toBeLessThan(256 * 1024)
    expect(await scene.refresh('/f')).toMatchObject({ status: 200 })
    expect(scene.child()).toBe(pid)

    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1]).toBe('read-feeds')
    expect(readlinkSync(`/proc/${pid}/exe`)).toBe(readlinkSync(`/proc/${scene.server.pid}/exe`))
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('SVC_')
    expect(nicenessOf(pid).filter((niceness) => niceness < 19)).toEqual([])
    const filesOf = (of: number) => readdirSync(`/proc/${of}/fd`).map((fd) => linkOf(`/proc/${of}/fd/${fd}`))
    const open = filesOf(pid)
    expect(open.filter((path) => path.includes('podstep.db') || path.includes('podstep.lock'))).toEqual([])
    const shared = new Set(open).intersection(new Set(filesOf(scene.server.pid)))
    expect([...shared].filter((link) => link.startsWith('socket:'))).toEqual([])
  })

  test('is restarted when it dies; a feed that it dies of twice fails, and others are read', async () => {
    const hangs = [slowFeed(), slowFeed()]
    const routes = hangs.map(({ route }) => route)
    await using scene = await start({ '/slow': () => (routes.shift() ?? feed)(), '/f': feed })
    const slow = scene.refresh('/slow')
    for (const { reached } of hangs) {
      // The feed is tried once more after the first crash.
      await reached
      process.kill(scene.child(), 'SIGKILL')
    }
    expect(await slow).toMatchObject({ status: 500, json: { error: 'internal' } })
    expect(await scene.server.logged('feed refresh failed: internal error')).toMatchObject({
      error: { message: expect.stringContaining('SIGKILL') },
    })
    for (const { letGo } of hangs) letGo()
    expect(await scene.refresh('/f')).toMatchObject({ status: 200 })
    expect(await scene.refresh('/slow')).toMatchObject({ status: 200 })
  })

  test.each(['SIGKILL', 'SIGTERM'] as const)('does not outlive the server (%s)', async (signal) => {
    const { route, reached, letGo } = slowFeed()
    await using scene = await start({ '/slow': route })
    const slow = scene.refresh('/slow').catch(() => undefined)
    await reached
    const pid = scene.child()
    expect(isThere(pid)).toBe(true)
    scene.server.signal(signal)
    await eventually(
      () => isThere(pid),
      (isLeft) => !isLeft,
    )
    letGo()
    await slow
  })
})

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // Closed since it was listed.
    return ''
  }
}
