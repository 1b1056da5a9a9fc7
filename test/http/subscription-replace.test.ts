import { describe, expect, test } from 'bun:test'
import { startTestApp } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { OLD_LISTS } from '../support/old-lists.ts'
import { expectRefusal } from './refusal.ts'
import { timestampOf } from './timestamp.ts'

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'
const OLD = 'https://feeds.example/old'
const LIST = '/subscriptions/ida/phone'
const DELTA = '/api/2/subscriptions/ida/phone.json'

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  const held = async (device = 'phone') => (await ida.get(`/subscriptions/ida/${device}.json`)).json
  return { app, ida, held }
}

const opml = (outlines: string) => `<?xml version="1.0"?><opml version="2.0"><head/><body>${outlines}</body></opml>`

/** Name, suffix, body, and what the list then is. */
const BODIES: readonly (readonly [string, string, unknown, readonly string[]])[] = [
  ['lines', 'txt', `${A}\n${B}\n`, [A, B]],
  ['a last line without an end', 'txt', `${A}\n${B}`, [A, B]],
  ['CRLF, blanks, comments and a byte order mark', 'txt', `\ufeff\r\n  ${A}  \r\n\r\n# ${OLD}\r\n${B}\r\n`, [A, B]],
  ['nothing', 'txt', '', []],
  ['only white space', 'txt', ' \n\t\n', []],
  ['strings', 'json', [A, B], [A, B]],
  ['objects with url', 'json', [{ url: A, title: 'x' }, { url: B }], [A, B]],
  ['objects with feed', 'json', [{ feed: A }, B], [A, B]],
  ['brackets inside URLs', 'json', ['https://feeds.example/x?y=[1]', B], [B, 'https://feeds.example/x?y=[1]']],
  ['nothing', 'json', [], []],
  ['an outline with xmlUrl', 'opml', opml(`<outline type="rss" text="A" xmlUrl="${A}"/>`), [A]],
  ['no type', 'opml', opml(`<outline xmlUrl="${A}"/>`), [A]],
  ['url instead of xmlUrl', 'opml', opml(`<outline type="link" url="${A}"/>`), [A]],
  ['attribute names in other cases', 'opml', opml(`<outline xmlurl="${A}"/><outline XMLURL="${B}"/>`), [A, B]],
  ['folders', 'opml', opml(`<outline text="f"><outline><outline xmlUrl="${A}"/></outline></outline>`), [A]],
  ['no XML declaration', 'opml', `<opml><body><outline xmlUrl="${A}"/></body></opml>`, [A]],
  ['escapes', 'opml', opml(`<outline xmlUrl="${A}?x=1&amp;y=&#50;"/>`), [`${A}?x=1&y=2`]],
  ['an apostrophe around values', 'opml', opml(`<outline xmlUrl='${A}'/>`), [A]],
  ['no outlines', 'opml', opml(''), []],
  ['blank, rejected and repeated URLs', 'json', ['', ' ', A, 'ftp://x.example/', 'word', ` ${A} `, B], [A, B]],
  [
    'other spellings of what there is',
    'txt',
    'feed://feeds.example/old\nHTTPS://FEEDS.EXAMPLE/old',
    ['http://feeds.example/old', OLD],
  ],
]

describe.each(['PUT', 'POST'])('%s makes the list exactly what is sent', (method) => {
  test.each(BODIES)('%s, as %s', async (_, suffix, body, expected) => {
    const { ida, held } = await open()
    await ida.put(`${LIST}.json`, [OLD])
    const answer = await ida.call(method, `${LIST}.${suffix}`, { body })
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(new Set([await held()].flat())).toEqual(new Set(expected))
  })
})

test.each(OLD_LISTS)('OPML of an old program is read: %s', async (_, body) => {
  const { ida, held } = await open()
  expect(await ida.put(`${LIST}.OPML`, body)).toMatchObject({ status: 200, text: '' })
  expect(await held()).toEqual(['https://feeds.example/old?x=1&y=2'])
})

