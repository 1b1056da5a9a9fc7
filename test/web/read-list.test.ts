import { describe, expect, test } from 'bun:test'
import { decodeText } from '../../src/platform/decode-text.ts'
import { readList } from '../../src/web/pages/transfer/read-list.ts'
import { OLD_LISTS } from '../support/old-lists.ts'

describe('a list as text (docs/protocol.md#D8)', () => {
  test.each([
    ['one address per line', 'https://a.example/\nhttps://b.example/', ['https://a.example/', 'https://b.example/']],
    [
      'lines as on Windows and on old Macs',
      'a.example/f\r\nb.example/f\rc.example/f',
      ['a.example/f', 'b.example/f', 'c.example/f'],
    ],
    ['blanks around and between', '  https://a.example/ \n\n\t\n', ['https://a.example/']],
    ['remarks', '# mine\nhttps://a.example/\n#https://b.example/', ['https://a.example/']],
    ['what is no address is an entry among others, too', 'hello\na.example/f', ['hello', 'a.example/f']],
    ['nothing', ' \n', []],
  ])('%s', (_, text, addresses) => {
    const entries = addresses.map((address) => ({ address, title: '' }))
    expect(readList(text)).toEqual({ entries, isDamaged: false })
  })

  test.each([
    ['a text of another kind', 'Dear Ida,\nthis is no list.'],
    ['a picture', '\ufffdPNG\r\n\u001a\n\u0000\u0000\u0000\rIHDR'],
    ['an archive that holds addresses', 'PK\u0003\u0004\nhttps://a.example/'],
  ])('%s is none', (_, text) => {
    expect(readList(text)).toBeUndefined()
  })
})

describe('a list as OPML (docs/protocol.md#D10)', () => {
  test.each([
    ['xmlUrl with title', 'xmlUrl="https://a.example/" title="A" text="a"', 'https://a.example/ A'],
    ['text for want of a title', 'xmlUrl="https://a.example/" title=" " text="a"', 'https://a.example/ a'],
    ['url for want of an xmlUrl', 'url="https://a.example/"', 'https://a.example/ '],
    ['xmlUrl before url', 'url="https://b.example/" xmlUrl=" https://a.example/ "', 'https://a.example/ '],
    ['a folder', 'text="News"', ''],
    ['an empty address', 'xmlUrl=" " text="News"', ''],
  ])('%s', (_, attributes, expected) => {
    const list = readList(`\n<opml><outline ${attributes}/></opml>`)
    expect(list?.entries.map(({ address, title }) => `${address} ${title}`).join()).toBe(expected)
    expect(list?.isDamaged).toBe(false)
  })

  test('what can be read of a damaged one, which it says', () => {
    expect(readList('<opml><body><outline xmlUrl="https://a.example/"></opml>')).toEqual({
      entries: [{ address: 'https://a.example/', title: '' }],
      isDamaged: true,
    })
  })

  test.each([
    ['a page', '<!doctype html><html><body><p style="color: red">hello</p></body></html>'],
    ['a feed', '<rss><channel><title>N</title></channel></rss>'],
    ['a page that speaks of OPML', '<html><body>&lt;opml></body></html>'],
    ['a mark', '<'],
  ])('%s is no list', (_, text) => {
    expect(readList(text)).toBeUndefined()
  })
})

test.each(OLD_LISTS)('a list of an old program is read: %s', (_, bytes) => {
  const entry = { address: 'https://feeds.example/old?x=1&y=2', title: 'Hör & zu' }
  expect(readList(decodeText(bytes))).toEqual({ entries: [entry], isDamaged: false })
})
