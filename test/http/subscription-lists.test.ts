import { describe, expect, test } from 'bun:test'
import { startTestApp, type TestAppOptions } from '../support/app.ts'
import { signUp } from '../support/client.ts'
import { expectRefusal } from './refusal.ts'

const A = 'https://feeds.example/a?x=1&y=2'
const B = 'https://feeds.example/b'
const C = 'https://feeds.example/c'

const FORMATS = ['json', 'jsonp', 'txt', 'opml', 'xml'] as const
const QUERY = '?jsonp=show'

const CONTENT_TYPES = {
  json: /^application\/json(; ?charset=utf-8)?$/i,
  jsonp: /^application\/javascript; charset=utf-8$/i,
  txt: /^text\/plain; charset=utf-8$/i,
  opml: /^text\/xml; charset=utf-8$/i,
  xml: /^application\/xml; charset=utf-8$/i,
}

async function open(options: TestAppOptions = {}) {
  const app = startTestApp(options)
  return { app, ida: await signUp(app) }
}

/** Ida with feed A on her phone, and B and, later, C on her desk. */
async function openWithLists() {
  const { app, ida } = await open()
  await ida.put('/subscriptions/ida/phone.txt', A)
  app.clock.advance(10)
  await ida.put('/subscriptions/ida/desk.txt', B)
  app.clock.advance(10)
  await ida.put('/subscriptions/ida/desk.txt', `${C}\n${B}`)
  return { app, ida }
}

/** Every text of `pattern`'s first group. */
function matches(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found)
}

describe('the list of a device', () => {
  test('as JSON is an array of strings, in the order of adding, then by URL', async () => {
    const { app, ida } = await openWithLists()
    app.clock.advance(10)
    await ida.post('/api/2/subscriptions/ida/desk.json', { add: ['https://z.example/', 'https://a.example/', B] })
    expect((await ida.get('/subscriptions/ida/desk.json')).json).toEqual([
      B,
      C,
      'https://a.example/',
      'https://z.example/',
    ])
  })

  test('puts at the end what was removed and added again', async () => {
    const { app, ida } = await openWithLists()
    await ida.post('/api/2/subscriptions/ida/desk.json', { remove: [B] })
    app.clock.advance(10)
    await ida.post('/api/2/subscriptions/ida/desk.json', { add: [B] })
    expect((await ida.get('/subscriptions/ida/desk.json')).json).toEqual([C, B])
  })

  test('without a suffix is JSON (D40)', async () => {
    const { ida } = await openWithLists()
    const { json, headers } = await ida.get('/subscriptions/ida/desk')
    expect(json).toEqual([B, C])
    expect(headers.get('content-type')).toMatch(CONTENT_TYPES.json)
  })

  test('as text ends every line with LF', async () => {
    const { ida } = await openWithLists()
    expect((await ida.get('/subscriptions/ida/desk.txt')).text).toBe(`${B}\n${C}\n`)
  })

  test.each([
    ['json', '[]'],
    ['jsonp', 'show([])'],
    ['txt', ''],
  ])('that is empty is %s %j', async (format, text) => {
    const { ida } = await open()
    await ida.put('/subscriptions/ida/desk.txt', '')
    expect(await ida.get(`/subscriptions/ida/desk.${format}${QUERY}`)).toMatchObject({ status: 200, text })
  })

  test.each(FORMATS)('that does not exist is not found, as %s (D38)', async (format) => {
    const { ida } = await openWithLists()
    expectRefusal(await ida.get(`/subscriptions/ida/nobody.${format}${QUERY}`), 404, 'unknown_device')
  })

  test('of a device whose ID has dots is found on every path (D2)', async () => {
    const { ida } = await open()
    expect(await ida.put('/subscriptions/ida/my.phone.txt', A)).toMatchObject({ status: 200 })
    expect((await ida.get('/subscriptions/ida/my.phone.json')).json).toEqual([A])
    expect((await ida.get('/api/2/subscriptions/ida/my.phone.json')).json).toMatchObject({ add: [A] })
    expect((await ida.get('/api/2/devices/ida.json')).json).toMatchObject([{ id: 'my.phone' }])
  })
})

describe('the list of a user', () => {
  test('as JSON is an array of podcast objects with all keys and no nulls (D20, D39)', async () => {
    const { ida } = await open()
    await ida.put('/subscriptions/ida/phone.txt', A)
    expect((await ida.get('/subscriptions/ida.json')).json).toEqual([
      {
        url: A,
        title: A,
        author: '',
        description: '',
        website: '',
        logo_url: '',
        scaled_logo_url: '',
        language: '',
        subscribers: 1,
        subscribers_last_week: 1,
        mygpo_link: `http://localhost/podcast?url=${encodeURIComponent(A)}`,
      },
    ])
  })

  test('has what any device has, each feed once, in the order of the first adding', async () => {
    const { app, ida } = await openWithLists()
    app.clock.advance(10)
    await ida.put('/subscriptions/ida/phone.txt', `${C}\n${A}`)
    expect((await ida.get('/subscriptions/ida.txt')).text).toBe(`${A}\n${B}\n${C}\n`)
  })

  test.each([
    ['json', '[]'],
    ['txt', ''],
  ])('of nobody with a device is %s %j', async (format, text) => {
    const { ida } = await open()
    expect(await ida.get(`/subscriptions/ida.${format}`)).toMatchObject({ status: 200, text })
  })
})

describe('OPML and XML', () => {
  test('OPML names the user in its head: Kodi needs the title', async () => {
    const { ida } = await openWithLists()
    for (const path of ['/subscriptions/ida.opml', '/subscriptions/ida/desk.opml']) {
      const { text } = await ida.get(path)
      expect(text).toMatch(
        /^<\?xml version="1\.0"[^>]*>\s*<opml version="2\.0">\s*<head>\s*<title>Subscriptions of ida</,
      )
      expect(text).toContain('<dateCreated>Sun, 02 Mar 2025 10:00:20 +0000</dateCreated>')
    }
  })

  test('an outline has all six attributes, escaped', async () => {
    const { ida } = await openWithLists()
    const url = 'https://feeds.example/a?x=1&amp;y=2'
    const { text } = await ida.get('/subscriptions/ida/phone.opml')
    expect(matches(text, /<outline ([^>]*)\/>/g).map((list) => list.trim())).toEqual([
      `type="rss" xmlUrl="${url}" title="${url}" text="${url}" description="" htmlUrl=""`,
    ])
  })

  test('OPML can be sent back as it came', async () => {
    const { ida } = await openWithLists()
    const { text } = await ida.get('/subscriptions/ida.opml')
    await ida.put('/subscriptions/ida/copy.opml', text)
    expect((await ida.get('/subscriptions/ida/copy.json')).json).toEqual([A, B, C])
  })

  test('an XML podcast has its nine elements, escaped', async () => {
    const { ida } = await openWithLists()
    const { text } = await ida.get('/subscriptions/ida/phone.xml')
    expect(text).toMatch(/^<\?xml [^>]*>\s*<podcasts>\s*<podcast>[\s\S]*<\/podcast>\s*<\/podcasts>\s*$/)
    expect(matches(text, /<(\w+)>[^<]*<\/\1>/g)).toEqual([
      'title',
      'url',
      'website',
      'mygpo_link',
      'author',
      'description',
      'subscribers',
      'logo_url',
      'scaled_logo_url',
    ])
    expect(text).toContain('<url>https://feeds.example/a?x=1&amp;y=2</url>')
  })
})
