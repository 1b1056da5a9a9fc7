import { describe, expect, test } from 'bun:test'
import type { Client } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { startWebServer } from '../support/web-server.ts'
import { CHANGES, LOCAL_FEEDS, startScene } from './support/scene.ts'

const STATUS = '/api/admin/feeds/status'

/** Seconds within which the server ends unless it waits for a feed, which may take 20. */
const SOON = 15

const feed = (title: string) => () =>
  new Response(
    `<rss version="2.0"><channel><title>${title}</title><description>&lt;p&gt;Boats&lt;/p&gt;</description>
       <item><title>Fog</title><enclosure url="/1.mp3" type="audio/mpeg" length="4096"/></item></channel></rss>`,
    { headers: { 'content-type': 'application/rss+xml', etag: '"1"' } },
  )

async function subscribe(ida: Client, ...add: string[]): Promise<void> {
  expect(await ida.post(CHANGES, { add })).toMatchObject({ status: 200 })
}

/** The status, once no refresh of all feeds is under way. */
async function statusWhenDone(ida: Client): Promise<unknown> {
  return await eventually(
    async () => (await ida.get(STATUS)).json,
    (status) => JSON.stringify(status).includes('"running":false'),
  )
}

/** Ida's podcasts, once an attempt has been made to fetch each of them. */
async function podcastsWhenTried(ida: Client): Promise<unknown> {
  return await eventually(
    async () => (await ida.get('/api/2/me/subscriptions')).json,
    (podcasts) => !JSON.stringify(podcasts).includes('"state":"new"'),
  )
}

/** A route that never responds, or whose response begins with `begin` and never ends. */
function startEndless(begin: string | undefined) {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const route = () => {
    reach()
    if (begin === undefined) return new Promise<never>(() => undefined)
    // The controller is never closed.
    return new Response(
      new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(begin)) }),
    )
  }
  return { route, reached }
}

describe('the executable', () => {
  test('fetches and parses new feeds immediately, and again when an administrator asks for it', async () => {
    await using web = startWebServer({ '/harbour': feed('Harbour Talk'), '/page': () => new Response('<html></html>') })
    const base = `http://127.0.0.1:${web.port}`
    await using scene = await startScene({ env: LOCAL_FEEDS })
    const { server, ida } = scene
    await subscribe(ida, `${base}/harbour`, `${base}/page`)
    expect(await podcastsWhenTried(ida)).toMatchObject([
      { url: `${base}/harbour`, title: 'Harbour Talk', health: { state: 'ok' } },
      { url: `${base}/page`, title: `${base}/page`, health: { state: 'failing' } },
    ])
    expect((await ida.post('/api/admin/feeds/update')).json).toEqual({ status: 'started', feeds: 2 })
    expect(await statusWhenDone(ida)).toMatchObject({
      ...{ running: false, total: 2, failing_total: 1 },
      failing: [{ reason: 'not_a_feed', failures: 2 }],
    })
    expect((await ida.get('/subscriptions/ida.json')).json).toMatchObject([
      { url: `${base}/harbour`, title: 'Harbour Talk', description: 'Boats' },
      { url: `${base}/page`, title: `${base}/page` },
    ])
    const single = await ida.post(`/api/admin/feeds/update/single?url=${base}/harbour`)
    expect(single).toMatchObject({ status: 200, json: { podcast: { title: 'Harbour Talk' }, episodes: 1 } })
    const asked = web.asked.filter(({ path }) => path === '/harbour')
    // Refreshes by an administrator are unconditional.
    expect(asked.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, null, null])
    expect(asked[0]?.headers.get('user-agent')).toMatch(/^podstep\/\d+\.\d+\.\d+ /)
    await server.stop()
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([])
  })
})

describe('a server that ends while it fetches a feed', () => {
  test.each([
    ['SIGTERM', 'in the middle of the body', '<rss><channel><title>Harb'],
    ['SIGKILL', 'before the first byte', undefined],
  ] as const)('(%s, %s) does not wait for it, and fetches it after its next start', async (signal, _when, begin) => {
    const { route, reached } = startEndless(begin)
    let answer: () => Response | Promise<Response> = route
    await using web = startWebServer({ '/f': () => answer() })
    const url = `http://127.0.0.1:${web.port}/f`
    await using scene = await startScene({ env: LOCAL_FEEDS })
    await subscribe(scene.ida, url)
    await reached
    scene.server.signal(signal)
    expect(await scene.server.ended(SOON)).toBe(signal === 'SIGTERM' ? 0 : null)
    if (signal === 'SIGTERM') expect(scene.server.log.slice(-2).map(({ msg }) => msg)).toEqual(['stopping', 'stopped'])
    answer = feed('Harbour Talk')
    await using again = await scene.again({ env: { ...LOCAL_FEEDS, SVC_FEED_REFRESH_CRON: '* * * * * *' } })
    expect(await podcastsWhenTried(again.ida)).toMatchObject([{ url, title: 'Harbour Talk' }])
    expect((await again.ida.get(STATUS)).json).toMatchObject({ total: 1, failing_total: 0 })
  })

  test('answers waiting requests with 503', async () => {
    const { route, reached } = startEndless(undefined)
    await using web = startWebServer({ '/f': route })
    await using scene = await startScene({ env: LOCAL_FEEDS })
    const waiting = scene.ida.get(`/api/2/data/podcast.json?url=http://127.0.0.1:${web.port}/f`)
    await reached
    scene.server.signal('SIGTERM')
    expect(await waiting).toMatchObject({ status: 503, json: { message: 'the server is stopping' } })
    expect(await scene.server.ended(SOON)).toBe(0)
    expect(scene.server.log.filter(({ level }) => level === 'error')).toEqual([])
  })
})
