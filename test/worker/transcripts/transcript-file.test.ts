import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseTranscript } from '../../../src/worker/transcripts/transcript-file.ts'
import { processorSeconds } from '../../support/values.ts'

const encode = (text: string) => new TextEncoder().encode(text)

const parse = (text: string | Uint8Array, type = '', contentType = '') =>
  parseTranscript({ bytes: typeof text === 'string' ? encode(text) : text, contentType, type })

/** Cues, written as `1-2 Ida: text`. */
const shortly = (...[text, type, contentType]: Parameters<typeof parse>) =>
  parse(text, type, contentType).map(({ start, end, speaker, text: said }) => {
    const times = start === null ? '' : `${start}-${end ?? ''} `
    return `${times}${speaker === '' ? '' : `${speaker}: `}${said}`
  })

const vtt = (...cues: string[]) => `WEBVTT\n\n${cues.join('\n\n')}\n`
/** A file with one cue, from 1 to 2 seconds. */
const cue = (text: string) => vtt(`00:01.000 --> 00:02.000\n${text}`)

describe('WebVTT', () => {
  test.each<[what: string, text: string, cues: string[]]>([
    ['a cue', vtt('00:01.000 --> 00:02.500\nThe horn.'), ['1-2.5 The horn.']],
    ['hours, a name and settings', vtt('7\n01:00:01.000 --> 01:00:02.000 align:start line:0\nFog'), ['3601-3602 Fog']],
    ['a decimal comma, and no fraction', vtt('00:01,25 --> 00:02\nFog'), ['1.25-2 Fog']],
    ['voices', cue('<v.loud Ida Holm>Hello.</v>'), ['1-2 Ida Holm: Hello.']],
    ['two voices in one cue', cue('<v Ida>Hello.\n<v Ole>Hello!'), ['1-2 Ida: Hello.', '1-2 Ole: Hello!']],
    [
      'tags, timestamps of words and entities',
      cue('<c.x>A</c> <00:01.500><b>gull</b> &amp; fog'),
      ['1-2 A gull & fog'],
    ],
    ['several lines as one', cue('The horn\nis loud.'), ['1-2 The horn is loud.']],
    [
      'notes and styles',
      vtt(
        'NOTE 00:09.000 --> 00:10.000\nnot said',
        'STYLE\n::cue { color: red }',
        '00:01.000 --> 00:02.000\nNOTE that',
      ),
      ['1-2 NOTE that'],
    ],
    [
      'a header with text, and CRLF',
      'WEBVTT - Fog\r\nKind: captions\r\n\r\n00:01.000 --> 00:02.000\r\nFog.\r\n',
      ['1-2 Fog.'],
    ],
    ['a byte order mark', `\ufeff${vtt('00:01.000 --> 00:02.000\nFog.')}`, ['1-2 Fog.']],
    ['cues in the wrong order', vtt('00:20.000 --> 00:02.000\nB', '00:01.000 --> 00:09.000\nA'), ['1-9 A', '20-20 B']],
    ['lines without a time', vtt('lost', '00:01.000 --> 00:02.000\nFog.', 'lost'), ['1-2 Fog.']],
    ['broken times', vtt('00:01 -> 00:02\nlost', 'x --> y\nlost', '00:01.000 -->\nlost'), []],
  ])('%s', (_what, text, cues) => {
    expect(shortly(text)).toEqual(cues)
  })
})

describe('SubRip', () => {
  test.each<[what: string, text: string, cues: string[]]>([
    [
      'cues',
      '1\n00:00:01,000 --> 00:00:02,000\nFog.\n\n2\n00:00:10,000 --> 00:00:11,000\n<i>42</i>\n',
      ['1-2 Fog.', '10-11 42'],
    ],
    [
      'no blanks',
      '1\n00:00:01,000 --> 00:00:02,000\nFog.\n2\n00:00:10,000 --> 00:00:11,000\n42',
      ['1-2 Fog.', '10-11 42'],
    ],
    ['hours of one digit, and positions', '1\n0:00:01,000 --> 0:00:02,000 X1:1 X2:2\nFog.\n', ['1-2 Fog.']],
  ])('%s', (_what, text, cues) => {
    expect(shortly(text)).toEqual(cues)
  })
})

