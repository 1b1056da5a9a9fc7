import './support/browser-globals.ts'
import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { decodeText } from '../../src/platform/decode-text.ts'
import { deviceIdFor } from '../../src/web/pages/transfer/preview.tsx'
import { countStates, dryRun, readList } from '../../src/web/pages/transfer/read-list.ts'
import { unpack } from '../../src/web/pages/transfer/unpack.ts'
import { OLD_LISTS } from '../support/old-lists.ts'

test.each([
  ['lines of any system', 'https://a.example/\r\nb.example/f\rc\n', ['https://a.example/', 'b.example/f', 'c']],
  ['blanks and comments', '# mine\n  https://a.example/ \n\n#https://b.example/', ['https://a.example/']],
])('a list as text (docs/protocol.md#D8): %s', (_, text, addresses) => {
  const entries = addresses.map((address) => ({ address, title: '' }))
  expect(readList(text)).toEqual({ entries, isDamaged: false })
})

describe('a list as OPML (docs/protocol.md#D10)', () => {
  test.each([
    ['xmlUrl with title', 'xmlUrl="https://a.example/" title="A" text="a"', 'https://a.example/ A'],
    ['text instead of a title', 'xmlUrl="https://a.example/" title=" " text="a"', 'https://a.example/ a'],
    ['xmlUrl before url', 'url="https://b.example/" xmlUrl=" https://a.example/ "', 'https://a.example/ '],
    ['characters that XML forbids', 'xmlUrl="https://a.example/" text="a\u001f\u0000&#x1F;"', 'https://a.example/ a'],
    ['an empty address', 'xmlUrl=" " text="News"', ''],
  ])('%s', (_, attributes, expected) => {
    const list = readList(`\n<opml><outline ${attributes}/></opml>`)
    expect(list?.entries.map(({ address, title }) => `${address} ${title}`).join()).toBe(expected)
    expect(list?.isDamaged).toBe(false)
  })

  test('is read behind damaged places, and marked as damaged', () => {
    const list = readList(
      '<opml><outline text="by <a href="x">X</a>" xmlUrl="https://a.example/"/><outline url="https://b.example/"/>',
    )
    expect(list?.entries.map(({ address }) => address)).toEqual(['https://a.example/', 'https://b.example/'])
    expect(list?.isDamaged).toBe(true)
  })

  test.each(OLD_LISTS)('of an old program: %s', (_, bytes) => {
    const entry = { address: 'https://feeds.example/old?x=1&y=2', title: 'Hör & zu' }
    expect(readList(decodeText(bytes))).toEqual({ entries: [entry], isDamaged: false })
  })
})

test.each<[string, Blob, string]>([
  ['a file that is not packed', new Blob(['https://a.example/']), 'https://a.example/'],
  ['a list', new Blob([gzipSync('https://a.example/')]), 'https://a.example/'],
  ['a list that is cut off', new Blob([gzipSync('https://a.example/').subarray(0, 20)]), 'unreadable'],
  ['a list that is too large', new Blob([gzipSync(Buffer.alloc(21_000_000, '#'))]), 'tooBig'],
])('what gzip has packed is unpacked: %s', async (_, file, expected) => {
  const content = await unpack(file, 20_000_000)
  expect(typeof content === 'string' ? content : await content.text()).toBe(expected)
})

test('behind markup without an end a list is read, and marked as damaged', () => {
  const list = readList(
    '<opml><!-- mine\n<outline url="https://a.example/"/><![CDATA[<outline url="https://b.example/"/></opml>',
  )
  expect(list?.entries.map(({ address }) => address)).toEqual(['https://a.example/', 'https://b.example/'])
  expect(list?.isDamaged).toBe(true)
})

test.each([
  ['a text of another kind', 'Dear Ida,\nthis is no list.'],
  ['a picture', '\ufffdPNG\r\n\u001a\n\u0000\u0000\u0000\rIHDR'],
  ['a feed', '<rss><channel><title>N</title></channel></rss>'],
  ['a page about OPML', '<html><body>&lt;opml></body></html>'],
])('%s is no list', (_, text) => {
  expect(readList(text)).toBeUndefined()
})

describe('the preview of an import', () => {
  const preview = (known: readonly string[], ...addresses: readonly string[]) =>
    dryRun(
      addresses.map((address) => ({ address, title: 'Harbour' })),
      (url) => known.includes(url),
    )

  test.each([
    ['feed://A.example/f', 'new', 'http://a.example/f'],
    ['https://ida:pw@a.example/f', 'new', 'https://a.example/f'],
    ['HTTPS://Have.example/f', 'known', 'https://have.example/f'],
    ['ftp://a.example/f', 'invalid', 'ftp://a.example/f'],
  ] as const)('%p is %s', (address, state, url) => {
    expect(preview(['https://have.example/f'], address)).toEqual([{ state, url, title: 'Harbour' }])
  })

  test('finds duplicates by the URL that the server would store', () => {
    const rows = preview(
      ['https://have.example/f'],
      ...['https://a.example/f', 'https://A.example/f', 'https://have.example/f', 'https://have.example/f', 'x', 'x'],
    )
    expect(rows.map(({ state }) => state)).toEqual(['new', 'duplicate', 'known', 'duplicate', 'invalid', 'invalid'])
    expect(countStates(rows)).toEqual({ new: 1, known: 1, duplicate: 2, invalid: 2 })
  })
})

test.each([
  ['Web', ['web', 'web-2'], 'web-3'],
  ['Ida’s phone', [], 'ida-s-phone'],
  ['台所', [], '台所'],
  ['.. / ..', [], 'web'],
  ['x'.repeat(80), [], 'x'.repeat(64)],
  ['x'.repeat(80), ['x'.repeat(64)], `${'x'.repeat(59)}-2`],
])('the ID for a device %p beside %p is %s (docs/protocol.md#D13)', (name, taken, id) => {
  expect(deviceIdFor(name, taken)).toBe(id)
  expect(id).toMatch(/^[\p{L}\p{N}_.-]{1,64}$/u)
})
