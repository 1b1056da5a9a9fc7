import { FEED_TAIL, feedHead, feedItems } from './feed-bodies.ts'

/*
 * A web server with feeds, in a process of its own. `/feed/N` is a feed of a hundred episodes, `/large` one of ten thousand; both have
 * an ETag. `POST /edition?to=N` gives each of them N more episodes. `/served` tells how many requests for feeds have been answered.
 */

const EPISODES = 100
const BLOCKS = 16
const LARGE_EPISODES = 10_000
/** As large as a feed may be, which is 16 MiB, but for some hundred bytes each. */
const LARGE_NOTES = 76

const blocks = Array.from({ length: BLOCKS }, (_, n) => Buffer.from(feedItems(`block${n}`, 0, EPISODES) + FEED_TAIL))
const largeBlock = Buffer.from(feedItems('large', 0, LARGE_EPISODES, LARGE_NOTES) + FEED_TAIL)

let edition = 0
let served = 0

function feed(request: Request, name: string, rest: Buffer): Response {
  served++
  const etag = `"${name}-${edition}"`
  if (request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: { etag } })
  const start = Buffer.from(feedHead(name) + feedItems(name, EPISODES, edition))
  return new Response(Buffer.concat([start, rest]), { headers: { etag, 'content-type': 'application/rss+xml' } })
}

const server = Bun.serve({
  hostname: '0.0.0.0',
  port: 0,
  development: false,
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/served') return Response.json({ served })
    if (pathname === '/edition') {
      edition = Number(searchParams.get('to'))
      return Response.json({ edition, largeBytes: largeBlock.length })
    }
    if (pathname === '/large') return feed(request, 'large', largeBlock)
    const number = Number(pathname.slice(pathname.lastIndexOf('/') + 1))
    return feed(request, `feed${number}`, blocks[number % BLOCKS] ?? largeBlock)
  },
})
process.stderr.write(`"port":${server.port}\n`)
