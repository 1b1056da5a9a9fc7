import { XMLParser } from 'fast-xml-parser'
import { parseFeed } from '../support/feed-document.ts'
import { FEED_TAIL, feedHead, feedItems } from './feed-bodies.ts'
import { median } from './numbers.ts'
import { say, target } from './report.ts'
import type { Settings } from './settings.ts'

const FEEDS = 16
const EPISODES = 100
const ROUNDS = 40
/** Until the compiler has seen enough. */
const WARM_UP = 8
const RATIO_WANTED = 0.62

const OPTIONS = { url: 'https://feeds.tidewater.example/f', maxEpisodes: 2000 }

/** What we make of a feed, beside the parser alone that is at the bottom of it, as anybody would call it. */
export function measureParsing({ wants }: Settings): void {
  if (!wants('parsing')) return
  const bodies = Array.from({ length: FEEDS }, (_, n) =>
    new TextEncoder().encode(feedHead(`feed${n}`) + feedItems(`feed${n}`, 0, EPISODES) + FEED_TAIL),
  )
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0)
  say(`\n## Parsing: ${FEEDS} feeds of ${EPISODES} episodes, ${(bytes / FEEDS / 1024).toFixed(0)} kB each\n`)
  const bare = (body: Uint8Array) =>
    void new XMLParser({ ignoreAttributes: false }).parse(new TextDecoder().decode(body))
  const ours = (body: Uint8Array) => void parseFeed(body, 'application/rss+xml', OPTIONS)
  const rounds = Array.from({ length: ROUNDS }, (_, n) => {
    // In turns, so that whatever else the machine does hits both alike.
    const [first, second] = n % 2 === 0 ? [bare, ours] : [ours, bare]
    const [one, other] = [timeOf(first, bodies), timeOf(second, bodies)]
    return n % 2 === 0 ? { bare: one, ours: other } : { bare: other, ours: one }
  }).slice(WARM_UP)
  const speed = (ms: number) => `${(bytes / ms / 1000).toFixed(0)} MB/s`
  say(
    `  bare ${speed(median(rounds.map((each) => each.bare)))}, ours ${speed(median(rounds.map((each) => each.ours)))}`,
  )
  const ratio = median(rounds.map((each) => each.bare / each.ours))
  target('parsing, throughput beside the bare parser', ratio, '', { atLeast: RATIO_WANTED })
}

function timeOf(parse: (body: Uint8Array) => void, bodies: readonly Uint8Array[]): number {
  const started = performance.now()
  for (const body of bodies) parse(body)
  return performance.now() - started
}
