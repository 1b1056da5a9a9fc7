import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { readOpml } from '../../../src/formats/opml.ts'
import { scanXml } from '../../../src/formats/xml-scan.ts'
import { failed, feedOf, openFeedScene } from '../../domain/feed-scene.ts'
import { feedDocument } from '../../store/contract/fixtures.ts'

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'

const HOSTILE = `"><script>alert('&amp;')</script>]]>\u2028\u202e\ud800 --!> <!-- \0\x1b`

/** Feed A says what is wanted of itself, feed B cannot be had. */
async function openWith(fields: Parameters<typeof feedDocument>[0]) {
  const scene = await openFeedScene([A, B])
  scene.script.answer = async ({ url }) => (url === A ? feedOf('', { document: feedDocument(fields) }) : failed())
  await scene.runJob()
  return scene
}

/** The attributes of each outline of an OPML document; throws unless it is well-formed. */
function outlines(text: string): Record<string, string>[] {
  const found: Record<string, string>[] = []
  Array.from(
    scanXml(text, (name, attributes) => {
      if (name === 'outline') found.push(Object.fromEntries(attributes))
    }),
  )
  return found
}

describe('a hostile feed', () => {
  const texts = {
    title: HOSTILE,
    author: HOSTILE,
    description: HOSTILE,
    website: HOSTILE,
    logoUrl: HOSTILE,
    language: HOSTILE,
  }

  test('is text in JSON', async () => {
    const { ida } = await openWith(texts)
    const { json, headers } = await ida.get('/subscriptions/ida.json')
    expect(json).toMatchObject([{ title: HOSTILE.toWellFormed(), author: HOSTILE.toWellFormed() }, { title: B }])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('cannot leave the function of JSONP', async () => {
    const { ida } = await openWith(texts)
    const { text } = await ida.get('/subscriptions/ida.jsonp?jsonp=show')
    expect(text).toStartWith('show([{')
    expect(text).not.toContain('\u2028')
    let shown: unknown
    new Function('show', text)((value: unknown) => {
      shown = value
    })
    expect(shown).toMatchObject([{ url: A }, { url: B, title: B }])
  })

  test.each(['/subscriptions/ida.opml', '/subscriptions/ida/phone.opml'])('is text in %s', async (path) => {
    const { ida } = await openWith(texts)
    const { text } = await ida.get(path)
    expect(text).not.toContain('<script')
    expect([...readOpml(text)].flat().map(({ url }) => url)).toEqual([A, B])
    expect(outlines(text)[0]?.['title']).toStartWith(`"><script>alert('&amp;')</script>]]>\u2028\u202e`)
  })

  test.each(['/subscriptions/ida.xml', '/subscriptions/ida/phone.xml'])('is text in %s', async (path) => {
    const { ida } = await openWith(texts)
    const { text } = await ida.get(path)
    const names: string[] = []
    Array.from(scanXml(text, (name) => names.push(name)))
    expect(names.filter((name) => name === 'podcast')).toHaveLength(2)
    expect(names).not.toContain('script')
  })

  test('of any kind leaves every list well-formed', async () => {
    const { app, ida, feeds, script } = await openFeedScene([A])
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 30 }), async (title) => {
        script.answer = async () => feedOf(title)
        await feeds.refresh(A)
        for (const format of ['opml', 'xml']) {
          const { text } = await ida.get(`/subscriptions/ida.${format}`)
          Array.from(scanXml(text, () => undefined))
        }
        expect((await ida.get('/subscriptions/ida.json')).json).toMatchObject([{ url: A, title: title || A }])
      }),
      { numRuns: 50 },
    )
    await app.idle()
  })
})
