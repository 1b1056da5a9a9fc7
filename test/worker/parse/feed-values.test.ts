import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { sanitizeUrl } from '../../../src/domain/shared/feed-url.ts'
import {
  absoluteUrl,
  chapterStart,
  cut,
  distinctTags,
  documentWithoutControls,
  isYes,
  languageTag,
  mediaType,
  parseDuration,
  parseSize,
  personName,
  startOf,
  withoutControls,
} from '../../../src/worker/parse/feed-values.ts'

const WAVE = '🌊'

/** Expects the same value for each of the texts. */
function expectAll<T>(read: (text: string) => T, expected: T, texts: readonly string[]): void {
  for (const text of texts) expect([text, read(text)]).toEqual([text, expected])
}

test.each<[number | undefined, ...string[]]>([
  [1, '1', '0:01'],
  [90, '90.7', '0:90'],
  [61, '1:01', '01:01'],
  [3600, '3600', '1:00:00', '1:00:00.5'],
  [4500, '75:00'],
  [3723, '01:02:03', '1:2:3', '1:02:03:04', '01:02:03:04:05', '1:02:03,5', '1h 2m 3s', '1:02:03:04.5'],
  [2730, '45:30,5', 'PT45M30S', 'pt45m30.5s', '45 min 30 sec', '45m30s', '45 minutes, 30 seconds', 'P0DT45M30S'],
  [3600, '3600s', '3600 seconds', '1h', '60 min', '60 mins.', '60m', 'PT1H', '1 hour', '1.0 h', 'P0Y0M0DT1H0M0S'],
  [5400, '1h 30', '1h30', '1h30m', '1 hr 30 min', '1.5 hours', '90 Min.', '90 minutes', 'PT1H30M', 'PT5400S'],
  [
    undefined,
    ...['', '0', 'PT', 'P', 's', 'PT0S', '0 min', '1 min ago', '1:00 h', '30 min 1 h', '1 day', '9'.repeat(61)],
    ...'00:00 0:00:00 0.4 -1 +1 1e3 0x10 NaN Infinity 12345678'.split(' '),
  ],
  [undefined, 'an hour', '1:', ':30', '1::2', '1,5', '1.5:00', ' 1', '1\n', '٣'],
])('a duration of %p seconds: %p', (seconds, ...texts) => {
  expectAll(parseDuration, seconds, texts)
})

test.each<[number | undefined, ...string[]]>([
  [0, '0', '00:00:00', '00:00:00.000', '0.000'],
  [62, '62', '01:02.500', '00:01:02', '00:01:02,500', '62s'],
  [undefined, '', 'soon', '-1', '1:', '.5'],
])('a chapter begins at %p seconds: %p', (seconds, ...texts) => {
  expectAll(chapterStart, seconds, texts)
})

test('a size in bytes is at least 1024', () => {
  expectAll(parseSize, 1024, ['1024', '0001024'])
  expectAll(parseSize, 999_999_999_999_999, ['999999999999999'])
  expectAll(parseSize, undefined, ['', '0', '1023', '-2048', '2048.5', '2e9', '2 MB', '2,048', '1234567890123456'])
})

