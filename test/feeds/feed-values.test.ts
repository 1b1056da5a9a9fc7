import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sanitizeUrl } from '../../src/domain/shared/feed-url.ts'
import {
  absoluteUrl,
  cut,
  distinctTags,
  documentWithoutControls,
  escapeText,
  isYes,
  languageTag,
  mediaType,
  parseDuration,
  parseSize,
  startOf,
  withoutControls,
} from '../../src/worker/parse/feed-values.ts'

const WAVE = '🌊'

describe('a duration in seconds', () => {
  test.each([
    ['1', 1],
    ['3600', 3600],
    ['9999999', 9_999_999],
    ['90.7', 90],
    ['0:01', 1],
    ['1:01', 61],
    ['01:01', 61],
    ['75:00', 4500],
    ['1:00:00', 3600],
    ['01:02:03', 3723],
    ['100:00:00', 360_000],
    ['1:00:00.5', 3600],
    ['0:90', 90],
    ['1:2:3', 3723],
  ])('%s is %d', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds)
  })

  test.each([
    ...['', '0', '00:00', '0:00:00', '0.4', '-1', '+1', '1e3', '0x10', 'NaN', 'Infinity', '12345678'],
    ...['an hour', '1h', '60 min', 'PT1H', '1:', ':30', '1::2', '1:2:3:4', '1,5', '1:00:', '1.5:00', ' 1', '1\n', '٣'],
  ])('%j is unknown', (text) => {
    expect(parseDuration(text)).toBeUndefined()
  })
})

describe('a size in bytes', () => {
  test.each([
    ['1024', 1024],
    ['0001024', 1024],
    ['999999999999999', 999_999_999_999_999],
  ])('%s is %d', (text, bytes) => {
    expect(parseSize(text)).toBe(bytes)
  })

  test.each(['', '0', '1', '1023', '-2048', '2048.5', '2e9', '2 MB', '2,048', '1234567890123456', 'undefined'])(
    '%j is unknown',
    (text) => {
      expect(parseSize(text)).toBeUndefined()
    },
  )
})

