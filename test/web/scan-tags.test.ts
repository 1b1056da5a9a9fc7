import { describe, expect, test } from 'bun:test'
import { scanTags } from '../../src/web/pages/transfer/scan-tags.ts'

/** The address of each outline, and “none” for those that have none. */
function addressesIn(text: string): string {
  return scanTags(text)
    .tags.filter(({ name }) => name === 'outline')
    .map(({ attributes }) => attributes.get('xmlurl') ?? 'none')
    .join(' ')
}

const A = 'https://a.example/'
const B = 'https://b.example/'

describe('a list in whole (docs/protocol.md#D10)', () => {
  test.each([
    ['an outline', `<opml><body><outline xmlUrl="${A}" text="A"/></body></opml>`, A],
    ['names in any case', `<OPML><BODY><Outline XMLURL="${A}"/></body></opml>`, A],
    [
      'outlines within outlines, in order',
      `<opml><outline text="N"><outline xmlUrl="${A}"></outline></outline><outline xmlUrl='${B}' /></opml>`,
      `none ${A} ${B}`,
    ],
    ['references', `<opml><outline xmlUrl="${A}?b=1&amp;c=&#50;&#x33;"/></opml>`, `${A}?b=1&c=23`],
    ['a bare &', `<opml><outline xmlUrl="${A}?b=1&c=2"/></opml>`, `${A}?b=1&c=2`],
    ['references that nobody knows', `<opml><outline xmlUrl="${A}?&shy;&#x110000;"/></opml>`, `${A}?&shy;&#x110000;`],
    ['what follows blank lines', `\n \n<?xml version="1.0"?><opml><outline xmlUrl="${A}"/></opml>`, A],
    ['a namespace', `<o:opml xmlns:o="urn:x"><o:outline xmlUrl="${A}"/></o:opml>`, A],
    ['the first of two addresses', `<opml><outline xmlUrl="${A}" xmlUrl="${B}"/></opml>`, A],
    ['a value without quotes', '<opml><outline xmlUrl=https://a.example/f text=A /></opml>', 'https://a.example/f'],
    ['marks in values', `<opml><outline text="1 > 2 < 3" xmlUrl="${A}"/></opml>`, A],
    ['marks in texts', `<opml><title>I <3 you</title><outline xmlUrl="${A}"/></opml>`, A],
    ['no outlines', '<opml/>', ''],
    [
      'comments, CDATA and instructions are none',
      '<opml><!--<outline xmlUrl="a"/>--><x><![CDATA[<outline xmlUrl="b"/>]]></x><?x <outline/>?></opml>',
      '',
    ],
    [
      'entities of a document type, without those from elsewhere',
      `<!DOCTYPE opml [<!ENTITY e "${A}?&amp;"><!ENTITY f SYSTEM "file:///etc/passwd">]><opml><outline xmlUrl="&e;"/><outline xmlUrl="&f;"/></opml>`,
      `${A}?& &f;`,
    ],
    [
      'entities of entities, which never grow',
      '<!DOCTYPE opml [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><opml><outline xmlUrl="&b;"/></opml>',
      '&a;&a;',
    ],
    ['a document type without entities', `<!doctype opml SYSTEM "opml.dtd"><opml><outline xmlUrl="${A}"/></opml>`, A],
  ])('%s', (_, text, expected) => {
    expect(addressesIn(text)).toBe(expected)
    expect(scanTags(text).isDamaged).toBe(false)
  })

  test('texts as they stand there, line ends as spaces', () => {
    const [, outline] = scanTags('<opml><outline text="Öl &#38;\r\n&quot;Gas&quot;" TITLE=" a  b "/></opml>').tags
    expect([...(outline?.attributes ?? [])]).toEqual([
      ['text', 'Öl & "Gas"'],
      ['title', ' a  b '],
    ])
  })
})

describe('a damaged list', () => {
  test.each([
    ['an outline that is never closed', `<opml><body><outline xmlUrl="${A}"></opml>`, A],
    ['an end that is missing', `<opml><body><outline xmlUrl="${A}"/>`, A],
    ['an end within a tag', `<opml><outline xmlUrl="${A}"/><outline xmlUrl="${B}"`, A],
    ['an end within a value', `<opml><outline xmlUrl="${A}"/><outline xmlUrl="https://b.`, A],
    ['an end within a comment', `<opml><outline xmlUrl="${A}"/><!-- more`, A],
    ['an end of what never began', `<opml><outline xmlUrl="${A}"/></outline></opml>`, A],
    ['a missing quote costs one outline', `<opml><outline text="N xmlUrl="x"/><outline xmlUrl="${A}"/></opml>`, A],
  ])('%s', (_, text, expected) => {
    expect(addressesIn(text)).toBe(expected)
    expect(scanTags(text).isDamaged).toBe(true)
  })
})

test.each([
  ['tags without ends', '<outline '],
  ['values without ends', '<outline text="'],
  ['names without values', 'a'],
  ['quotes', '"\''],
  ['references without ends', '&a'],
  ['document types without ends', '<!doctype ['],
])('many %s do not take long', (_, part) => {
  const text = `<opml><outline text="${part.includes('<') ? '"/>' : ''}${part.repeat(50_000)}`
  const isDone = scanTags(text).isDamaged && scanTags(`${text}"/>`).isDamaged
  expect(isDone).toBe(true)
})