const segments = (...list: unknown[]) => JSON.stringify({ version: '1.0.0', segments: list })
const word = (startTime: number, body: string, speaker = 'Ida') => ({
  startTime,
  endTime: startTime + 0.4,
  body,
  speaker,
})

describe('JSON', () => {
  test.each<[what: string, text: string, cues: string[]]>([
    ['a segment', segments({ startTime: 1, endTime: 2.5, speaker: ' Ida ', body: 'A &amp; b' }), ['1-2.5 Ida: A & b']],
    ['names of Whisper', JSON.stringify({ text: 'x', segments: [{ start: 1, end: 2, text: ' Fog.' }] }), ['1-2 Fog.']],
    ['a list', JSON.stringify([{ startTime: 1, endTime: 2, body: 'Fog.' }]), ['1-2 Fog.']],
    [
      'words, joined until the speaker changes or pauses',
      segments(
        word(0, 'The'),
        word(0.5, 'horn'),
        word(1, ','),
        word(1.5, 'again.'),
        word(2, 'Yes', 'Ole'),
        word(9, 'No', 'Ole'),
      ),
      ['0-1.9 Ida: The horn, again.', '2-2.4 Ole: Yes', '9-9.4 Ole: No'],
    ],
    ['Japanese, joined without spaces', segments(word(0, '海'), word(0.5, '霧'), word(1, '。')), ['0-1.4 Ida: 海霧。']],
    [
      'words without an end, which end at the next one',
      segments({ startTime: 0, body: 'The' }, { startTime: 0.5, endTime: 2, body: 'horn.' }),
      ['0-2 The horn.'],
    ],
    ['invalid segments', segments(null, 1, 'x', {}, { body: 1 }, { startTime: 1, endTime: 2, body: ' ' }), []],
    ['invalid times', segments({ startTime: '1', endTime: -1, body: 'Fog.' }), ['Fog.']],
    ['broken JSON', '{"segments":[{"startTime":1', []],
    ['another object', '{"chapters":[]}', []],
    ['deep nesting', `{"segments":${'['.repeat(300_000)}`, []],
  ])('%s', (_what, text, cues) => {
    expect(shortly(text)).toEqual(cues)
  })

  test('long speech is cut at sentences', () => {
    const sentence = 'The fog came in from the sea and stayed over the harbour for a day.'
    const words = Array.from({ length: 40 }, () => sentence.split(' ')).flat()
    const cues = parse(segments(...words.map((each, n) => word(n / 2, each))))
    expect(cues.every(({ text }) => text.endsWith('.'))).toBe(true)
    expect(cues.map(({ text }) => text).join(' ')).toBe(words.join(' '))
    for (const { text } of cues) expect(text.length).toBeWithin(60, 301)
  })
})

describe('HTML and plain text', () => {
  test.each<[what: string, text: string, type: string, cues: string[]]>([
    [
      'the format of the podcast namespace',
      '<cite>Ida:</cite>\n<time>0:00</time>\n<p>Fog.</p>\n<cite>Ole:</cite>\n<time>1:02:03</time>\n<p>Gulls <b>and</b> boats.</p>',
      'text/html',
      ['0- Ida: Fog.', '3723- Ole: Gulls and boats.'],
    ],
    [
      'paragraphs',
      '<html><head><title>x</title></head><h1>Fog</h1><p>One.<br>Two.',
      'text/html',
      ['Fog', 'One.', 'Two.'],
    ],
    [
      'no scripts, styles, comments',
      '<p>a<script>x("<p>")</script><style>p{}</style><!-- <p>c</p> -->',
      'text/html',
      ['a'],
    ],
    ['a script without an end', '<p>a</p><script>x', 'text/html', ['a']],
    ['HTML without a type', '<!doctype html><p>Fog.</p>', '', ['Fog.']],
    ['an invalid time', '<time>soon</time><p>Fog.</p>', 'text/html', ['soon', 'Fog.']],
    ['plain paragraphs', 'One\ntwo.\n\n\nThree.', 'text/plain', ['One two.', 'Three.']],
    ['plain lines', 'One.\nTwo.', 'text/plain', ['One.', 'Two.']],
    ['plain paragraphs with times', '[00:01:02] Ida: Fog.\n\n(1:05) Gulls.', '', ['62- Ida: Fog.', '65- Gulls.']],
    ['a less-than sign', 'a < b, and b<c', 'text/plain', ['a < b, and b‹c']],
  ])('%s', (_what, text, type, cues) => {
    expect(shortly(text, type)).toEqual(cues)
  })

  test('a text of one line is cut into pieces', () => {
    const cues = parse(`${'The fog came in. '.repeat(200)}${'x'.repeat(3000)}`)
    for (const { text } of cues) expect(text.length).toBeLessThanOrEqual(1000)
    expect(cues[0]?.text).toEndWith('in.')
  })
})

