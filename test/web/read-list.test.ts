import { describe, expect, test } from 'bun:test'
import { decodeList, readList } from '../../src/web/pages/transfer/read-list.ts'

describe('a list as text (protocol.md D8)', () => {
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

describe('a list as OPML (protocol.md D10)', () => {
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

describe('the text of a file', () => {
  const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))
  const utf16 = (text: string, isBig: boolean) => {
    const bytes = new DataView(new ArrayBuffer(2 * text.length + 2))
    for (const [index, character] of ['\ufeff', ...text].entries())
      bytes.setUint16(2 * index, character.charCodeAt(0), !isBig)
    return new Uint8Array(bytes.buffer)
  }
  test.each([
    ['UTF-8', new TextEncoder().encode('<a t="öre"/>'), '<a t="öre"/>'],
    ['UTF-8 with its mark', new TextEncoder().encode('\ufeff<a t="öre"/>'), '<a t="öre"/>'],
    ['UTF-16, little end first', utf16('öre', false), 'öre'],
    ['UTF-16, big end first', utf16('öre', true), 'öre'],
    [
      'what XML says',
      latin1('<?xml version="1.0" encoding="ISO-8859-1"?><a t="öre"/>'),
      '<?xml version="1.0" encoding="ISO-8859-1"?><a t="öre"/>',
    ],
    [
      'an encoding nobody knows',
      latin1('<?xml version="1.0" encoding="x-fog"?>ore'),
      '<?xml version="1.0" encoding="x-fog"?>ore',
    ],
    ['nothing', new Uint8Array(), ''],
  ])('%s', (_, bytes, text) => {
    expect(decodeList(bytes)).toBe(text)
  })
})
