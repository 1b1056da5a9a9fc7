import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { clientOf, signIn, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'
import { BLOCKED, MARKED, openPrivateFeeds, PUBLIC, SECRET, TRACE } from './private-feeds-scene.ts'
import { openDirectory, urlOf, valuesOf } from './scene.ts'

/** What all lists have in common is in lists.test.ts. */

const LISTS = '/api/2/lists/ida.json'
const CREATE = '/api/2/lists/ida/create'
const SEA = '/api/2/lists/ida/list/sea-stuff'
const [A, B, C] = ['a', 'b', 'c'].map(urlOf)

async function open() {
  const app = startTestApp()
  const ida = await signUp(app)
  const anyone = clientOf(app)
  const create = (title: string, body: unknown = [A], format = 'json') =>
    ida.post(`${CREATE}.${format}?title=${encodeURIComponent(title)}`, body)
  return { app, ida, anyone, create, urls: async (path = SEA) => (await anyone.get(`${path}.txt`)).text }
}

test('a list is made, read by everybody, replaced in its order, and removed', async () => {
  const { ida, anyone, create, urls } = await open()
  expect((await anyone.get(LISTS)).json).toEqual([])
  const created = await create('Sea stuff', [B, A])
  expect([created.status, created.text, created.headers.get('location')]).toEqual([201, '', `${SEA}.json`])
  await create('Stars', [C])
  expect((await anyone.get(LISTS)).json).toEqual([
    { title: 'Sea stuff', name: 'sea-stuff', web: 'http://localhost/user/ida/lists/sea-stuff' },
    { title: 'Stars', name: 'stars', web: 'http://localhost/user/ida/lists/stars' },
  ])
  expect(await urls()).toBe(`${B}\n${A}\n`)
  expect(await ida.put(`${SEA}.txt`, `${C}\n${A}\n${B}`)).toMatchObject({ status: 204, text: '' })
  expect(await urls()).toBe(`${C}\n${A}\n${B}\n`)
  expect(await ida.put(`${SEA}.json`, [])).toMatchObject({ status: 204 })
  expect(await anyone.get(`${SEA}.json`)).toMatchObject({ status: 200, json: [] })
  expect(await ida.delete(`${SEA}.json`)).toMatchObject({ status: 204, text: '' })
  expectError(await anyone.get(`${SEA}.json`), 404, 'not_found')
  expect(valuesOf(await anyone.get(LISTS), 'name')).toEqual(['stars'])
})

test.each<[string, unknown]>([
  ['json', [` ${A} `, '', 'mailto:x@y.example', A, { url: B }, { feed: C }]],
  ['txt', `# mine\r\n${A}\r\n\r\n${A}\n${B}\nword\n${C}`],
  [
    'opml',
    `<opml><outline text="x"><outline xmlUrl="${A}"/><outline url="${B}"/></outline><outline xmlUrl="${C}"/></opml>`,
  ],
])('a list may come as %s; what is no feed, or there already, is skipped', async (format, body) => {
  const { ida, create, urls } = await open()
  expect((await create('Sea stuff', body, format)).headers.get('location')).toBe(`${SEA}.${format}`)
  expect(await urls()).toBe(`${A}\n${B}\n${C}\n`)
  await ida.put(`${SEA}.txt`, '')
  expect((await ida.put(`${SEA}.${format.toUpperCase()}`, body)).status).toBe(204)
  expect(await urls()).toBe(`${A}\n${B}\n${C}\n`)
})

test.each([
  ['Sea & Coast', 'sea-coast'],
  ['  Ölige Küste!  ', 'olige-kuste'],
  ['../../etc/passwd', 'etc-passwd'],
  ['海の話', '海の話'],
  ['a?b#c%2Fd', 'a-b-c-2fd'],
  ['<script>"x"</script>', 'script-x-script'],
  ['x'.repeat(300), 'x'.repeat(64)],
])('the title %j makes the name %j, under which the list is found', async (title, name) => {
  const { anyone, create } = await open()
  const location = (await create(title)).headers.get('location') ?? ''
  expect(location).toBe(`/api/2/lists/ida/list/${encodeURIComponent(name)}.json`)
  expect(valuesOf(await anyone.get(location), 'url')).toEqual([A])
  expect(valuesOf(await anyone.get(LISTS), 'title')).toEqual([title.trim()])
  const { text } = await anyone.get(location.replace(/json$/, 'opml'))
  expect(text).toContain(`<title>${Bun.escapeHTML(title.trim()).replaceAll('&#x27;', "'")}</title>`)
  // However it is written.
  expect((await anyone.get(location.replace('/ida/', '/%20IDA%20/'))).status).toBe(200)
})

test.each([
  ['no title', '', 'json', [A], 400, 'validation_failed', 'title'],
  ['a title without letters', '?title=%21%3F', 'json', [A], 400, 'validation_failed', 'title'],
  ['a title that is too long', `?title=${'x'.repeat(301)}`, 'json', [A], 400, 'validation_failed', 'title'],
  ['a title that is there already', '?title=SEA%20stuff!', 'json', [A], 409, 'list_exists', 'title'],
  ['a format that is only written', '?title=x', 'xml', '<podcasts/>', 400, 'invalid_format', undefined],
  ['another format', '?title=x', 'rss', A, 400, 'invalid_format', undefined],
  ['no list', '?title=x', 'json', { url: A }, 400, 'validation_failed', 'body'],
  ['items that are no feeds', '?title=x', 'json', [1], 400, 'validation_failed', 'body'],
  ['no body', '?title=x', 'json', '', 400, 'invalid_json', undefined],
  ['OPML that is none', '?title=x', 'opml', '<html/>', 400, 'validation_failed', 'body'],
] as const)(
  'a list with %s is refused, and nothing is changed',
  async (_what, query, format, body, status, code, field) => {
    const { app, ida, create } = await open()
    await create('Sea stuff')
    const before = await stored(app)
    expectError(await ida.post(`${CREATE}.${format}${query}`, body), status, code, field)
    // Nor by a replacement, which has no title.
    if (query === '?title=x') expectError(await ida.put(`${SEA}.${format}`, body), status, code, field)
    expect(await stored(app)).toBe(before)
  },
)

test('lists that do not exist are neither read nor made by a replacement', async () => {
  const { app, ida, anyone, create } = await open()
  await create('Sea stuff')
  const ole = await signUp(app, 'ole')
  const before = await stored(app)
  expectError(await ida.put('/api/2/lists/ida/list/other.json', [A]), 404, 'not_found')
  expectError(await ida.delete('/api/2/lists/ida/list/other.json'), 404, 'not_found')
  for (const path of ['/api/2/lists/ida/list/other.json', '/api/2/lists/ole/list/sea-stuff.json'])
    expectError(await anyone.get(path), 404, 'not_found')
  expectError(await anyone.get('/api/2/lists/nobody/list/sea-stuff.json'), 404, 'not_found')
  expect(await anyone.get('/api/2/lists/nobody.json')).toMatchObject({ status: 200, json: [] })
  expectError(await ole.delete(`${SEA}.json`), 403, 'forbidden')
  expectError(await ole.delete('/api/2/lists/ole/list/sea-stuff.json'), 404, 'not_found')
  expect(await stored(app)).toBe(before)
})

test('lists of an account that is not active are nobody’s, and those of one that is removed are gone', async () => {
  const { app, ida, anyone } = await open()
  const ole = await signUp(app, 'ole')
  await ole.post('/api/2/lists/ole/create.json?title=Winds', [A])
  const lists = () => anyone.get('/api/2/lists/ole.json')
  const list = () => anyone.get('/api/2/lists/ole/list/winds.json')
  expect(valuesOf(await lists(), 'name')).toEqual(['winds'])
  expect((await list()).status).toBe(200)
  await ida.post('/api/admin/users/ole/deactivate')
  expect(await lists()).toMatchObject({ status: 200, json: [] })
  expectError(await list(), 404, 'not_found')
  await ida.post('/api/admin/users/ole/activate')
  expect((await list()).status).toBe(200)
  await ida.delete('/api/admin/users/ole')
  expect(await lists()).toMatchObject({ status: 200, json: [] })
})

test('a list shows private feeds to their subscribers alone, and to its owner as bare addresses (D56, D57)', async () => {
  const { app, ida, bob, anyone, impostor, mark } = await openPrivateFeeds()
  const [token, , , , , , , , , , random] = SECRET
  const unknown = 'https://elsewhere.example/feed?token=1'
  const open = 'https://elsewhere.example/open'
  const feeds = [token, PUBLIC, random, BLOCKED[0] ?? '', MARKED[0] ?? '', unknown, open]
  await ida.post(`${CREATE}.json?title=Mine`, feeds)
  await bob.post('/api/2/lists/bob/create.json?title=Mine', feeds)
  for (const owner of ['ida', 'bob'])
    for (const client of [anyone, impostor, owner === 'ida' ? bob : anyone])
      for (const format of ['json', 'jsonp', 'txt', 'opml', 'xml']) {
        const { status, text } = await client.get(`/api/2/lists/${owner}/list/mine.${format}?jsonp=show`)
        expect([status, text.includes(PUBLIC), text.includes(open)]).toEqual([200, true, true])
        expect(text).not.toMatch(TRACE)
        expect(text).not.toContain('token')
      }
  // Ida has them all, and Bob knows the addresses that he has put there himself.
  for (const owner of ['ida', 'bob']) {
    const { json, headers } = await ida.get(`/api/2/lists/${owner}/list/mine.json`)
    const shown = feeds.filter((url) => owner === 'ida' || url !== unknown)
    expect([json].flat().map((item) => Object(item).url)).toEqual(shown)
    expect(headers.get('cache-control')).toBe('no-store')
    expect([json].flat()[0]).toMatchObject({ title: 'Quillwort 0', subscribers: 1 })
  }
  const { json } = await bob.get('/api/2/lists/bob/list/mine.json')
  expect([json].flat().map((item) => Object(item).url)).toEqual(feeds)
  expect([json].flat().slice(0, 2)).toMatchObject([
    { title: token, description: '', subscribers: 0 },
    { title: 'Harbour Talk' },
  ])
  // A page of another site cannot load more than anybody by a browser's cookie.
  const browser = await signIn(app, 'ida', 'seaglass')
  expect((await browser.get('/api/2/lists/ida/list/mine.jsonp?jsonp=show')).text).not.toMatch(TRACE)
  for (const url of [token, BLOCKED[0] ?? '']) await mark(ida, 'ida', url, true)
  await app.indexed()
  expect(valuesOf(await anyone.get('/api/2/lists/bob/list/mine.json'), 'url')).toEqual([
    token,
    PUBLIC,
    BLOCKED[0],
    open,
  ])
})

test('a podcast that nobody has decided about yet is not shown by a list before it is', async () => {
  const { app, ida, bob, anyone, mark } = await openPrivateFeeds([PUBLIC])
  await bob.post('/api/2/lists/bob/create.json?title=Mine', [PUBLIC])
  const shown = async () =>
    JSON.parse(
      await (
        await app.fetchAtOnce(
          new Request(`http://localhost${'/api/2/lists/bob/list/mine.json'}`, { headers: { host: 'localhost' } }),
        )
      ).text(),
    ).length
  expect(await shown()).toBe(1)
  await mark(ida, 'ida', PUBLIC, false)
  expect(await shown()).toBe(0)
  expect((await anyone.get('/api/2/lists/bob/list/mine.json')).json).toEqual([])
})

test('lists show what is known of their podcasts, and provisional titles to nobody else', async () => {
  const { as, anyone } = await openDirectory({
    people: { ida: ['a'] },
    feeds: { a: { title: 'Harbour', author: 'Tide' } },
  })
  const ida = as('ida')
  await ida.post('/api/2/subscriptions/ida/phone.json', {
    add: ['https://x.example/f'],
    titles: { 'https://x.example/f': 'Xylo' },
  })
  await ida.post(`${CREATE}.json?title=Sea%20stuff`, ['https://x.example/f', A])
  expect((await anyone.get(`${SEA}.json`)).json).toMatchObject([
    { title: 'https://x.example/f', subscribers: 1 },
    { title: 'Harbour', author: 'Tide', subscribers: 1 },
  ])
  expect(valuesOf(await ida.get(`${SEA}.json`), 'title')).toEqual(['Xylo', 'Harbour'])
})

const feeds = (count: number, name = '') => Array.from({ length: count }, (_, n) => `https://feeds.example/${name}${n}`)

test('a list may have 5,000 feeds, and a user 20,000 in all lists together', async () => {
  const { app, ida, create, urls } = await open()
  expect((await create('Sea stuff', feeds(4999))).status).toBe(201)
  expect(await urls()).toBe(
    feeds(4999)
      .map((url) => `${url}\n`)
      .join(''),
  )
  for (const name of ['Air', 'Fire', 'Earth']) expect((await create(name, feeds(5000))).status).toBe(201)
  expect((await create('One', [A])).status).toBe(201)
  const before = await stored(app)
  expectError(await create('Two', [A]), 409, 'quota_exceeded')
  expectError(await ida.put('/api/2/lists/ida/list/one.json', [A, B]), 409, 'quota_exceeded')
  expectError(await create('Two', feeds(5001)), 413, 'payload_too_large')
  expect(await stored(app)).toBe(before)
  expect((await ida.put(`${SEA}.json`, feeds(4998))).status).toBe(204)
  expect((await create('Two', [A])).status).toBe(201)
})

test('a user may have a thousand lists, whatever others have', async () => {
  const { app, create } = await open()
  const ole = await signUp(app, 'ole')
  for (let n = 0; n < 1000; n++) await create(`List ${n}`, [])
  const refused = await create('One more', [])
  expectError(refused, 409, 'quota_exceeded')
  expect(refused.text).toContain('1000 podcast lists')
  expect((await ole.post('/api/2/lists/ole/create.json?title=Winds', [A])).status).toBe(201)
})

test('below a sub-path a new list tells its whole path', async () => {
  const app = startTestApp({ settings: { base_url: 'https://home.example/podcasts' } })
  const ida = await signUp(app)
  const { headers } = await ida.post(`/podcasts${CREATE}.json?title=Sea%20stuff`, [A])
  expect(headers.get('location')).toBe(`/podcasts${SEA}.json`)
  expect((await clientOf(app).get(`/podcasts${LISTS}`)).json).toMatchObject([
    { web: 'https://home.example/podcasts/user/ida/lists/sea-stuff' },
  ])
})
