import { FEED_TAIL, feedHead, feedItems } from './feed-bodies.ts'
import { parseFeed } from '../../src/feeds/parse-feed.ts'
import { decodeText } from '../../src/feeds/decode-text.ts'
import { parseXml } from '../../src/feeds/xml-tree.ts'
import { mapXmlFeed } from '../../src/feeds/map-xml-feed.ts'
import { unknownEpisodes } from '../../src/feeds/unknown-episodes.ts'
import { sanitise } from '../../src/feeds/sanitise.ts'
import { XMLParser } from 'fast-xml-parser'
const bodies = Array.from({length:16},(_,n)=>new Uint8Array(Buffer.from(feedHead('f'+n)+feedItems('b'+n,0,100)+FEED_TAIL)))
const o={url:'https://a.example/f',maxEpisodes:2000,now:1_750_000_000}
const T:Record<string,number>={}
const t=<R,>(n:string,f:()=>R):R=>{const s=performance.now();const r=f();T[n]=(T[n]??0)+(performance.now()-s);return r}
for (let r=0;r<15;r++) {
  if (r===5) for (const k in T) T[k]=0
  for (const b of bodies) {
    t('bare',()=>new XMLParser({ignoreAttributes:false}).parse(Buffer.from(b).toString()))
    const text=t('decode',()=>decodeText(b,''))
    const {name,root}=t('xml',()=>parseXml(text))
    const m=t('map',()=>mapXmlFeed(name,root,o))!
    const e=t('finish',()=>m.episodes.map(d=>d.finish()))
    t('sanitise',()=>e.map(x=>sanitise(x.description)))
    t('finger',()=>[...unknownEpisodes(e,'[]')])
  }
}
for (const k in T) console.log(k,(T[k]/160).toFixed(2))