describe('the format is detected from the content', () => {
  const FOG = vtt('00:01.000 --> 00:02.000\nFog.')
  test.each<[what: string, text: string, type: string, contentType: string, cues: string[]]>([
    ['WebVTT as plain text', FOG, 'text/plain', 'text/plain', ['1-2 Fog.']],
    ['WebVTT as JSON', FOG, 'application/json', 'application/octet-stream', ['1-2 Fog.']],
    ['JSON as SubRip', segments(word(1, 'Fog.')), 'application/srt', 'text/html', ['1-1.4 Ida: Fog.']],
    ['a web page instead of WebVTT', '<!doctype html><p>Please sign in.</p>', 'text/vtt', 'text/html', []],
    ['plain text instead of SubRip', 'Not found', 'application/x-subrip', 'text/plain', []],
    ['the type of the response, if the feed has none', 'a<br>b', '', 'text/html; charset=utf-8', ['a', 'b']],
  ])('%s', (_what, text, type, contentType, cues) => {
    expect(shortly(text, type, contentType)).toEqual(cues)
  })

  test.each([
    ['nothing', new Uint8Array()],
    ['white space', encode(' \n\r\n ')],
    ['sound', Uint8Array.from({ length: 5000 }, (_, n) => (n * 7919) % 256)],
    ['zeros', new Uint8Array(5000)],
    ['a picture', Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk', 'base64')],
  ])('%s is not a transcript', (_what, bytes) => {
    expect(parse(bytes)).toEqual([])
    expect(parse(bytes, 'text/vtt')).toEqual([])
  })
})

const TAG_LIKE = /<[a-z/!?]/i

describe('hostile files', () => {
  test.each([
    '<script>alert(1)</script>',
    '<scr<b>ipt>alert(1)</scr</b>ipt>',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '&amp;lt;img src=x onerror=alert(1)&amp;gt;',
    '<<img src=x onerror=alert(1)>',
    '<img src=x onerror="alert(1)"',
    '<svg/onload=alert(1)>',
    '<!-- --!><script>x</script>',
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>',
    '<v <b>Ida</b>>Hi',
    '<v &lt;script&gt;>Hi',
  ])('%s leaves no tag in any format', (text) => {
    const files: [string, string][] = [
      [vtt(`00:01.000 --> 00:02.000\n${text}`), 'text/vtt'],
      [`1\n00:00:01,000 --> 00:00:02,000\n${text}\n`, 'application/srt'],
      [segments({ startTime: 1, endTime: 2, speaker: text, body: text }), 'application/json'],
      [`<cite>${text}</cite><time>${text}</time><p>${text}</p>`, 'text/html'],
      [text, 'text/plain'],
    ]
    for (const [file, type] of files)
      for (const { speaker, text: said } of parse(file, type)) {
        expect(said).not.toMatch(TAG_LIKE)
        expect(speaker).not.toMatch(TAG_LIKE)
      }
  })

  test('long files are cut after 20,000 cues or 1 Mi characters', () => {
    const line = (n: number) =>
      `00:${String(n % 60).padStart(2, '0')}.000 --> 00:59.000\n<v Speaker ${n}>${'x'.repeat(20)}`
    expect(parse(vtt(...Array.from({ length: 25_000 }, (_, n) => line(n))))).toHaveLength(20_000)
    const long = parse('word '.repeat(800_000))
    expect(long.reduce((sum, { text }) => sum + text.length, 0)).toBeWithin(1_000_000, 1_048_577)
  })

  const MAX = 4 * 1024 * 1024
  const filled = (text: string, start = '') => start + text.repeat(Math.ceil((MAX - start.length) / text.length))
  test.each<[what: string, text: string, type: string]>([
    ['line ends', filled('\n', 'WEBVTT\n\n00:01.000 --> 00:02.000\nx'), 'text/vtt'],
    ['arrows', filled('-->', 'WEBVTT\n\n'), 'text/vtt'],
    ['times', filled('00:00.000 --> 00:00.000\n', 'WEBVTT\n\n'), 'text/vtt'],
    ['digits', filled('1', 'WEBVTT\n\n'), 'text/vtt'],
    ['less-than signs', filled('<', 'WEBVTT\n\n00:01.000 --> 00:02.000\n'), 'text/vtt'],
    ['voices', filled('<v A>', 'WEBVTT\n\n00:01.000 --> 00:02.000\n'), 'text/vtt'],
    ['open voices', filled('<v ', 'WEBVTT\n\n00:01.000 --> 00:02.000\n'), 'text/vtt'],
    ['ampersands', filled('&amp;&', 'WEBVTT\n\n00:01.000 --> 00:02.000\n'), 'text/vtt'],
    ['words of JSON', `[${filled('{"startTime":1,"endTime":1,"body":"x"},')}]`, 'application/json'],
    ['brackets', filled('['), 'application/json'],
    ['open tags', filled('<div>'), 'text/html'],
    ['open scripts', filled('<script>'), 'text/html'],
    ['comments', filled('<!--'), 'text/html'],
    ['half tags', filled('<a '), 'text/html'],
    ['times of HTML', filled('<time>1:00</time>'), 'text/html'],
    ['spaces', filled(' ', 'a'), 'text/plain'],
    ['one line', filled('a'), 'text/plain'],
    ['brackets with times', filled('[00:01'), 'text/plain'],
    ['empty lines', filled('\n\r \t', 'a'), 'text/plain'],
  ])('a file full of %s is parsed in linear time', (_what, text, type) => {
    const bytes = encode(text)
    expect(processorSeconds(() => parse(bytes, type))).toBeLessThan(10)
  })

  test('any file is parsed into ordered cues of plain text, or none', () => {
    const part = fc.oneof(
      fc.constantFrom(
        ...['WEBVTT\n', '\n', '\n\n', '00:01.000 --> 00:02.000\n', '1\n', 'NOTE x\n', '\u0000', '\ud800', '\ufffd'],
        ...'<v Ida>|</v>|-->|<p>|</p>|<cite>|</cite>|<time>|</time>|1:02|&lt;|&#60;|&amp;|<|>|<!--|<script>'.split('|'),
        ...['{"segments":[', ']}', '{"startTime":1,"endTime":2,"body":"x"}', ','],
      ),
      fc.string(),
    )
    const types = fc.constantFrom('', 'text/vtt', 'application/srt', 'application/json', 'text/html', 'text/plain')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), types, (parts, type) => {
        let last = 0
        for (const { start, end, speaker, text } of parse(parts.join(''), type)) {
          expect(text).not.toBe('')
          for (const each of [text, speaker]) {
            expect(each).not.toMatch(TAG_LIKE)
            expect(each.isWellFormed()).toBe(true)
            expect(each).not.toMatch(/[\p{Cc}]/u)
          }
          if (start === null) expect(end).toBeNull()
          else {
            expect(start).toBeGreaterThanOrEqual(last)
            if (end !== null) expect(end).toBeGreaterThanOrEqual(start)
            last = start
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  test('any bytes are parsed without an error', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void parse(bytes, 'text/html')))
  })
})