describe('what a replaced list does', () => {
  test('an unknown device is made, even by an empty list', async () => {
    const { ida, held } = await open()
    await ida.put(`${LIST}.txt`, '')
    expect(await held()).toEqual([])
    expect(await ida.get('/api/2/devices/ida.json')).toMatchObject({
      json: [{ id: 'phone', caption: 'phone', type: 'other' }],
    })
  })

  test('the next delta has what came and what went, not what stayed', async () => {
    const { ida } = await open()
    await ida.put(`${LIST}.json`, [OLD, B])
    const since = timestampOf(await ida.get(DELTA))
    await ida.put(`${LIST}.json`, [A, B])
    expect(await ida.get(`${DELTA}?since=${since}`)).toMatchObject({ json: { add: [A], remove: [OLD] } })
  })

  test('the same list again changes nothing, so no cursor moves', async () => {
    const { app, ida } = await open()
    await ida.put(`${LIST}.json`, [A, B])
    const since = timestampOf(await ida.get(DELTA))
    app.clock.advance(60)
    await ida.put(`${LIST}.json`, [B, A])
    expect((await ida.get(`${DELTA}?since=${since}`)).json).toEqual({ add: [], remove: [], timestamp: since })
  })
})

describe('a list that cannot be read changes nothing', () => {
  test.each([
    ['xml is no format for upload (D11)', 'xml', '<podcasts/>', 'invalid_format'],
    ['jsonp is no format for upload (D11)', 'jsonp', `f(["${A}"])`, 'invalid_format'],
    ['jsonp, though a JSON list is inside', 'jsonp', `["${A}"]`, 'invalid_format'],
    ['an unknown format', 'rss', A, 'invalid_format'],
    ['broken JSON', 'json', `["${A}"`, 'invalid_json'],
    ['no JSON', 'json', '', 'invalid_json'],
    ['JSON that is no array', 'json', `{"url":"${A}"}`, 'validation_failed'],
    ['a number in the array', 'json', `["${A}",7]`, 'validation_failed'],
    ['null in the array', 'json', `["${A}",null]`, 'validation_failed'],
    ['an object without a URL', 'json', `[{"title":"${A}"}]`, 'validation_failed'],
    ['a URL that is no text', 'json', '[{"url":7}]', 'validation_failed'],
    ['OPML that is cut off', 'opml', `<opml><body><outline xmlUrl="${A}"/>`, 'validation_failed'],
    ['OPML with overlapping tags', 'opml', '<opml><body></opml></body>', 'validation_failed'],
    ['another XML document', 'opml', `<rss><outline xmlUrl="${A}"/></rss>`, 'validation_failed'],
    ['no OPML at all', 'opml', A, 'validation_failed'],
    ['an empty OPML body', 'opml', '', 'validation_failed'],
  ])('%s', async (_, suffix, body, word) => {
    const { ida, held } = await open()
    await ida.put(`${LIST}.json`, [OLD])
    for (const method of ['PUT', 'POST']) {
      const answer = await ida.call(method, `${LIST}.${suffix}`, { body })
      expectRefusal(answer, 400, word, word === 'validation_failed' ? 'body' : undefined)
      expect((await ida.call(method, `/subscriptions/ida/new.${suffix}`, { body })).status).toBe(400)
    }
    expect(await held()).toEqual([OLD])
    expect(await ida.get('/subscriptions/ida/new.json')).toMatchObject({ status: 404 })
  })
})

describe('round trips', () => {
  const urls = [A, B, 'https://feeds.example/%C3%B8?a=1&b=%22x%22#frag', "http://feeds.example:8080/x:y+z'(1)?u=a%2Bb"]

  test.each(['json', 'txt', 'opml'])('what a device downloads as %s, another one uploads', async (suffix) => {
    const { ida, held } = await open()
    await ida.put(`${LIST}.json`, urls)
    const { text } = await ida.get(`${LIST}.${suffix}`)
    expect(await ida.put(`/subscriptions/ida/desk.${suffix}`, text)).toMatchObject({ status: 200, text: '' })
    expect(await held('desk')).toEqual(await held())
    expect([await held('desk')].flat()).toHaveLength(4)
  })
})
