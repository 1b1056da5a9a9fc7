import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createUrlRewriter, isBlank, sanitizeUrl } from '../../../src/domain/shared/feed-url.ts'
import { anyCharacter } from '../../support/arbitraries.ts'
import { processorSeconds } from '../../support/values.ts'

const LONGEST = `http://tidewater.example/${'a'.repeat(2048 - 25)}`

describe('a feed URL is stored as the parser writes it (D16)', () => {
  test.each<readonly [string, string]>([
    // The table of docs/protocol.md#feed-urls.
    ['https://feeds.tidewater.example/harbour.xml', 'https://feeds.tidewater.example/harbour.xml'],
    [' http://Tidewater.example ', 'http://tidewater.example/'],
    ['feed://tidewater.example/a.rss', 'http://tidewater.example/a.rss'],
    ['https://ida:pw@tidewater.example/p', 'https://tidewater.example/p'],
    ['http://tidewater.example/x:y?u=a%2Bb', 'http://tidewater.example/x:y?u=a%2Bb'],
    ['http://tidewater.example/øre', 'http://tidewater.example/%C3%B8re'],
    // 1. Surrounding white space and BOM.
    ['\ufeff\u00a0\u0085http://a.example/\u2003\n', 'http://a.example/'],
    // 2. Wrapping schemes.
    ['feed:https://a.example/f', 'https://a.example/f'],
    ['FEED:HTTP://a.example/f', 'http://a.example/f'],
    ...['pcast', 'rss', 'itpc', 'itms'].map((scheme) => [`${scheme}://a.example/f`, 'http://a.example/f'] as const),
    ['rss:https://a.example/f', 'https://a.example/f'],
    ['podcast:http://a.example/f', 'http://a.example/f'],
    ['feed://https://a.example/f', 'https://a.example/f'],
    // 3. No scheme.
    ['a.example', 'http://a.example/'],
    ['A.example:8080/f', 'http://a.example:8080/f'],
    ['a.example?x=1', 'http://a.example/?x=1'],
    ['192.168.1.5/f', 'http://192.168.1.5/f'],
    // 5. User info and bare question mark.
    ['http://ida@a.example/', 'http://a.example/'],
    ['http://:@a.example/', 'http://a.example/'],
    ['http://a.example/f?', 'http://a.example/f'],
    ['http://a.example/f?#part', 'http://a.example/f#part'],
    ['http://a.example/f#why?', 'http://a.example/f#why?'],
    // 6. What the parser changes, and what it keeps.
    ['http://A.example:80/f', 'http://a.example/f'],
    ['http://a.example:443/f', 'http://a.example:443/f'],
    ['http://a.example/x/../y/./z', 'http://a.example/y/z'],
    ['http://bücher.example/', 'http://xn--bcher-kva.example/'],
    ['http://a.example/two words', 'http://a.example/two%20words'],
    ["http://a.example/it's?q='", "http://a.example/it's?q=%27"],
    ['http://a.example/a+b,(c):d?e=f+g%2B%25', 'http://a.example/a+b,(c):d?e=f+g%2B%25'],
    ['http://a.example/100%', 'http://a.example/100%'],
    ['http://127.1/f', 'http://127.0.0.1/f'],
    ['http://localhost:8000/f', 'http://localhost:8000/f'],
    ['http://a.example/\0x', 'http://a.example/%00x'],
    ['http://a.example/\ud800x', 'http://a.example/%EF%BF%BDx'],
    [LONGEST, LONGEST],
    [`feed:${LONGEST}`, LONGEST],
  ])('%j becomes %j', (raw, stored) => {
    expect(sanitizeUrl(raw)).toBe(stored)
  })

  test.each([
    ...'gopher://tidewater.example/ ftp://tidewater.example/f file:///etc/passwd'.split(' '),
    ...'antennapod_local:content://1 javascript:alert(1) mailto:ida@pods.example ida@pods.example'.split(' '),
    ...'fb:tidewater yt:tide.water localhost:8000/f harbour .example/f example./f http:// http:///'.split(' '),
    ...'http://a.example:99999/ http://1.2.3.456/ http://xn--a/ https:// //a.example/f /f.xml %'.split(' '),
    'two words.example',
    'http://two words.example/',
    `${LONGEST}a`,
    `http://a.example/${'ø'.repeat(400)}`,
  ])('%j is rejected', (raw) => {
    expect(sanitizeUrl(raw)).toBeUndefined()
    expect(isBlank(raw)).toBe(false)
  })

  test.each(['', ' ', '\r\n\t', '\ufeff', '\u0085\u2028'])('%j is blank', (raw) => {
    expect(sanitizeUrl(raw)).toBeUndefined()
    expect(isBlank(raw)).toBe(true)
  })
})

