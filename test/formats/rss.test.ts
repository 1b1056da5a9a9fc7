import { describe, expect, test } from 'bun:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import type { FeedItem } from '../../src/domain/outlets/private-feeds.ts'
import { writeRss } from '../../src/formats/rss.ts'

describe('RSS', () => {
  const ITEM: FeedItem = {
    id: 'a1',
    podcast: { url: 'https://feeds.example/a', title: 'A', logoUrl: '' },
    ...{ url: 'https://cdn.example/1.m4a?x=1', title: 'One', website: '', imageUrl: '', notes: '' },
    ...{ released: undefined, duration: undefined, mimeType: '', size: undefined },
  }
  const written = (fields: Partial<FeedItem>, title = 'New') =>
    writeRss(
      { title, items: [{ ...ITEM, ...fields }] },
      { base: 'https://pods.example', modifiedAt: Date.UTC(2025, 2, 2, 9) / 1000 },
    )

  test('with hostile titles is well-formed and contains them literally', () => {
    const evil = `]]></title><script>alert("1")</script>&amp;\u0000\u000b\ud800 'x'`
    const text = written(
      {
        title: evil,
        notes: evil,
        mimeType: 'audio/"><x',
        podcast: { url: 'https://a.example/?"<&', title: evil, logoUrl: 'https://a.example/"<' },
      },
      evil,
    )
    expect(XMLValidator.validate(text)).toBe(true)
    expect(text).not.toContain('<script')
    const { rss } = new XMLParser({ htmlEntities: true }).parse(text)
    expect(rss.channel.item.description).toBe(`]]></title><script>alert("1")</script>&amp; 'x'`)
  })

  test('omits unknown fields, and derives the type from the file name', () => {
    const text = written({})
    for (const name of ['pubDate', 'itunes:duration', 'itunes:image']) expect(text).not.toContain(`<${name}`)
    expect(text).toContain('<enclosure url="https://cdn.example/1.m4a?x=1" length="0" type="audio/mp4"/>')
    expect(text.match(/<link>/g)).toHaveLength(1)
    expect(written({ website: 'javascript:alert(1)' })).not.toContain('javascript')
    expect(written({ url: 'https://cdn.example/play' })).toContain('type="audio/mpeg"')
    expect(written({ url: 'https://cdn.example/a.constructor' })).toContain('type="audio/mpeg"')
  })

  test('has no dates outside the calendar', () => {
    expect(written({ released: 9e15 })).toContain('<pubDate>Fri, 31 Dec 9999 23:59:59 +0000</pubDate>')
    expect(written({ released: -305_131_499 })).toContain('<pubDate>Sun, 01 May 1960 09:15:01 +0000</pubDate>')
    expect(written({ released: -9e15 })).toContain('<pubDate>Wed, 01 Jan 1000 00:00:00 +0000</pubDate>')
  })
})
