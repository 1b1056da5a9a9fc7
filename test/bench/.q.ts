import { FEED_TAIL, feedHead, feedItems } from './feed-bodies.ts'
import { parseFeed } from '../../src/feeds/parse-feed.ts'
import { unknownEpisodes } from '../../src/feeds/unknown-episodes.ts'
const bodies = Array.from({length:16},(_,n)=>new Uint8Array(Buffer.from(feedHead('f'+n)+feedItems('b'+n,0,100)+FEED_TAIL)))
const o={url:'https://a.example/f',maxEpisodes:2000,now:1_750_000_000}
for (let r=0;r<40;r++) for (const b of bodies) [...unknownEpisodes(parseFeed(b,'',o).episodes,'[]')]
