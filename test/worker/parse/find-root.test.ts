import { describe, expect, test } from 'bun:test'
import { NotAFeed } from '../../../src/domain/feeds/document.ts'
import { parseFeed } from '../../support/feed-document.ts'
import { processorSeconds } from '../../support/values.ts'

const OPTIONS = { url: 'https://feeds.tidewater.example/show/feed.xml', maxEpisodes: 10 }
const XML = '<?xml version="1.0"?>'
const XHTML = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "http://www.w3.org/TR/xhtml1.dtd">'

const RSS = `<rss version="2.0"><channel><title>Harbour Talk</title><item><title>Fog</title>
  <enclosure url="https://cdn.example/1.mp3" type="audio/mpeg"/></item></channel></rss>`
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><title>Harbour Talk</title><entry><title>Fog</title>
  <link rel="enclosure" href="https://cdn.example/1.mp3" type="audio/mpeg"/></entry></feed>`
const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">
  <channel><title>Harbour Talk</title></channel><item><title>Fog</title>
  <enclosure url="https://cdn.example/1.mp3" type="audio/mpeg"/></item></rdf:RDF>`

function outcome(text: string): string {
  try {
    const { title, episodes } = parseFeed(new TextEncoder().encode(text), '', OPTIONS)
    return `${title}: ${episodes.map((episode) => episode.title).join()}`
  } catch (error) {
    if (error instanceof NotAFeed) return error.message
    throw error
  }
}

describe('a feed is found after', () => {
  test.each([
    ['a comment with the name of a feed', `${XML}<!-- an <rss> feed -->`],
    ['a comment with the name of another feed', `${XML}<!-- made with <feed >maker -->`],
    ['a comment with the name of a page', `${XML}<!-- no <html> page -->`],
    ['a comment with a DOCTYPE', `${XML}<!-- <!DOCTYPE html> -->`],
    ['a comment of more than 64 KiB', `${XML}<!-- ${'fog '.repeat(20_000)} -->`],
    ['an instruction of more than 64 KiB', `${XML}<?fog ${'fog '.repeat(20_000)}?>`],
    ['an instruction with the name of a page', `${XML}<?xml-stylesheet title="<html>"?>`],
    ['an instruction with the name of a feed', `${XML}<?xml-stylesheet title="a <rss>" href='<feed >'?>`],
    ['an instruction without its closing question mark', '<?xml version="1.0"><?xml-stylesheet href="a.xsl">'],
    ['the DOCTYPE of a page', XHTML],
    ['a DOCTYPE with an angle in quotes', '<!DOCTYPE rss SYSTEM "a>b<html>">'],
    ['a DOCTYPE with declarations', '<!DOCTYPE rss [<!-- a > <rss> --><!ENTITY f "<html>"><!ELEMENT rss (a)>]>'],
    ['a comment without an end', '<!-- fog '],
    ['a DOCTYPE without an end', '<!DOCTYPE rss [ '],
    ['a warning of a broken server', '<br />\n<b>Warning</b>:  can\'t open <a href="x>log</a>\n'],
    ['another element', '<envelope><body>'],
    ['the start of a web page', '<html><body>'],
    ['a web page with a head', `${XHTML}<html lang="en"><head><title><rss></title></head><body class="a">`],
    ['the start of a web page with feeds in a script', '<html><script>x = "<rss><channel>"</script><body><pre>'],
    ['the start of a web page with feeds in a comment', '<html><!-- <feed ><entry> --><body>'],
    ['the start of a web page with feeds in an attribute', '<html><body title="an <rss> feed">'],
  ])('%s', (_what, before) => {
    const [rss, atom] = [RSS, ATOM].map((feed) => outcome(before + feed))
    expect([rss, atom]).toEqual(['Harbour Talk: Fog', 'Harbour Talk: Fog'])
    expect(outcome(`${before}${RSS}</body></html>`)).toBe('Harbour Talk: Fog')
    if (!before.includes('<html')) expect(outcome(before + RDF)).toBe('Harbour Talk: Fog')
  })
})

describe('a web page is not a feed:', () => {
  test.each([
    ['a page', '<!doctype html><title>Fog</title><p>Tide'],
    ['a page that shows a feed', '<html><body><pre>&lt;rss version="2.0"&gt;&lt;channel&gt;</pre>'],
    ['a page with a feed in a comment', `<html><body><!-- ${RSS} -->`],
    ['a page with a feed in a script', `<html><body><script type="text/xml">${RSS}</script>`],
    ['a page with a feed in a form', `<html><body><textarea>${RSS}</textarea>`],
    ['a page with a script without an end', `<html><body><script>${RSS}`],
    ['a page with an element of that name', '<html><body><feed class="x"><p>Fog</p></feed>'],
    ['a page with RDF', `<html><body>${RDF}`],
    ['a page with a feed in a comment before it', `<!-- ${RSS} --><html><body>`],
  ])('%s', (_what, text) => {
    expect(outcome(text)).toBe('the address leads to a web page, not to a feed')
  })
})

test.each([
  ['a feed in a comment', `${XML}<!-- ${RSS} -->`],
  ['a feed in an instruction', `${XML}<?fog ${RSS}?>`],
  ['a feed in a CDATA section', `<opml><![CDATA[${RSS}]]></opml>`],
  ['another document', '<opml version="2.0"><body/></opml>'],
  ['a feed after a long text', `${'fog '.repeat(20_000)}${RSS}`],
])('%s is not a podcast feed', (_what, text) => {
  expect(outcome(text)).toBe(
    text.startsWith('<') ? 'the document is not a podcast feed' : 'the document is neither XML nor JSON',
  )
})

test.each([
  ['made of other entities', '<!DOCTYPE rss [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>'],
  ['behind a comment', '<!DOCTYPE rss [<!-- \' --><!ENTITY a SYSTEM "file:///fog">]>'],
  ['behind 64 KiB', `<!-- ${'fog '.repeat(20_000)} --><!DOCTYPE rss [<!ENTITY a SYSTEM "file:///fog">]>`],
  ['without an end', '<!DOCTYPE rss [<!ENTITY a SYSTEM "file:///fog">'],
])('entities are refused: %s', (_what, before) => {
  expect(outcome(before + RSS)).toStartWith('the document declares entities')
})

const filled = (piece: string) => piece.repeat(Math.ceil((4 * 1024 * 1024) / piece.length))

test.each([
  ...['<', '<!--', '<?', '<?x a="', '<![CDATA[', '<!DOCTYPE [', '<!DOCTYPE "', '<html ', '<a "', '<a \'"', '<rss>'],
  '<title>',
])('4 MiB without an end are refused in linear time: %s', (piece) => {
  expect(processorSeconds(() => [outcome(filled(piece)), outcome(`<html>${filled(piece)}`)])).toBeLessThan(3)
})
