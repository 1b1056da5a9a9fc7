import { expect, test } from 'bun:test'
import { parseFeed } from '../../support/feed-document.ts'

const OPTIONS = { url: 'https://feeds.tidewater.example/show/feed.xml', maxEpisodes: 5 }

function chosen(transcripts: string, language = 'en'): [string | undefined, string | undefined] {
  const item = `<item><title>Fog</title><enclosure url="fog.mp3" type="audio/mpeg"/>${transcripts}</item>`
  const text = `<rss xmlns:podcast="https://podcastindex.org/namespace/1.0"><channel><title>x</title><language>${language}</language>${item}</channel></rss>`
  const [episode] = parseFeed(new TextEncoder().encode(text), 'text/xml', OPTIONS).episodes
  return [episode?.transcriptUrl.replace('https://feeds.tidewater.example/show/', ''), episode?.transcriptType]
}

const tag = (url: string, type: string, more = '') => `<podcast:transcript url="${url}" type="${type}" ${more}/>`
const VTT = tag('a.vtt', 'text/vtt')
const SRT = tag('a.srt', 'application/x-subrip')
const JSON_FILE = tag('a.json', 'application/json')
const HTML = tag('a.html', 'text/html')
const PLAIN = tag('a.txt', 'text/plain')

test.each<[what: string, transcripts: string, url: string, type: string]>([
  ['none', '', '', ''],
  ['WebVTT first', PLAIN + HTML + JSON_FILE + SRT + VTT, 'a.vtt', 'text/vtt'],
  ['SubRip before JSON', PLAIN + HTML + JSON_FILE + SRT, 'a.srt', 'application/x-subrip'],
  ['JSON before HTML', PLAIN + HTML + JSON_FILE, 'a.json', 'application/json'],
  ['HTML before plain text', PLAIN + HTML, 'a.html', 'text/html'],
  ['the first of the same type', tag('b.vtt', 'text/vtt') + VTT, 'b.vtt', 'text/vtt'],
  ['a known type before an unknown one', tag('x.pdf', 'application/pdf') + PLAIN, 'a.txt', 'text/plain'],
  ['one whose type is known by its file name', PLAIN + tag('b.srt?x=1', ''), 'b.srt?x=1', ''],
  ['captions before others of the same type', VTT + tag('c.vtt', 'text/vtt', 'rel="captions"'), 'c.vtt', 'text/vtt'],
  [
    'the language of the feed first',
    tag('de.vtt', 'text/vtt', 'language="de"') + tag('en.txt', 'text/plain', 'language="en-GB"'),
    'en.txt',
    'text/plain',
  ],
  ['no language before another one', tag('de.vtt', 'text/vtt', 'language="de"') + HTML, 'a.html', 'text/html'],
  ['another language if alone', tag('de.vtt', 'text/vtt; charset=utf-8', 'language="de"'), 'de.vtt', 'text/vtt'],
  ['a valid URL', tag('', 'text/vtt') + tag('javascript:x()', 'text/vtt') + PLAIN, 'a.txt', 'text/plain'],
])('of the transcripts of an episode, the choice is %s', (_what, transcripts, url, type) => {
  expect(chosen(transcripts)).toEqual([url, type])
})

test('all languages are equal if the feed has none', () => {
  expect(chosen(tag('de.vtt', 'text/vtt', 'language="de"') + SRT, '')).toEqual(['de.vtt', 'text/vtt'])
})
