import { heapSize } from 'bun:jsc'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { XMLValidator } from 'fast-xml-parser'
import { DomainError } from '../../src/domain/shared/errors.ts'
import { sanitizeUrl } from '../../src/domain/shared/feed-url.ts'
import type { PodcastObject } from '../../src/domain/shared/podcast.ts'
import { createOutlineReader, feedOf, readOpml as readPieces, writeOpml } from '../../src/formats/opml.ts'
import type { Lenience } from '../../src/formats/xml-scan.ts'
import { anyCharacter, anyWebUrl } from '../support/arbitraries.ts'
import { processorSeconds } from '../support/values.ts'

const A = 'https://a.example/f'
const B = 'https://b.example/f?x=1&y=2'

/** 2025-03-02T10:00:00 UTC */
const CREATED = 1_740_909_600

function body(outlines: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n<opml version="2.0"><head><title>x</title></head><body>${outlines}</body></opml>`
}

function podcast(url: string, more: Partial<PodcastObject> = {}): PodcastObject {
  const nothing = { title: '', author: '', description: '', website: '', logoUrl: '', language: '' }
  return { url, ...nothing, subscribers: 0, subscribersLastWeek: 0, ...more }
}

const readOpml = (text: string) => [...readPieces(text)].flat()
const urlsIn = (text: string) => readOpml(text).map(({ url }) => url)

describe('outlines of an OPML list (D10)', () => {
  test.each([
    ['of another type', `<outline type="folder" xmlUrl="${A}"/>`, [A]],
    ['with the attribute in any case', `<outline xmlurl="${A}"/><outline XMLURL="${A}"/>`, [A, A]],
    ['with episodes below', `<outline xmlUrl="${A}"><outline type="podcast-episode" url="${B}"/></outline>`, [A]],
    ['with url only', `<outline type="rss" URL="${A}"/>`, [A]],
    ['of a list or page, not a feed', `<outline type="include" url="${A}"/><outline type="Link" url="${A}"/>`, []],
    ['of a page with a feed', `<outline type="link" url="https://c.example/" xmlUrl="${A}"/>`, [A]],
    ['with a repeated attribute', `<outline xmlUrl="${A}" xmlUrl="${B}"/>`, [A]],
    ['without spaces between attributes', `<outline text="A"xmlUrl="${A}"title='B'/>`, [A]],
    ['with < in a title', `<outline text="A < B <i>" xmlUrl="${A}"/>`, [A]],
    ['with forbidden characters', `\0\ud800<out\u0001line xmlUrl="${A}\u001f\0\ufffe"/>\u000b&#0;`, [A]],
    ['with forbidden references', `<outline xmlUrl="${A}&#x1F;&#0;&#xD800;&#x110000;&#999999999999999999;"/>&#0;`, [A]],
    ['with url and xmlUrl', `<outline url="https://c.example/" xmlUrl="${A}"/>`, [A]],
    ['with an empty xmlUrl', `<outline xmlUrl=" " url="${A}"/>`, [A]],
    ['with neither', '<outline text="Folder"/>', []],
    ['nested', `<outline><outline><outline xmlUrl="${A}"/></outline><outline xmlUrl="${A}#"/></outline>`, [A, `${A}#`]],
    ['in single quotes', `<outline xmlUrl='${A}'></outline>`, [A]],
    ['with > and line ends inside', `<outline\r\n\ttext = "a > b"\n xmlUrl\n=\n"${A}"\n/>`, [A]],
    ['with references', '<outline xmlUrl="http&#58;//a/&#x66;&amp;&lt;&gt;&quot;&apos;"/>', [`http://a/f&<>"'`]],
    ['with bare ampersands', '<outline text="Fog & Gulls" xmlUrl="?a=1&b=2&amp;c=3&"/>Fog & &#; &x', ['?a=1&b=2&c=3&']],
    ['with entities of HTML', `<outline text="Fog&nbsp;Talk" xmlUrl="${A}"/>Fog&nbsp;Talk`, [A]],
    ['inside of a comment or CDATA', `<!-- <outline xmlUrl="${A}"/> --><![CDATA[<outline xmlUrl="${A}"/>]]>`, []],
    ['with other names', `<outlines xmlUrl="${A}"/><x:outline xmlUrl="${A}"/>`, []],
    ['absent', '', []],
  ])('%s', (_what, outlines, urls) => {
    expect(urlsIn(body(outlines))).toEqual(urls)
  })

  test.each([
    ['title', 'title="Harbour" text="Folder"', 'Harbour'],
    ['text, without a title', 'text="Harbour &amp; Sea"', 'Harbour & Sea'],
    ['text, if the title is blank', 'TITLE=" " TEXT="Harbour"', 'Harbour'],
    ['nothing', '', undefined],
  ])('are titled by their %s', (_what, attributes, title) => {
    expect(readOpml(body(`<outline ${attributes} xmlUrl="${A}"/>`))).toEqual([{ url: A, title }])
  })

  test.each([
    ['without XML declaration', `<opml><outline xmlUrl="${A}"/></opml>`],
    ['with BOM', `\ufeff${body(`<outline xmlUrl="${A}"/>`)}`],
    ['with blank lines before the declaration', `\n\n${body(`<outline xmlUrl="${A}"/>`)}`],
    ['with a style sheet', `<?xml version="1.0"?><?xml-stylesheet href="a.xsl"?><opml><outline xmlUrl="${A}"/></opml>`],
    ['with a namespace', `<opml xmlns:x="urn:x"><x:y x:z="1"/><outline xmlUrl="${A}"/></opml>`],
    ['with a DOCTYPE', `<!DOCTYPE opml SYSTEM "http://x.example/>.dtd"><opml><outline xmlUrl="${A}"/></opml>`],
    ['with NULs at the end', `<opml><outline xmlUrl="${A}"/></opml>\n${'\0'.repeat(100)}`],
    ['in upper case', `<OPML><OUTLINE xmlUrl="${A}"/></OPML>`],
    ['with names of object members', `<opml><constructor __proto__="1"/><outline toString="" xmlUrl="${A}"/></opml>`],
  ])('a document %s is read', (_what, text) => {
    expect(urlsIn(text)).toEqual([A])
  })
})

