import { describe, expect, test } from 'bun:test'
import { createPodcastIndex } from '../../src/outbound/podcast-index.ts'
import { htmlToText } from '../../src/platform/html-text.ts'
import { Secret } from '../../src/platform/secret.ts'
import { sanitise } from '../../src/worker/parse/sanitize.ts'
import { fakeClock } from '../support/clock.ts'
import { reasonOf } from '../support/values.ts'

const HARBOUR = 'https://feeds.example/harbour'
const KEY = 'a key'
const SECRET = 'the$secret'

/** A directory that answers 200 with that, whatever it is asked. */
function directoryWith(answer: unknown) {
  const url = 'https://directory.example/'
  const body = new TextEncoder().encode(JSON.stringify(answer))
  const fetched = { status: 200, headers: new Headers(), body, url, permanentUrl: url, isInside: false }
  return createPodcastIndex({
    fetcher: { fetch: async () => fetched },
    baseUrl: url,
    key: new Secret(KEY),
    secret: new Secret(SECRET),
    clock: fakeClock(),
  })
}

const found = (...feeds: unknown[]) => directoryWith({ status: 'true', feeds }).search('x', 20)

test.each([[null], [undefined], [7], [true], [['Harbour']], [{ text: 'Harbour' }], ['']])(
  'a title that is none, %j, is empty (D79)',
  async (title) => {
    expect(await found({ url: HARBOUR, title })).toMatchObject([{ url: HARBOUR, title: '' }])
  },
)

describe('the same feed twice is there once, as it came first', () => {
  test.each([
    ['with another scheme', 'http://feeds.example/harbour'],
    ['with a slash at its end', 'https://feeds.example/harbour/'],
    ['with www', 'https://www.feeds.example/harbour'],
    ['with all of it', 'http://www.Feeds.example:80/harbour/'],
    ['to the letter', HARBOUR],
  ])('%s', async (_case, other) => {
    for (const [first, second] of [
      [HARBOUR, other],
      [other, HARBOUR],
    ])
      expect(await found({ url: first, title: 'first' }, { url: second, title: 'second' })).toMatchObject([
        { title: 'first' },
      ])
  })

  test.each([
    ['of another case', 'https://feeds.example/Harbour'],
    ['of another port', 'https://feeds.example:8443/harbour'],
    ['of another query', 'https://feeds.example/harbour?x'],
    ['of another host', 'https://www.www.feeds.example/harbour'],
  ])('and another one, %s, beside it', async (_case, other) => {
    expect(await found({ url: HARBOUR }, { url: other })).toHaveLength(2)
  })

  test('and leaves room for others', async () => {
    const many = Array.from({ length: 25 }, (_, n) => ({ url: `https://feeds.example/${n}` }))
    const feeds = many.flatMap((each) => [each, { url: `${each.url}/` }])
    expect(await found(...feeds)).toMatchObject(many.slice(0, 20))
  })
})

describe('a description is plain text', () => {
  const describedAs = async (description: unknown) => (await found({ url: HARBOUR, description }))[0]?.description

  test.each([
    'Boats, and who sails them.',
    'Two\nlines',
    'AT&T, R&D and 1 < 2 > 0 <3',
    '<p>Boats &amp; <b>birds</b></p>\n<p>every&nbsp;Thursday</p>',
    'One<br>two<br/>three<br />four',
    '<UL><LI CLASS="a">Gulls</LI><LI>Terns</LI></UL>',
    '<h1>Harbour</h1><div>Talk<span> of</span> the town</div>',
    '<a href="https://tidewater.example/?a=1&amp;b=2" target=_blank>Tidewater</a>',
    'It&rsquo;s &eacute;t&eacute; &#8211; &#x2013; &hellip; &copy;&nosuch;',
    '&lt;p&gt;markup that is meant as text&lt;/p&gt;',
    '<p>Before</p><script>alert(1)</script><style>p { color: red }</style><p>After</p>',
    'Before<!-- not for <b>readers</b> -->After',
    '<img src=x onerror=alert(1)>Picture',
    '<p></p><p> </p>',
  ])('as of podcasts of this server: %j', async (html) => {
    expect(await describedAs(html)).toBe(htmlToText(sanitise(html)))
  })

  test.each([
    ['<script>alert(1)', ''],
    ['a <!-- b', 'a'],
    ['a <b', 'a <b'],
    ['<<b>script>x', '<script>x'],
    [`${'<a'.repeat(9)}`, '<a'.repeat(9)],
    ['a\u0000b\u001b[31mc', 'ab[31mc'],
    ['&#0;&#55296;&#1114112;', '\ufffd\ufffd\ufffd'],
  ])('where there is something wrong with it: %j is %j', async (html, expected) => {
    expect(await describedAs(html)).toBe(expected)
  })

  test.each([[null], [7], [['x']]])('or empty: %j', async (description) => {
    expect(await describedAs(description)).toBe('')
  })

  test('and not without end', async () => {
    const text = (await describedAs(`<p>${'harbour '.repeat(100_000)}</p>`)) ?? ''
    expect(text.length).toBeGreaterThan(10_000)
    expect(text.length).toBeLessThan(20_000)
  })
})

describe('an answer that says of itself that it is none', () => {
  test.each([
    ['false as text', { status: 'false', feeds: [{ url: HARBOUR }] }],
    ['false', { status: false, feeds: [] }],
    ['no list', { status: 'true' }],
    ['null for a list', { status: 'true', feeds: null }],
  ])('is a failure: %s', async (_case, answer) => {
    expect(await reasonOf(directoryWith(answer).search('x', 20))).toMatchObject({ trouble: 'answer' })
    expect(await reasonOf(directoryWith(answer).trending(undefined, 20))).toMatchObject({ trouble: 'answer' })
  })

  test('tells why, in a line', async () => {
    const answer = { status: 'false', description: ` Low\ntide \u001b[31m${'x'.repeat(1000)}` }
    const { message } = Object(await reasonOf(directoryWith(answer).search('x', 20)))
    expect(message).toMatch(/^the directory refuses: Low tide \[31mx{50,300}$/)
  })

  test.each([KEY, SECRET])('but no secret of ours: %s', async (secret) => {
    const answer = { status: 'false', description: `no such key: ${secret}` }
    const { message } = Object(await reasonOf(directoryWith(answer).search('x', 20)))
    expect(message).toBe('the directory refuses')
  })
})
