import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { htmlToText } from '../../src/platform/html-text.ts'
import { sanitise } from '../../src/worker/parse/sanitize.ts'
import { processorSeconds } from '../support/values.ts'

describe('the text of HTML', () => {
  test.each([
    ['nothing', '', ''],
    ['text with line ends', 'Boats\nand birds', 'Boats\nand birds'],
    ['paragraphs with white space between them', '<p>Boats</p>\n\n  <p> Birds </p>', 'Boats\nBirds'],
    ['lines', 'Boats<br>Birds<br/>Bells<br />Buoys', 'Boats\nBirds\nBells\nBuoys'],
    ['many empty lines', 'Boats<br><br><br><br><br>Birds', 'Boats\n\nBirds'],
    ['a numbered list in a text', 'Today:<ol><li>Boats</li></ol>Enjoy', 'Today:\nBoats\nEnjoy'],
    ['a list in a list', '<ul><li>Boats<ul><li>Red</li></ul></li><li>Birds</li></ul>', 'Boats\nRed\nBirds'],
    ['a nested list', 'Read <a href="https://a.example/?a=1&amp;b=2" rel="noopener">more</a>!', 'Read more!'],
    ['emphasis within words', 'Har<b>bour</b> <em>Talk</em>', 'Harbour Talk'],
    ['inline markup within words', 'Boats\n  and\tbirds <b>today</b>', 'Boats and birds today'],
    ['white space of the source', '<p></p><br>', ''],
  ])('markup only', (_case, html, text) => {
    expect(htmlToText(html)).toBe(text)
  })

  test.each([
    ['numeric entities', '&#39;Ahoy&#39; &#8364; &#128674;', "'Ahoy' € 🚢"],
    ['text that looks like entities', '&amp;lt;b&amp;gt; &amp;amp; &amp;#39;', '&lt;b&gt; &amp; &#39;'],
    ['unknown entities', '&boat; & birds', '&boat; & birds'],
    ['entities without an end', 'Boats &amp birds', 'Boats &amp birds'],
    ['invalid code points', '&#1114112;&#55357;&#0;&#7;', '\ufffd\ufffd\ufffd'],
    ['names of object members', '&constructor; &toString;', '&constructor; &toString;'],
  ])('%s', (_case, html, text) => {
    expect(htmlToText(html)).toBe(text)
  })

  test('has no markup other than that shown as text by the HTML', () => {
    const all = '<p>|</p>|<b>|<br>|<script>|&lt;|&amp;|&#60;|boats| |\n|>|"'.split('|')
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...all)), (pieces) => {
        const html = sanitise(pieces.join(''))
        const shown = html.replaceAll(/<[^>]*>/g, '')
        expect(htmlToText(html).split('<')).toHaveLength(shown.split('&lt;').length)
      }),
    )
  })

  test('of hostile input takes no time', () => {
    const pieces = ['<', '&', ' ', '\n', '<p', '&#', '<br>', ' \n ', '<p> </p>', '</p>x', '&nbsp;']
    const seconds = processorSeconds(() => pieces.map((piece) => htmlToText(`<b>${piece.repeat(200_000)}`)))
    expect(seconds).toBeLessThan(2)
  })
})