const inRoot = (...texts: string[]) => texts.map((text) => `<opml>${text}</opml>`)
const attributes = ['xmlUrl=x', 'xmlUrl', 'xmlUrl="x', 'a="b"c"', 'a=b"c"']

test.each([
  ['another document', ['', ' \n ', A, `["${A}"]`, `<rss><outline xmlUrl="${A}"/></rss>`, '<!DOCTYPE html><html/>']],
  ['more than one root', ['x<opml/>', '<opml/>x', '<opml/><opml/>', '<opml></opml></opml>', '<![CDATA[x]]><opml/>']],
  ['without an end', ['<opml', '<opml><body></body>', '<!DOCTYPE opml [ <!ENTITY a ">"> ><opml/>']],
  ['with wrong end tags', [...inRoot('<a><b></a></b>'), '<opml></OPML>', '<opml></opml a="1">']],
  ['with wrong names', inRoot('< a/>', '<1a/>')],
  ['with wrong attributes', inRoot(...attributes.map((attribute) => `<outline ${attribute}/>`))],
  ['with unclosed parts', inRoot('<!-- ', '<![CDATA[ ', '<?x ')],
  ['with a late prolog', inRoot('<!DOCTYPE opml>', '<?xml version="1.0"?>')],
])('a body other than OPML is refused: %s', (_what, texts) => {
  for (const text of texts)
    expect(() => readOpml(text)).toThrow(expect.objectContaining({ code: 'validation_failed', field: 'body' }))
})

test.each([
  ['a tag', '<opml>\r\n<a>\r<b></a></b></opml>', 3],
  ['an attribute', '<opml>\n\n<outline text="A" xmlUrl=x/></opml>', 3],
  ['a second root', '<opml/>\n<opml/>', 2],
  ['a missing end', '<opml>\n<body>\n', 3],
])('the error names the line of %s', (_what, text, line) => {
  expect(() => readOpml(text)).toThrow(`in line ${line}`)
})