describe('a URL', () => {
  const BASE = 'https://feeds.example/show/feed.xml'
  const LONGEST = `https://cdn.example/${'a'.repeat(2028)}`

  test.each<[string, ...string[]]>([
    ['https://cdn.example/1.mp3', ' https://cdn.example/1.mp3\n', 'https://ida:pw@cdn.example/1.mp3?'],
    ['https://cdn.example/1.mp3', '//cdn.example/1.mp3'],
    ['https://feeds.example/show/1.mp3', '1.mp3', './1.mp3'],
    ['https://feeds.example/1.mp3', '../1.mp3', '/1.mp3'],
    ['http://cdn.example/1', 'http://cdn.example/1', 'feed://cdn.example/1'],
    [LONGEST, LONGEST],
    ['', '', 'javascript:alert(1)', ' JaVa\tScript:alert(1)', 'data:text/html,x', 'mailto:ida@x.example', 'urn:uuid:1'],
    ['', 'file:///etc/passwd', 'ftp://cdn.example/1.mp3', 'https://exa mple/1', 'https://', 'https://a.example:99999/'],
    ['', `${LONGEST}a`, `https://cdn.example/${'ø'.repeat(500)}`],
  ])('becomes %j: %p', (url, ...texts) => {
    expectAll((text) => absoluteUrl(text, BASE), url, texts)
  })

  test('is the same as when an app uploads it (docs/protocol.md#D16)', () => {
    const part = fc.stringMatching(/^[\w %?#&=:@.ø/'-]{0,12}$/)
    fc.assert(
      fc.property(part, part, (path, query) => {
        const uploaded = `https://cdn.example/${path}?${query}`
        expect(absoluteUrl(uploaded, BASE)).toBe(sanitizeUrl(uploaded) ?? '')
      }),
    )
  })
})

test.each<[string, ...string[]]>([
  ['audio/mpeg', 'audio/mpeg', 'Audio/MPEG'],
  ['audio/ogg', 'audio/ogg; codecs=opus', 'audio/ogg ;x'],
  ['application/vnd.x+json', 'application/vnd.x+json'],
  ['', '', 'mp3', 'audio/', '/mpeg', 'audio/mpeg"><script>', 'audio mpeg', 'a/mpeg a/ogg', `audio/${'m'.repeat(61)}`],
])('the media type %j is %p', (type, ...texts) => {
  expectAll(mediaType, type, texts)
})

test.each<[string, ...string[]]>([
  ['en', 'en', 'EN'],
  ['en-gb', 'en-GB'],
  ['pt-br', 'pt_BR'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['de-ch-1996', 'de-CH-1996'],
  ['', '', 'English', 'e', 'en-', 'en us', 'en-abcdefghi', 'en-a-b-c-d-e', '<en>'],
])('the language %j is %p', (language, ...texts) => {
  expectAll(languageTag, language, texts)
})

test.each<[string, ...string[]]>([
  ['Ida Holm', 'Ida Holm', 'Ida Holm (ida@harbour.example)', 'Ida Holm <ida@harbour.example>'],
  ['Ida Holm', 'ida@harbour.example (Ida Holm)', '"Ida Holm" <ida@harbour.example>', 'Ida Holm [ida@harbour.example]'],
  ['Ida Holm', 'Ida Holm <mailto:ida@harbour.example>', 'ida@harbour.example(Ida Holm)'],
  ['Ida, Ben', 'ida@harbour.example (Ida), ben@harbour.example (Ben)', 'Ida <ida@a.example>, Ben <ben@b.example>'],
  ['Ida Holm (host)', 'Ida Holm (host) <ida@harbour.example>'],
  ['ida@harbour.example', 'ida@harbour.example'],
  ['<ida@harbour.example>', '<ida@harbour.example>'],
  ['@harbour', '@harbour'],
])('the name %j is in %p', (name, ...texts) => {
  expectAll(personName, name, texts)
})

test('yes is yes or true, in any letter case', () => {
  expectAll(isYes, true, ['yes', 'Yes', 'YES', 'true', 'True'])
  expectAll(isYes, false, ['no', '', 'clean', 'false', '1', 'yes!', 'nay', ' yes'])
})

describe('tags', () => {
  test.each([
    ['stay in order', ['b', 'a'], ['b', 'a']],
    ['are unique, in their first spelling', ['Sea', 'SEA', 'sea', 'tide'], ['Sea', 'tide']],
    ['have sixty characters at most', ['x'.repeat(60), 'y'.repeat(61)], ['x'.repeat(60)]],
    ['may have any name', ['__proto__', 'constructor'], ['__proto__', 'constructor']],
  ])('%s', (_what, given, expected) => {
    expect(distinctTags(given)).toEqual(expected)
  })

  test('are twenty at most', () => {
    const many = Array.from({ length: 30 }, (_, n) => `tag ${n}`)
    expect(distinctTags(many)).toEqual(many.slice(0, 20))
  })
})

describe('a text that is too long', () => {
  test('is cut with an ellipsis', () => {
    expect(['abc', 'abcd', `a${WAVE}c`, ''].map((text) => cut(text, 3))).toEqual(['abc', 'ab…', 'a…', ''])
    expect([`ab${WAVE}`, `ab${WAVE}c`].map((text) => cut(text, 4))).toEqual([`ab${WAVE}`, 'ab…'])
  })

  test('is never cut within a surrogate pair', () => {
    expect([1, 2, 3, 4].map((max) => startOf(`a${WAVE}b`, max))).toEqual(['a', 'a', `a${WAVE}`, `a${WAVE}b`])
  })
})

test('control characters are removed, and lone surrogates replaced', () => {
  expect(withoutControls('a\0b\x07c\x1b[0m\x7f\x81d\ufffe\uffff')).toBe('abc[0md')
  expect(withoutControls('don\u0092t \u0093go\u0094 \u0096 \u0085')).toBe('don’t “go” – …')
  expect(withoutControls('a\tb\nc\rd\u00a0é漢🌊')).toBe('a\tb\nc\rd\u00a0é漢🌊')
  expect(withoutControls('a\ud83cb\udf0a')).toBe('a\ufffdb\ufffd')
})

test('a document loses control characters and lone surrogates wherever they are, and nothing else', () => {
  const pair = '\u{1f30a}'
  const text = `\u0001${'y'.repeat(262_143)}${pair}\u0007\ud800 ${pair.repeat(200_000)}\uffff`
  expect(documentWithoutControls(text)).toBe(`${'y'.repeat(262_143)}${pair}\ufffd ${pair.repeat(200_000)}`)
  expect(documentWithoutControls(pair)).toBe(pair)
})
