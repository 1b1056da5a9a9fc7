import { expect, test } from 'bun:test'
import { startTestApp } from '../../support/app.ts'
import { clientOf, signIn, signUp } from '../../support/client.ts'
import { expectError } from '../error.ts'
import { stored } from '../stored.ts'
import { BLOCKED, MARKED, openPrivateFeeds, PUBLIC, SECRET, TRACE } from './private-feeds-scene.ts'
import { openDirectory, urlOf, valuesOf } from './scene.ts'

/** lists.test.ts tests what all lists have in common. */

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
  return { app, ida, anyone, create, urls: async () => (await anyone.get(`${SEA}.txt`)).text }
}

test('a list is created, readable by anyone, replaced in its order, and removed', async () => {
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

test('a list is read from JSON or OPML, without duplicates and other URLs', async () => {
  const { ida, create, urls } = await open()
  await create('Sea stuff', [` ${A} `, '', 'mailto:x@y.example', A, { url: B }, { feed: C }])
  expect(await urls()).toBe(`${A}\n${B}\n${C}\n`)
  const opml = `<opml><outline text="x"><outline xmlUrl="${C}"/></outline><outline xmlUrl="${C}"/><outline url="${B}"/></opml>`
  expect((await ida.put(`${SEA}.OPML`, opml)).status).toBe(204)
  expect(await urls()).toBe(`${C}\n${B}\n`)
})

test('the name of a list is the slug of its title', async () => {
  const { anyone, create } = await open()
  const titles = {
    'Sea & Coast': 'sea-coast',
    海の話: '海の話',
    '  <script>"x"</script> ': 'script-x-script',
    ['x'.repeat(300)]: 'x'.repeat(64),
  }
  for (const [title, name] of Object.entries(titles)) {
    const location = (await create(title)).headers.get('location') ?? ''
    expect(location).toBe(`/api/2/lists/ida/list/${encodeURIComponent(name)}.json`)
    expect(valuesOf(await anyone.get(location), 'url')).toEqual([A])
    const { text } = await anyone.get(location.replace(/json$/, 'opml'))
    expect(text).toContain(`<title>${Bun.escapeHTML(title.trim()).replaceAll('&#x27;', "'")}</title>`)
    // The user name is case-insensitive.
    expect((await anyone.get(location.replace('/ida/', '/%20IDA%20/'))).status).toBe(200)
  }
  const trimmed = Object.keys(titles).map((title) => title.trim())
  expect(new Set(valuesOf(await anyone.get(LISTS), 'title'))).toEqual(new Set(trimmed))
})

test('invalid requests are refused and change no list', async () => {
  const { app, ida, anyone, create } = await open()
  await create('Sea stuff')
  const ole = await signUp(app, 'ole')
  const before = await stored(app)
  for (const [query, format, body, status, code, field] of [
    ['', 'json', [A], 400, 'validation_failed', 'title'],
    ['?title=%21%3F', 'json', [A], 400, 'validation_failed', 'title'],
    [`?title=${'x'.repeat(301)}`, 'json', [A], 400, 'validation_failed', 'title'],
    ['?title=SEA%20stuff!', 'json', [A], 409, 'list_exists', 'title'],
    ['?title=x', 'xml', '<podcasts/>', 400, 'invalid_format', undefined],
    ['?title=x', 'rss', A, 400, 'invalid_format', undefined],
    ['?title=x', 'json', { url: A }, 400, 'validation_failed', 'body'],
    ['?title=x', 'json', [1], 400, 'validation_failed', 'body'],
    ['?title=x', 'json', '', 400, 'invalid_json', undefined],
    ['?title=x', 'opml', '<html/>', 400, 'validation_failed', 'body'],
  ] as const) {
    expectError(await ida.post(`${CREATE}.${format}${query}`, body), status, code, field)
    // Replacing a list takes no title.
    if (query === '?title=x') expectError(await ida.put(`${SEA}.${format}`, body), status, code, field)
  }
  expectError(await ida.put('/api/2/lists/ida/list/other.json', [A]), 404, 'not_found')
  expectError(await ida.delete('/api/2/lists/ida/list/other.json'), 404, 'not_found')
  for (const path of ['ida/list/other', 'ole/list/sea-stuff', 'nobody/list/sea-stuff'])
    expectError(await anyone.get(`/api/2/lists/${path}.json`), 404, 'not_found')
  expect(await anyone.get('/api/2/lists/nobody.json')).toMatchObject({ status: 200, json: [] })
  expectError(await ole.delete('/api/2/lists/ole/list/sea-stuff.json'), 404, 'not_found')
  expect(await stored(app)).toBe(before)
})

test('lists of inactive and removed accounts are not found', async () => {
  const { app, ida, anyone } = await open()
  const ole = await signUp(app, 'ole')
  await ole.post('/api/2/lists/ole/create.json?title=Winds', [A])
  const shown = async () => [
    valuesOf(await anyone.get('/api/2/lists/ole.json'), 'name'),
    (await anyone.get('/api/2/lists/ole/list/winds.json')).status,
  ]
  expect(await shown()).toEqual([['winds'], 200])
  await ida.post('/api/admin/users/ole/deactivate')
  expect(await shown()).toEqual([[], 404])
  await ida.post('/api/admin/users/ole/activate')
  expect(await shown()).toEqual([['winds'], 200])
  await ida.delete('/api/admin/users/ole')
  expect(await shown()).toEqual([[], 404])
})

test('a list shows private feeds only to their subscribers, and to its owner as bare URLs (D56, D57)', async () => {
  const { app, ida, bob, anyone, impostor, mark } = await openPrivateFeeds()
  const [token, , , , , , , , , , random] = SECRET
  const [blocked = '', marked = ''] = [BLOCKED[0], MARKED[0]]
  const unknown = 'https://elsewhere.example/feed?token=1'
  const open = 'https://elsewhere.example/open'
  const feeds = [token, PUBLIC, random, blocked, marked, unknown, open]
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
  // Ida subscribes to all of them; Bob knows the URLs that he added himself.
  for (const owner of ['ida', 'bob']) {
    const answer = await ida.get(`/api/2/lists/${owner}/list/mine.json`)
    expect(valuesOf(answer, 'url')).toEqual(feeds.filter((url) => owner === 'ida' || url !== unknown))
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect([answer.json].flat()[0]).toMatchObject({ title: 'Quillwort 0', subscribers: 1 })
  }
  const own = await bob.get('/api/2/lists/bob/list/mine.json')
  expect(valuesOf(own, 'url')).toEqual(feeds)
  expect([own.json].flat().slice(0, 2)).toMatchObject([
    { title: token, description: '', subscribers: 0 },
    { title: 'Harbour Talk' },
  ])
  // A foreign page must not read more by JSONP with the cookie of a browser.
  const browser = await signIn(app, 'ida', 'seaglass')
  expect((await browser.get('/api/2/lists/ida/list/mine.jsonp?jsonp=show')).text).not.toMatch(TRACE)
  for (const url of [token, blocked]) await mark(ida, 'ida', url, true)
  await app.indexed()
  const shown = async () => valuesOf(await anyone.get('/api/2/lists/bob/list/mine.json'), 'url')
  expect(await shown()).toEqual([token, PUBLIC, blocked, open])
  // Podcasts that are not classified yet are hidden.
  await mark(ida, 'ida', PUBLIC, false)
  const atOnce = clientOf({ fetch: app.fetchAtOnce })
  expect((await atOnce.get('/api/2/lists/bob/list/mine.json')).text).not.toContain(PUBLIC)
  expect(await shown()).toEqual([token, blocked, open])
})

test('lists have the metadata of their podcasts, and provisional titles for their user only', async () => {
  const { as, anyone } = await openDirectory({
    people: { ida: ['a'] },
    feeds: { a: { title: 'Harbour', author: 'Tide' } },
  })
  const [ida, url] = [as('ida'), 'https://x.example/f']
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [url], titles: { [url]: 'Xylo' } })
  await ida.post(`${CREATE}.json?title=Sea%20stuff`, [url, A])
  expect((await anyone.get(`${SEA}.json`)).json).toMatchObject([
    { title: url, subscribers: 1 },
    { title: 'Harbour', author: 'Tide', subscribers: 1 },
  ])
  expect(valuesOf(await ida.get(`${SEA}.json`), 'title')).toEqual(['Xylo', 'Harbour'])
})