describe('a hostile document', () => {
  test('cannot make entities grow', () => {
    const bombs = Array.from({ length: 20 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};&e${n};&e${n};">`).join('')
    const text = `<!DOCTYPE opml [<!ENTITY e0 "lol">${bombs}]><opml><outline xmlUrl="http://a.example/&e20;"/>&e20;</opml>`
    expect(urlsIn(text)).toEqual(['http://a.example/&e20;'])
  })

  test('cannot fetch URLs or read files', () => {
    const text = `<!DOCTYPE opml [
      <!-- it's "quoted" ]> -->
      <!ENTITY xxe SYSTEM "file:///etc/passwd">
      <!ENTITY % remote SYSTEM 'http://x.example/">'> %remote;
      <?php ]> ?>
    ]><opml><outline xmlUrl="&xxe;"/></opml>`
    expect(urlsIn(text)).toEqual(['&xxe;'])
  })

  test('may be nested to any depth', () => {
    const depth = 90_000
    const text = `<opml>${'<outline>'.repeat(depth)}<outline xmlUrl="${A}"/>${'</outline>'.repeat(depth)}</opml>`
    expect(urlsIn(text)).toEqual([A])
  })

  test.each([
    ['open tags', '<opml>'.repeat(300_000)],
    ['angle brackets', '<'.repeat(2_000_000)],
    ['blanks in a tag', `<opml${' '.repeat(2_000_000)}`],
    ['one long name', `<opml ${'a'.repeat(2_000_000)}`],
    ['an unclosed value', `<opml a="${'b'.repeat(2_000_000)}`],
    ['ampersands', `<opml>${'&a'.repeat(1_000_000)}</opml>`],
    ['carriage returns', `<opml>${'\r'.repeat(2_000_000)}</opml>`],
    ['attributes', `<opml ${Array.from({ length: 150_000 }, (_, n) => `a${n}="1"`).join(' ')}/>`],
    ['brackets in a DOCTYPE', `<!DOCTYPE opml [${'[]'.repeat(1_000_000)}`],
    ['comments', `<opml>${'<!---->'.repeat(300_000)}</opml>`],
  ])('with megabytes of %s takes no time', (_what, text) => {
    const seconds = processorSeconds(() => {
      try {
        readOpml(text)
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^(?:validation_failed|payload_too_large)$/) })
      }
    })
    expect(seconds).toBeLessThan(3)
  })

  test('is read or refused', () => {
    const scrap = fc.constantFrom(
      ...['<', '>', '/', '<opml>', '</opml>', '<outline ', 'xmlUrl="', 'a=', '"', "'", '&', ';', '&amp;', '#', 'x'],
      ...['<!--', '-->', '<![CDATA[', ']]>', '<!DOCTYPE', '[', ']', '<?', '?>', ' ', '\n', '\0', 'é'],
    )
    fc.assert(
      fc.property(fc.array(scrap, { maxLength: 20 }), (scraps) => {
        try {
          expect(readOpml(`<opml>${scraps.join('')}</opml>`)).toBeArray()
        } catch (error) {
          expect(error).toMatchObject({ code: 'validation_failed', field: 'body' })
        }
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a document in pieces', () => {
  /** The feeds of a document, or `undefined` if it is refused. */
  function read(text: string, sizes: readonly number[], lenience?: Lenience) {
    const reader = createOutlineReader(lenience)
    try {
      const feeds: unknown[] = []
      let from = 0
      for (let n = 0; from < text.length; n++) {
        const to = from + (sizes[n % sizes.length] ?? 1)
        feeds.push(...reader.read(text.slice(from, to)).map(feedOf))
        from = to
      }
      return [...feeds, ...reader.end().map(feedOf)]
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      return undefined
    }
  }

  const scrap = fc.constantFrom(
    ...[
      '<opml>',
      '</opml>',
      `<outline xmlUrl="${A}"/>`,
      `<outline text='a > b &lt; "c"\r\n' url = "${B}">`,
      '</outline>',
    ],
    ...['<!-- <a> - -- -->', '<![CDATA[ ]] > ]]>', '<!DOCTYPE opml [ <!ENTITY a "]>"> <!-- ]> --> <?x ]> ?> ]>'],
    ...[
      '<?xml version="1.0"?>',
      '<?x ? > ?>',
      '&amp;',
      '&#x1F30A;',
      '&#128031;',
      '&#0;',
      '& &# &x;',
      '\r',
      '\r\n',
      '\n',
    ],
    ...['\0', '🌊', '\ud800', 'é', '<', '>', '"', "'", ']]>', '-->', '\ufeff', ' ', '<opml a="1" b="&#10;"/>'],
  )

  test('has the same outlines wherever it is cut', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
    const inside = fc.array(scrap, { maxLength: 12 }).map((scraps) => `<opml>${scraps.join('')}</opml>`)
    const loose = fc.array(scrap, { maxLength: 8 }).map((scraps) => scraps.join(''))
    fc.assert(
      fc.property(fc.oneof(inside, loose), sizes, (text, some) => {
        expect(read(text, some)).toEqual(read(text, [text.length]))
      }),
      { numRuns: 3000 },
    )
  })

  test('that is damaged has the same outlines and damaged lines wherever it is cut', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
    const broken = fc.oneof(
      scrap,
      fc.constantFrom('<outline ', ' text="a <outline b" ', `xmlUrl="${A}"`, '/>', '</body>'),
    )
    const text = fc.array(broken, { maxLength: 15 }).map((scraps) => `<opml>${scraps.join('')}`)
    const readLoosely = (document: string, some: readonly number[]) => {
      const lines: number[] = []
      const endless = new Map<string, number>()
      const feeds = read(document, some, { onDamage: (line) => lines.push(line), endless })
      expect(lines).toEqual(lines.toSorted((a, b) => a - b))
      return { feeds, lines, endless }
    }
    fc.assert(
      fc.property(text, sizes, (document, some) => {
        const whole = readLoosely(document, [document.length])
        expect(whole.feeds).toBeDefined()
        expect(readLoosely(document, some)).toEqual(whole)
      }),
      { numRuns: 3000 },
    )
  })

  test.each([
    ['quotes', '<outline "'],
    ['two kinds of quotes', `<outline "'"'"<a '"`],
    ['end tags', '<outline></a>'],
    ['names and spaces', `<outline a=""${' a'.repeat(1000)}${' '.repeat(1000)}`],
    ['values without quotes', `<outline ${'a=/'.repeat(1000)}`],
    ['angle brackets', '<'],
    ['long damaged outlines', `<outline a=b${' a="1'.repeat(1000)}`],
    ['lines outside of the root', '</opml>x\n'],
  ])('with megabytes of damage is read in linear time: %s', (_what, scraps) => {
    const document = `<opml><outline>${scraps.repeat(1_000_000 / scraps.length)}`
    const seconds = processorSeconds(() => {
      read(document, [64 * 1024], { onDamage: () => undefined, endless: new Map() })
    })
    expect(seconds).toBeLessThan(3)
  })

  test('is read in pieces of any size', () => {
    const text = `<?xml version="1.0"?>\r\n<!DOCTYPE opml [<!ENTITY a "]>">]><!-- - -->${`<opml><head><title>Fog &amp; 🌊</title></head>
      <outline text="Sea &#x1F30A; &amp; 'Fog' 🌊" xmlUrl='${A}'/><![CDATA[ <outline url="x"/> ]]><?x ?>\r</opml>`}\r\n`
    for (let size = 1; size < 40; size++) expect(read(text, [size])).toEqual([{ url: A, title: "Sea 🌊 & 'Fog' 🌊" }])
  })

  const huge = 64 * 1024 * 1024
  const PIECE = 64 * 1024
  test.each([
    ['an attribute', '<opml><outline xmlUrl="', '&#9;'],
    ['a value that is not closed', '<opml><outline xmlUrl="', 'x'],
    ['white space in a tag', '<opml><outline', ' '],
    ['many attributes', '<opml><outline', ' a=""'],
    ['a name', '<opml><', 'x'],
    ['the name of an instruction', '<opml><?', 'x'],
    ['the end of an element', '<opml></opml', ' '],
    ['text outside of the root', '', 'x'],
    ['tags without an end', '<opml>', '<a>'],
  ])('is refused after a few pieces of an endless part: %s', (_what, before, more) => {
    const reader = createOutlineReader()
    const piece = more.repeat(PIECE / more.length)
    let pieces = 0
    expect(() => {
      reader.read(before)
      for (; pieces < huge / PIECE; pieces++) reader.read(piece)
    }).toThrow(DomainError)
    expect(pieces).toBeLessThan(12)
  })

  test.each([
    ['comments', '<opml><!--', '- -', '--></opml>'],
    ['CDATA', '<opml><![CDATA[', ']] >', ']]></opml>'],
    ['instructions', '<opml><?x ', '? >', '?></opml>'],
    ['declarations', '<!DOCTYPE opml [<!ENTITY a "', '>]&', '">]><opml/>'],
    ['text', '<opml>', '&amp; ', '</opml>'],
    ['lines', '', '\r\n', '<opml/>'],
  ])('is skipped without keeping long parts in memory: %s', (_what, before, more, after) => {
    const reader = createOutlineReader()
    const piece = more.repeat(PIECE / more.length)
    reader.read(before)
    Bun.gc(true)
    const size = heapSize()
    for (let n = 0; n < 120; n++) reader.read(piece)
    Bun.gc(true)
    expect(heapSize() - size).toBeLessThan(5 * 1024 * 1024)
    reader.read(after)
    expect(reader.end()).toEqual([])
  })
})

describe('a written list', () => {
  test('is OPML 2.0 with a title and an RFC 2822 date', () => {
    const said = { title: 'Harbour "Talk"', description: 'Fog\n& more', website: 'https://tidewater.example/' }
    const harbour = podcast(B, said)
    expect(writeOpml([harbour, podcast(A)], { title: 'Subscriptions of ida', created: CREATED })).toBe(
      `<?xml version="1.0" encoding="utf-8"?>
<opml version="2.0">
  <head>
    <title>Subscriptions of ida</title>
    <dateCreated>Sun, 02 Mar 2025 10:00:00 +0000</dateCreated>
  </head>
  <body>
    <outline type="rss" xmlUrl="https://b.example/f?x=1&amp;y=2" title="Harbour &quot;Talk&quot;" text="Harbour &quot;Talk&quot;" description="Fog&#10;&amp; more" htmlUrl="https://tidewater.example/"/>
    <outline type="rss" xmlUrl="https://a.example/f" title="https://a.example/f" text="https://a.example/f" description="" htmlUrl=""/>
  </body>
</opml>
`,
    )
  })

  const anyText = fc.string({ unit: anyCharacter, maxLength: 20 })

  test('reads back as the same URLs, and is well-formed to other parsers', () => {
    const stored = anyWebUrl.map((url) => sanitizeUrl(url) ?? A)
    const anyPodcast = fc
      .record({ url: stored, title: anyText, description: anyText, website: anyText })
      .map(({ url, ...more }) => podcast(url, more))
    fc.assert(
      fc.property(anyText, fc.array(anyPodcast), (title, podcasts) => {
        const text = writeOpml(podcasts, { title, created: CREATED })
        expect(urlsIn(text)).toEqual(podcasts.map(({ url }) => url))
        expect(XMLValidator.validate(text)).toBe(true)
      }),
    )
  })

  test('keeps URLs that are not normalized', () => {
    const printable = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((url) => url.trim() !== '')
    fc.assert(
      fc.property(fc.oneof(printable, fc.constantFrom('a\tb', 'a\r\nb', '&amp;', '"\'<>', ']]>')), (url) => {
        expect(urlsIn(writeOpml([podcast(url)], { title: '', created: 0 }))).toEqual([url])
      }),
    )
  })
})
