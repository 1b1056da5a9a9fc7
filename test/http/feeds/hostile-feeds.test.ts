import { expect, test } from 'bun:test'
import { readOpml } from '../../../src/formats/opml.ts'
import { createXmlScan } from '../../../src/formats/xml-scan.ts'
import { failed, feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'

const HOSTILE = `"><script>alert('&amp;')</script>]]>\u2028\u202e\ud800 --!> <!-- \x1b`

/** Feed A says what is wanted of itself, feed B cannot be had. */
async function openWith(fields: Parameters<typeof feedDocument>[0]) {
  const scene = await openFeedScene([A, B])
  scene.script.answer = async ({ url }) => (url === A ? feedOf('', { document: feedDocument(fields) }) : failed())
  await scene.runJob()
  return scene
}

/** The elements of a document; throws unless it is well-formed. */
function elements(text: string): { name: string; attributes: Record<string, string> }[] {
  const found: { name: string; attributes: Record<string, string> }[] = []
  const scan = createXmlScan((name, attributes) => {
    found.push({ name, attributes: Object.fromEntries(attributes) })
  })
  scan.read(text)
  scan.end()
  return found
}

const words = { title: HOSTILE, author: HOSTILE, description: HOSTILE }
const texts = { ...words, website: HOSTILE, logoUrl: HOSTILE, language: HOSTILE }

test('a hostile feed is text in JSON', async () => {
  const { ida } = await openWith(texts)
  const { json, headers } = await ida.get('/subscriptions/ida.json')
  expect(json).toMatchObject([{ title: HOSTILE.toWellFormed(), author: HOSTILE.toWellFormed() }, { title: B }])
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

test('a hostile feed cannot leave the function of JSONP', async () => {
  const { ida } = await openWith(texts)
  const { text } = await ida.get('/toplist.jsonp?jsonp=show')
  expect(text).toStartWith('show([{')
  expect(text).not.toContain('\u2028')
  let shown: unknown
  new Function('show', text)((value: unknown) => {
    shown = value
  })
  expect(shown).toMatchObject([{ url: A }, { url: B, title: B }])
})

test.each(['/subscriptions/ida', '/subscriptions/ida/phone'])(
  'a hostile feed is text as OPML and XML: %s',
  async (path) => {
    const { ida } = await openWith(texts)
    const opml = (await ida.get(`${path}.opml`)).text
    expect([...readOpml(opml)].flat().map(({ url }) => url)).toEqual([A, B])
    const [, first] = elements(opml).filter(({ name }) => name === 'outline' || name === 'body')
    expect(first?.attributes['title']).toStartWith(`"><script>alert('&amp;')</script>]]>\u2028\u202e`)
    const names = [...elements(opml), ...elements((await ida.get(`${path}.xml`)).text)].map(({ name }) => name)
    expect(names.filter((name) => name === 'podcast')).toHaveLength(2)
    expect(names).not.toContain('script')
  },
)
