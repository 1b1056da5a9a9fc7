import { describe, expect, test } from 'bun:test'
import { decodeList, type ParseOutlines, readList } from '../../src/web/pages/transfer/read-list.ts'

const none: ParseOutlines = () => undefined

/** Instead of the browser's parser: the outlines as it would find them. */
const outlines =
  (...found: Readonly<Record<string, string>>[]): ParseOutlines =>
  () =>
    found.map((attributes) => new Map(Object.entries(attributes)))

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
    ['anything else is an entry, too', 'hello', ['hello']],
    ['nothing', ' \n', []],
  ])('%s', (_, text, addresses) => {
    expect(readList(text, none)).toEqual(addresses.map((address) => ({ address, title: '' })))
  })
})

describe('a list as OPML (protocol.md D10)', () => {
  test.each([
    ['xmlUrl with title', { xmlurl: 'https://a.example/', title: 'A', text: 'a' }, 'https://a.example/ A'],
    ['text for want of a title', { xmlurl: 'https://a.example/', title: ' ', text: 'a' }, 'https://a.example/ a'],
    ['url for want of an xmlUrl', { url: 'https://a.example/' }, 'https://a.example/ '],
    ['xmlUrl before url', { url: 'https://b.example/', xmlurl: ' https://a.example/ ' }, 'https://a.example/ '],
    ['a folder', { text: 'News' }, ''],
    ['an empty address', { xmlurl: ' ', text: 'News' }, ''],
  ])('%s', (_, attributes, expected) => {
    const entries = readList('\n<opml/>', outlines(attributes))
    expect(entries?.map(({ address, title }) => `${address} ${title}`).join()).toBe(expected)
  })

  test('markup of another kind is no list', () => {
    expect(readList('<html></html>', none)).toBeUndefined()
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