const piece = fc.oneof(
  fc.constantFrom(...'http:// https:// feed: feed:// HTTP:// :// : / // \\ ? # @ . .. user:pw@'.split(' ')),
  fc.constantFrom(...'% %2e %2B %zz %00 xn-- xn--mnchen-3ya a b.example 127.1 0x7f [::1] :80'.split(' ')),
  fc.constantFrom(...'éßİ\u200d\ud800\0\udc00\t\n \u00a0\ufeff\u0085。😀'),
  fc.constantFrom(...`+&=,'"<>^|\`{};1-_*~`),
  fc.string({ unit: anyCharacter, maxLength: 4 }),
)
const oddUrl = fc
  .tuple(
    fc.constantFrom('', 'http://', 'https://a.example/', 'http://a.example/?', 'feed:'),
    fc.array(piece, { maxLength: 12 }),
  )
  .map(([start, pieces]) => start + pieces.join(''))

describe('any upload', () => {
  test('becomes printable ASCII without user info, and normalizing it again changes nothing', () => {
    fc.assert(
      fc.property(oddUrl, (raw) => {
        const url = sanitizeUrl(raw)
        if (url === undefined) return
        expect(url).toMatch(/^https?:\/\/[\x21-\x7e]{1,2041}$/)
        expect(new URL(url)).toMatchObject({ href: url, username: '', password: '' })
        expect(sanitizeUrl(url)).toBe(url)
      }),
      { numRuns: 3000 },
    )
  })

  test('that is passed unparsed is exactly what the parser would write', () => {
    const part = fc.string({ unit: fc.constantFrom(..."abx1-09.._/%?&=:;@~!$()*+,'2eE"), maxLength: 14 })
    fc.assert(
      fc.property(part, part, part, (host, path, query) => {
        const raw = `http://${host}/${path}?${query}`
        if (sanitizeUrl(raw) === raw) expect(URL.parse(raw)?.href).toBe(raw)
      }),
      { numRuns: 3000 },
    )
  })

  test('of megabytes takes no time', () => {
    const many = (part: string) => part.repeat(1_000_000)
    const long = [many(' '), `a${many(' ')}b`, `${many('.')}@`, `http://a.example${many('/')}`]
    const raws = [...long, `${'.'.repeat(2000)}@`, `http://${'a.'.repeat(1000)}!`]
    expect(processorSeconds(() => raws.map((raw) => sanitizeUrl(raw)))).toBeLessThan(3)
  })
})

test('update_urls has one pair for each distinct URL that changed, in order, and none for blanks', () => {
  const urls = createUrlRewriter()
  const [good, odd, bad] = ['https://a.example/f', 'http://Tidewater.example', 'ftp://a.example/f']
  const stored = 'http://tidewater.example/'
  const uploaded = [odd, good, '', ' \ufeff', bad, odd, ` ${odd}`, bad]
  const rewritten = [stored, good, undefined, undefined, undefined, stored, stored, undefined]
  expect(uploaded.map(urls.rewrite)).toEqual(rewritten)
  const changed: [string, string][] = [
    [odd, stored],
    [bad, ''],
    [` ${odd}`, stored],
  ]
  expect(urls.updateUrls()).toEqual(changed)
})