describe('an address', () => {
  const BASE = 'https://feeds.example/show/feed.xml'

  test.each([
    ['https://cdn.example/1.mp3', 'https://cdn.example/1.mp3'],
    ['http://cdn.example/1.mp3', 'http://cdn.example/1.mp3'],
    ['HTTPS://CDN.example/1.MP3', 'https://cdn.example/1.MP3'],
    ['1.mp3', 'https://feeds.example/show/1.mp3'],
    ['./1.mp3', 'https://feeds.example/show/1.mp3'],
    ['../1.mp3', 'https://feeds.example/1.mp3'],
    ['/1.mp3', 'https://feeds.example/1.mp3'],
    ['//cdn.example/1.mp3', 'https://cdn.example/1.mp3'],
    ['?n=1', 'https://feeds.example/show/feed.xml?n=1'],
    ['a b.mp3', 'https://feeds.example/show/a%20b.mp3'],
    [' https://cdn.example/1.mp3\n', 'https://cdn.example/1.mp3'],
    ['https://ida:pw@cdn.example/1.mp3', 'https://cdn.example/1.mp3'],
    ['https://cdn.example/1.mp3?', 'https://cdn.example/1.mp3'],
    ['feed://cdn.example/1', 'http://cdn.example/1'],
    ['https://cdn.example:443', 'https://cdn.example/'],
    ['https://øre.example/ø', 'https://xn--re-kka.example/%C3%B8'],
    [`https://cdn.example/${'a'.repeat(2028)}`, `https://cdn.example/${'a'.repeat(2028)}`],
  ])('%s becomes %s', (text, url) => {
    expect(absoluteUrl(text, BASE)).toBe(url)
  })

  test.each([
    ['nothing', ''],
    ['a script', 'javascript:alert(1)'],
    ['a script in disguise', ' JaVa\tScript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['mail', 'mailto:ida@x.example'],
    ['a file', 'file:///etc/passwd'],
    ['another protocol', 'ftp://cdn.example/1.mp3'],
    ['a name in no web', 'urn:uuid:1'],
    ['a host that is none', 'https://exa mple/1.mp3'],
    ['no host', 'https://'],
    ['a port that is none', 'https://cdn.example:99999/'],
    ['one too long', `https://cdn.example/${'a'.repeat(2029)}`],
    ['one too long when it is escaped', `https://cdn.example/${'ø'.repeat(500)}`],
  ])('that is %s is none', (_what, text) => {
    expect(absoluteUrl(text, BASE)).toBe('')
  })

  test('is the one that clients have stored when they upload it (D16)', () => {
    const part = fc.stringMatching(/^[\w %?#&=:@.ø/'-]{0,12}$/)
    fc.assert(
      fc.property(part, part, (path, query) => {
        const uploaded = `https://cdn.example/${path}?${query}`
        expect(absoluteUrl(uploaded, BASE)).toBe(sanitizeUrl(uploaded) ?? '')
      }),
    )
  })
})

describe('a media type', () => {
  test.each([
    ['audio/mpeg', 'audio/mpeg'],
    ['Audio/MPEG', 'audio/mpeg'],
    ['audio/ogg; codecs=opus', 'audio/ogg'],
    ['audio/ogg ;x', 'audio/ogg'],
    ['application/vnd.x+json', 'application/vnd.x+json'],
    ['mp3', ''],
    ['audio/', ''],
    ['/mpeg', ''],
    ['audio/mpeg"><script>', ''],
    ['audio mpeg', ''],
    ['audio/mpeg audio/ogg', ''],
    [`audio/${'m'.repeat(61)}`, ''],
    ['', ''],
  ])('%j is %j', (text, type) => {
    expect(mediaType(text)).toBe(type)
  })
})

describe('a language', () => {
  test.each([
    ['en', 'en'],
    ['EN', 'en'],
    ['en-GB', 'en-gb'],
    ['pt_BR', 'pt-br'],
    ['zh-Hant-TW', 'zh-hant-tw'],
    ['gsw', 'gsw'],
    ['de-CH-1996', 'de-ch-1996'],
    ['English', ''],
    ['e', ''],
    ['en-', ''],
    ['en us', ''],
    ['en-abcdefghi', ''],
    ['en-a-b-c-d-e', ''],
    ['<en>', ''],
    ['', ''],
  ])('%j is %j', (text, language) => {
    expect(languageTag(text)).toBe(language)
  })
})

describe('yes', () => {
  test.each(['yes', 'Yes', 'YES', 'true', 'True'])('is %s', (text) => {
    expect(isYes(text)).toBe(true)
  })

  test.each(['no', '', 'clean', 'false', '1', 'yes!', 'nay', ' yes'])('is not %j', (text) => {
    expect(isYes(text)).toBe(false)
  })
})

describe('tags', () => {
  test.each([
    ['stay in order', ['b', 'a'], ['b', 'a']],
    ['are there once, as written first', ['Sea', 'SEA', 'sea', 'tide'], ['Sea', 'tide']],
    ['are tidied', [' Sea \n and   Sky '], ['Sea and Sky']],
    ['are not empty', ['', ' ', 'a'], ['a']],
    ['have sixty characters at most', ['x'.repeat(60), 'y'.repeat(61)], ['x'.repeat(60)]],
    ['may be named like anything', ['__proto__', 'constructor'], ['__proto__', 'constructor']],
  ])('%s', (_what, given, expected) => {
    expect(distinctTags(given)).toEqual(expected)
  })

  test('are twenty at most', () => {
    const many = Array.from({ length: 30 }, (_, n) => `tag ${n}`)
    expect(distinctTags(many)).toEqual(many.slice(0, 20))
  })
})

describe('a text that is too long', () => {
  test.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    [`ab${WAVE}`, 4, `ab${WAVE}`],
    [`ab${WAVE}c`, 4, 'ab…'],
    [`a${WAVE}c`, 3, 'a…'],
    ['', 1, ''],
  ])('%s, cut to %d, is %s', (text, max, expected) => {
    expect(cut(text, max)).toBe(expected)
  })

  test('keeps its start, never half a character', () => {
    expect([1, 2, 3, 4].map((max) => startOf(`a${WAVE}b`, max))).toEqual(['a', 'a', `a${WAVE}`, `a${WAVE}b`])
  })
})

test('control characters and half characters go, all others stay', () => {
  expect(withoutControls('a\0b\x07c\x1b[0m\x7f\x85d\ufffe\uffff')).toBe('abc[0md')
  expect(withoutControls('a\tb\nc\rd\u00a0é漢🌊')).toBe('a\tb\nc\rd\u00a0é漢🌊')
  expect(withoutControls('a\ud83cb\udf0a')).toBe('a\ufffdb\ufffd')
})

test('text becomes HTML that shows it', () => {
  expect(escapeText(`a < b & c > "d" 'e' &lt;`)).toBe(`a &lt; b &amp; c &gt; "d" 'e' &amp;lt;`)
})

test('a document loses what no text can hold, wherever it is, and nothing else', () => {
  const pair = '\u{1f30a}'
  const text = `\u0001${'y'.repeat(262_143)}${pair}\u0007\ud800 ${pair.repeat(200_000)}\uffff`
  expect(documentWithoutControls(text)).toBe(`${'y'.repeat(262_143)}${pair}\ufffd ${pair.repeat(200_000)}`)
  expect(documentWithoutControls(pair)).toBe(pair)
})