test('a list is limited to 5,000 feeds, and a user to 20,000 feeds in 1,000 lists', async () => {
  const { app, ida, create, urls } = await open()
  const feeds = Array.from({ length: 5001 }, (_, n) => urlOf(String(n)))
  const [most, fewer] = [feeds.slice(0, 5000), feeds.slice(0, 4999)]
  expect((await create('Sea stuff', fewer)).status).toBe(201)
  expect(await urls()).toBe(`${fewer.join('\n')}\n`)
  for (const name of ['Air', 'Fire', 'Earth']) expect((await create(name, most)).status).toBe(201)
  expect((await create('One', [A])).status).toBe(201)
  const before = await stored(app)
  expectError(await create('Two', [A]), 409, 'quota_exceeded')
  expectError(await ida.put('/api/2/lists/ida/list/one.json', [A, B]), 409, 'quota_exceeded')
  expectError(await create('Two', feeds), 413, 'payload_too_large')
  expect(await stored(app)).toBe(before)
  expect((await ida.put(`${SEA}.json`, fewer.slice(1))).status).toBe(204)
  expect((await create('Two', [A])).status).toBe(201)

  for (let n = 6; n < 999; n++) await create(`List ${n}`, [])
  expect((await create('The thousandth', [])).status).toBe(201)
  const refused = await create('One more', [])
  expectError(refused, 409, 'quota_exceeded')
  expect(refused.text).toContain('1000 podcast lists')
  const ole = await signUp(app, 'ole')
  expect((await ole.post('/api/2/lists/ole/create.json?title=Winds', [A])).status).toBe(201)
})

test('the Location of a new list includes the sub-path', async () => {
  const app = startTestApp({ settings: { base_url: 'https://home.example/podcasts' } })
  const ida = await signUp(app)
  const { headers } = await ida.post(`/podcasts${CREATE}.json?title=Sea%20stuff`, [A])
  expect(headers.get('location')).toBe(`/podcasts${SEA}.json`)
  expect((await clientOf(app).get(`/podcasts${LISTS}`)).json).toMatchObject([
    { web: 'https://home.example/podcasts/user/ida/lists/sea-stuff' },
  ])
})
