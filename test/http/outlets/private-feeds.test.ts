import { describe, expect, test } from 'bun:test'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { newAppPassword } from '../../../src/domain/accounts/app-passwords.ts'
import type { FeedItem } from '../../../src/domain/outlets/private-feeds.ts'
import { writeRss } from '../../../src/formats/rss.ts'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { startTestApp } from '../../support/app.ts'
import { type Answer, basic, type Client, clientOf, cookieOf, signIn, signUp } from '../../support/client.ts'
import { type FeedDocument, parseFeed } from '../../support/feed-document.ts'
import { seededRandom } from '../../support/values.ts'
import { openDirectory, urlOf } from '../directory/scene.ts'
import { expectError } from '../error.ts'

const HOUR = 3600
const RELEASED = Date.UTC(2025, 2, 2, 9) / 1000
const ACTIONS = '/api/2/episodes/ida.json'

interface Addresses {
  readonly new: string
  readonly in_progress: string
  readonly tag: string
  readonly subscriptions: string
}

/** A feed with so many episodes, the last one being the newest. */
const hourly = (name: string, count: number, fields: Partial<FeedDocument> = {}) =>
  feedDocument({
    title: `Podcast ${name}`,
    logoUrl: `https://pictures.example/${name}.png`,
    ...fields,
    episodes: Array.from({ length: count }, (_, n) =>
      feedEpisode({
        ...{ url: `https://cdn.example/${name}${n}.mp3`, guid: `${name}${n}`, title: `${name} ${n}` },
        ...{
          released: RELEASED - HOUR * (count - 1 - n),
          website: `https://site.example/${name}/${n}`,
          duration: 1800,
        },
        ...{
          description: `<p>Notes of <b>${name}</b> &amp; more</p>`,
          size: 4096,
          mimeType: 'audio/mpeg',
          imageUrl: '',
        },
      }),
    ),
  })

/** Ida has these feeds, and the addresses of her private ones. */
async function open(feeds: Record<string, Partial<FeedDocument>>, settings: Record<string, string> = {}) {
  const scene = await openDirectory({ people: { ida: Object.keys(feeds), bob: [] }, feeds, settings })
  await scene.app.indexed()
  const browser = await signIn(scene.app, 'ida', 'seaglass')
  const { id, addresses, password } = await make(browser)
  return { ...scene, browser, id, addresses, password, anyone: clientOf(scene.app), ida: scene.as('ida') }
}

async function make(browser: Client) {
  const { status, json } = await browser.post('/api/2/me/app-passwords', { name: 'Car radio', scope: 'feeds' })
  expect(status).toBe(200)
  return json as { id: number; password: string; addresses: Addresses }
}

const pathOf = (address: string) => new URL(address).pathname

/** As the parser gives them, all of it to be looked at. */
interface Item {
  readonly title?: string
  readonly description?: string
  readonly enclosure?: Record<string, string>
  readonly guid?: Record<string, string>
  readonly pubDate?: string
  readonly source?: Record<string, string>
}

/** The items of a feed that is well-formed and has all that RSS 2.0 demands. */
function itemsIn({ status, text, headers }: Answer) {
  expect([status, headers.get('content-type')]).toEqual([200, 'application/rss+xml; charset=utf-8'])
  expect(XMLValidator.validate(text)).toBe(true)
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    htmlEntities: true,
    isArray: (name) => name === 'item',
  })
  const { rss } = parser.parse(text)
  expect(rss['@version']).toBe('2.0')
  expect(rss['@xmlns:itunes']).toBe('http://www.itunes.com/dtds/podcast-1.0.dtd')
  const { channel } = rss
  for (const name of ['title', 'link', 'description']) expect(channel[name]).toMatch(/./)
  const items: Item[] = channel.item ?? []
  for (const { title, enclosure, guid, pubDate, source } of items) {
    expect(title).toMatch(/./)
    expect(enclosure?.['@url']).toMatch(/^https?:\/\//)
    expect(enclosure?.['@length']).toMatch(/^\d+$/)
    expect(enclosure?.['@type']).toMatch(/^\w+\/[\w.+-]+$/)
    expect(guid?.['@isPermaLink']).toBe('false')
    expect(String(pubDate)).toMatch(/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d \+0000$/)
    expect(source?.['@url']).toMatch(/^https?:\/\//)
  }
  const guids = items.map(({ guid }) => guid?.['#text'])
  expect(new Set(guids).size).toBe(guids.length)
  return items
}

const titlesIn = (answer: Answer) => itemsIn(answer).map(({ title }) => String(title))

describe('new episodes', () => {
  test('of all podcasts are one feed, newest first, which any app reads', async () => {
    const { anyone, addresses } = await open({ a: hourly('a', 2), b: hourly('b', 1) })
    const answer = await anyone.get(pathOf(addresses.new))
    expect(titlesIn(answer)).toEqual(expect.arrayContaining(['Podcast a: a 1', 'Podcast b: b 0', 'Podcast a: a 0']))
    const newest: unknown = itemsIn(answer).find(({ title }) => String(title) === 'Podcast a: a 1')
    expect(newest).toEqual({
      title: 'Podcast a: a 1',
      link: 'https://site.example/a/1',
      description: '<p>Notes of <b>a</b> &amp; more</p>',
      enclosure: { '@url': 'https://cdn.example/a1.mp3', '@length': '4096', '@type': 'audio/mpeg' },
      guid: { '@isPermaLink': 'false', '#text': expect.stringMatching(/^[0-9a-f]{32}$/) },
      pubDate: 'Sun, 02 Mar 2025 09:00:00 +0000',
      'itunes:duration': '1800',
      'itunes:image': { '@href': 'https://pictures.example/a.png' },
      source: { '@url': urlOf('a'), '#text': 'Podcast a' },
    })
    expect(titlesIn(answer)[2]).toBe('Podcast a: a 0')
    // And so does the feed worker.
    const parsed = parseFeed(Buffer.from(answer.text), 'application/rss+xml', { url: addresses.new, maxEpisodes: 500 })
    expect(parsed).toMatchObject({ title: 'New episodes (ida)', isBlocked: true })
    expect(parsed.episodes[0]).toMatchObject({ duration: 1800, size: 4096, released: RELEASED })
    expect(parsed.episodes).toHaveLength(3)
  })

  test('are 200 at most', async () => {
    const { anyone, addresses } = await open({ a: hourly('a', 150), b: hourly('b', 150) })
    const items = itemsIn(await anyone.get(pathOf(addresses.new)))
    expect(items).toHaveLength(200)
  })

  test('of somebody without podcasts are an empty feed', async () => {
    const { anyone, addresses } = await open({})
    expect(itemsIn(await anyone.get(pathOf(addresses.new)))).toEqual([])
  })

  test('of a podcast that is left are gone, and those of others are never there', async () => {
    const { anyone, addresses, change, app } = await open({ a: hourly('a', 1), b: hourly('b', 1) })
    await change('bob', 'phone', { add: ['b'] })
    await change('ida', 'phone', { remove: ['b'] })
    await app.indexed()
    expect(titlesIn(await anyone.get(pathOf(addresses.new)))).toEqual(['Podcast a: a 0'])
  })

  test('are 200 also where a private feed among the podcasts has as many', async () => {
    const { anyone, addresses, change, publish } = await open(
      { a: hourly('a', 210) },
      { base_url: 'https://feeds.example' },
    )
    const own = addresses.new.replace('https://feeds.example/', '')
    await change('ida', 'phone', { add: [own] })
    await publish(own, hourly('own', 200))
    const titles = titlesIn(await anyone.get(pathOf(addresses.new)))
    expect(titles).toEqual(Array.from({ length: 200 }, (_, n) => `Podcast a: a ${209 - n}`))
  })

  test('of a tag are those of podcasts whose feeds name it', async () => {
    const { anyone, addresses } = await open({
      a: hourly('a', 1, { tags: ['Sea & Coast'] }),
      b: hourly('b', 1, { tags: ['Hills'] }),
    })
    const get = (tag: string) => anyone.get(pathOf(addresses.tag).replace('%7Btag%7D', tag))
    expect(titlesIn(await get('sea-coast'))).toEqual(['Podcast a: a 0'])
    expect(titlesIn(await get('Sea%20%26%20Coast'))).toEqual(['Podcast a: a 0'])
    expect(itemsIn(await get('nobody-has-it'))).toEqual([])
    expectError(await anyone.get(pathOf(addresses.tag).replace('%7Btag%7D.rss', 'hills.xml')), 404, 'not_found')
    expectError(await anyone.get(pathOf(addresses.tag).replace('%7Btag%7D', '%ff')), 400, 'validation_failed', 'tag')
  })

  test('tell no episode twice whose feed gives all of them one guid, and keep their guids', async () => {
    const document = hourly('a', 3)
    const episodes = document.episodes.map((episode, n) => ({ ...episode, guid: n < 2 ? 'same' : '' }))
    const { anyone, addresses, ida } = await open({ a: { ...document, episodes } })
    const guids = async () => itemsIn(await anyone.get(pathOf(addresses.new))).map(({ guid }) => guid?.['#text'])
    const before = await guids()
    expect(before).toHaveLength(3)
    await ida.post(ACTIONS, [{ podcast: urlOf('a'), episode: 'https://cdn.example/a0.mp3', action: 'download' }])
    expect(await guids()).toEqual(before)
  })

  test('leave out what comes from a private feed that an app has brought along', async () => {
    const { anyone, addresses, change, publish } = await open(
      { a: hourly('a', 1) },
      { base_url: 'https://feeds.example' },
    )
    const own = addresses.new.replace('https://feeds.example/', '')
    await change('ida', 'phone', { add: [own] })
    await publish(own, hourly('own', 1))
    expect(titlesIn(await anyone.get(pathOf(addresses.new)))).toEqual(['Podcast a: a 0'])
  })
})

test('episodes in progress say how far they were played', async () => {
  const { anyone, addresses, ida } = await open({ a: hourly('a', 3) })
  const play = (n: number, position: number, timestamp: string, podcast = urlOf('a')) =>
    ida.post(ACTIONS, [
      {
        podcast,
        episode: `https://cdn.example/a${n}.mp3`,
        action: 'play',
        started: 0,
        position,
        total: 7200,
        timestamp,
      },
    ])
  await play(0, 3723, '2025-03-02T08:00:00')
  await play(1, 60, '2025-03-02T09:00:00')
  await play(2, 7200, '2025-03-02T09:30:00')
  const answer = await anyone.get(pathOf(addresses.in_progress))
  expect(itemsIn(answer).map(({ title, description }) => [String(title), String(description)])).toEqual([
    ['Podcast a: a 1', '<p>Played up to 0:01:00 of 2:00:00.</p><p>Notes of <b>a</b> &amp; more</p>'],
    ['Podcast a: a 0', '<p>Played up to 1:02:03 of 2:00:00.</p><p>Notes of <b>a</b> &amp; more</p>'],
  ])
  // One of a podcast that nobody knows has its addresses alone.
  await play(7, 60, '2025-03-02T09:40:00', 'https://unknown.example/feed')
  const text = (await anyone.get(pathOf(addresses.in_progress))).text
  expect(text).toContain('<enclosure url="https://cdn.example/a7.mp3" length="0" type="audio/mpeg"/>')
})

test('the list of subscriptions is always as it is now, of all devices or of one', async () => {
  const { anyone, addresses, change } = await open({ a: hourly('a', 0), b: hourly('b', 0) })
  const path = pathOf(addresses.subscriptions)
  const urls = (answer: Answer) => [...answer.text.matchAll(/xmlUrl="([^"]+)"/g)].map(([, url]) => url)
  const answer = await anyone.get(path)
  expect(answer.headers.get('content-type')).toBe('text/xml; charset=utf-8')
  expect(XMLValidator.validate(answer.text)).toBe(true)
  expect(urls(answer)).toEqual([urlOf('a'), urlOf('b')])
  await change('ida', 'desk', { add: ['c'] })
  await change('ida', 'phone', { remove: ['a'] })
  expect(new Set(urls(await anyone.get(path)))).toEqual(new Set([urlOf('b'), urlOf('c')]))
  expect(urls(await anyone.get(`${path}?device=desk`))).toEqual([urlOf('c')])
  expectError(await anyone.get(`${path}?device=nobody`), 404, 'not_found')
  expectError(await anyone.get(`${path}?device=a/b`), 400, 'validation_failed', 'device')
})

test('a list beyond all measure is sent as it is read, without a version', async () => {
  const { anyone, addresses, ida } = await open({})
  const add = Array.from({ length: 2100 }, (_, n) => `https://many.example/${n}`)
  expect((await ida.put('/subscriptions/ida/phone.json', add)).status).toBe(200)
  const answer = await anyone.get(pathOf(addresses.subscriptions))
  expect([...answer.text.matchAll(/<outline /g)]).toHaveLength(2100)
  expect(answer.headers.get('etag')).toBeNull()
  expect(answer.headers.get('cache-control')).toBe('private, no-cache')
})

const KINDS = ['new', 'in_progress', 'tag', 'subscriptions'] as const

describe.each(KINDS)('the address %s', (kind) => {
  const open1 = async () => {
    const scene = await open(
      { a: hourly('a', 2, { tags: ['tag'] }), b: hourly('b', 1) },
      { access_log: 'true', rate_limit: 'true' },
    )
    await scene.ida.post(ACTIONS, [
      {
        podcast: urlOf('a'),
        episode: 'https://cdn.example/a0.mp3',
        action: 'play',
        started: 0,
        position: 60,
        total: 1800,
      },
    ])
    return { ...scene, path: pathOf(scene.addresses[kind]).replace('%7Btag%7D', 'tag') }
  }

  test('is for one client, tells nobody where it came from, and is in no log', async () => {
    const { anyone, path, password, app } = await open1()
    const { status, headers } = await anyone.get(path, { headers: { origin: 'https://evil.example', accept: '*/*' } })
    expect(status).toBe(200)
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'x-content-type-options': 'nosniff',
    })
    for (const name of ['set-cookie', 'access-control-allow-origin', 'www-authenticate'])
      expect(headers.get(name)).toBeNull()
    await app.idle()
    const logs = app.logs.join()
    expect(logs).toContain('/feeds/:token/')
    expect(logs).not.toContain(password)
    const stored = JSON.stringify(app.db.query('SELECT * FROM app_passwords').all())
    expect(stored).not.toContain(password)
  })

  test('answers 304 while nothing has changed, by tag and by date, and to HEAD without a body', async () => {
    const { anyone, path, app, ida, change } = await open1()
    const first = await anyone.get(path)
    const etag = first.headers.get('etag') ?? ''
    const modified = first.headers.get('last-modified') ?? ''
    expect(etag).toMatch(/^"[0-9a-z]+"$/)
    expect(Date.parse(modified)).toBe(app.clock.seconds() * 1000)
    app.clock.advance(HOUR)
    const again = async (headers: Record<string, string>) => (await anyone.get(path, { headers })).status
    expect(await again({ 'if-none-match': etag })).toBe(304)
    expect(await again({ 'if-none-match': `W/${etag}, "x"` })).toBe(304)
    expect(await again({ 'if-modified-since': modified })).toBe(304)
    expect(await again({ 'if-none-match': '"x"', 'if-modified-since': modified })).toBe(200)
    expect(await again({ 'if-modified-since': 'Sun, 02 Mar 2025 00:00:00 GMT' })).toBe(200)
    expect(await again({ 'if-modified-since': 'nonsense' })).toBe(200)
    const head = await anyone.call('HEAD', path)
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag])
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(first.text)))
    // Something happens, in the very second.
    await change('ida', 'phone', { remove: ['a'] })
    await ida.post(ACTIONS, [
      {
        podcast: urlOf('a'),
        episode: 'https://cdn.example/a0.mp3',
        action: 'play',
        started: 0,
        position: 90,
        total: 1800,
      },
    ])
    const changed = await anyone.get(path, { headers: { 'if-none-match': etag, 'if-modified-since': modified } })
    expect(changed.status).toBe(200)
    expect(changed.headers.get('etag')).not.toBe(etag)
    expect(Date.parse(changed.headers.get('last-modified') ?? '')).toBeGreaterThan(Date.parse(modified))
    expect(await again({ 'if-modified-since': modified })).toBe(200)
  })

  test('is 404 with any other token, whatever is wrong with it', async () => {
    const { anyone, path, password, browser, id, app, admin } = await open1()
    const other = async (scope: string) =>
      ((await browser.post('/api/2/me/app-passwords', { name: scope, scope })).json as { password: string }).password
    const wrong = [
      'x',
      'x'.repeat(5000),
      newAppPassword(seededRandom(7)),
      `${password}x`,
      password.toLowerCase(),
      await other('sync'),
      await other('read'),
      '%00',
    ]
    const unknown = await anyone.get('/nowhere')
    for (const token of wrong) {
      const answer = await anyone.get(path.replace(password, token))
      expectError(answer, 404, 'not_found')
      expect(answer.text).toBe(unknown.text)
    }
    await admin.post('/api/admin/users/ida/deactivate')
    expectError(await anyone.get(path), 404, 'not_found')
    await admin.post('/api/admin/users/ida/activate')
    expect((await anyone.get(path)).status).toBe(200)
    const again = await signIn(app, 'ida', 'seaglass')
    expect((await again.delete(`/api/2/me/app-passwords/${id}`)).status).toBe(200)
    expectError(await anyone.get(path), 404, 'not_found')
  })

  test('is refused to those who try too many tokens, and never to a right one', async () => {
    const { anyone, path, password, app } = await open1()
    const guess = (n: number) => anyone.get(path.replace(password, newAppPassword(seededRandom(n))))
    for (let n = 0; n < 300; n++) expect((await guess(n)).status).toBe(404)
    expectError(await guess(300), 429, 'rate_limited')
    expect((await anyone.get(path)).status).toBe(200)
    app.setPeer('198.51.100.7')
    expect((await guess(301)).status).toBe(404)
  })

  test('is under base_url, and takes no other method', async () => {
    const app = startTestApp({ settings: { base_url: 'https://pods.example/sub' } })
    await signUp(app)
    const login = await clientOf(app, basic('ida', 'seaglass')).post('/sub/api/2/auth/ida/login.json')
    const own = { ...cookieOf(login), origin: 'https://pods.example' }
    const wanted = { name: 'Car', scope: 'feeds' }
    const { status, json } = await clientOf(app, own).post('/sub/api/2/me/app-passwords', wanted)
    expect(status).toBe(200)
    const { addresses } = json as { addresses: Addresses }
    expect(addresses[kind]).toStartWith('https://pods.example/sub/feeds/')
    const path = addresses[kind].replace('https://pods.example', '').replace('{tag}', 'sea')
    expect((await clientOf(app).get(path)).status).toBe(200)
    expect((await clientOf(app).get(path.replace('/sub', ''))).status).toBe(404)
    expectError(await clientOf(app).delete(path), 405, 'method_not_allowed')
  })
})

test('what others subscribe to and apps report again is no new version', async () => {
  const { anyone, addresses, change, ida, app } = await open({ a: hourly('a', 1) })
  const episode = { podcast: urlOf('a'), episode: 'https://cdn.example/a0.mp3', action: 'play', started: 0 }
  const report = (timestamp: string) =>
    ida.post(ACTIONS, [{ ...episode, device: 'phone', position: 60, total: 1800, timestamp }])
  await report('2025-03-02T08:00:00')
  const paths = [addresses.subscriptions, addresses.in_progress].map(pathOf)
  const tags = () => Promise.all(paths.map(async (path) => (await anyone.get(path)).headers.get('etag')))
  const before = await tags()
  await change('bob', 'phone', { add: ['a'] })
  await report('2025-03-02T08:30:00')
  const { n } = app.db.query<{ n: number }, []>('SELECT MAX(subscribers) AS n FROM podcasts').get() ?? { n: 0 }
  expect(n).toBe(2)
  expect(await tags()).toEqual(before)
})

test('two versions in one second have two dates', async () => {
  const { anyone, addresses, change } = await open({ a: hourly('a', 1), b: hourly('b', 1) })
  const dates: number[] = []
  for (const left of ['a', 'b', 'none']) {
    const { headers } = await anyone.get(pathOf(addresses.subscriptions))
    dates.push(Date.parse(headers.get('last-modified') ?? ''))
    if (left !== 'none') await change('ida', 'phone', { remove: [left] })
  }
  const [first = 0] = dates
  expect(dates).toEqual([first, first + 1000, first + 2000])
})

test('the use of an address is noted once an hour, and by no other request', async () => {
  const { anyone, addresses, browser, app } = await open({})
  const listed = async () => {
    await app.idle()
    const [first] = (await browser.get('/api/2/me/app-passwords')).json as { last_used: string; client: string }[]
    return [first?.last_used, first?.client]
  }
  expect(await listed()).toEqual(['', ''])
  const get = (agent: string) => anyone.get(pathOf(addresses.new), { headers: { 'user-agent': agent } })
  await get('CarRadio/2.0')
  const used = (await listed())[0]
  expect(await listed()).toEqual([used, 'CarRadio'])
  app.clock.advance(HOUR - 1)
  await get('Other/1')
  expect(await listed()).toEqual([used, 'CarRadio'])
  app.clock.advance(1)
  await get('')
  expect((await listed())[0]).not.toBe(used)
  expect((await listed())[1]).toBe('CarRadio')
})

test('a full disk keeps nobody from reading', async () => {
  const { anyone, addresses, app } = await open({ a: hourly('a', 1) })
  await app.idle()
  app.db.run('PRAGMA query_only = ON')
  expect(titlesIn(await anyone.get(pathOf(addresses.new)))).toHaveLength(1)
  await app.idle()
  expect(app.logs.join()).not.toContain('work in the background failed')
  app.db.run('PRAGMA query_only = OFF')
})

test('a fault of the server is in the log without the address', async () => {
  const { anyone, addresses, password, app } = await open({ a: hourly('a', 1) })
  app.db.run('DROP TABLE provisional_titles')
  expectError(await anyone.get(pathOf(addresses.new)), 500, 'internal')
  expect(app.logs.join()).toContain('"path":"/feeds"')
  expect(app.logs.join()).not.toContain(password)
})

test('an app password of another scope has no addresses', async () => {
  const { browser } = await open({})
  const { json } = await browser.post('/api/2/me/app-passwords', { name: 'Phone', scope: 'sync' })
  expect(json).not.toContainKey('addresses')
})

describe('RSS', () => {
  const ITEM: FeedItem = {
    id: 'a1',
    podcast: { url: 'https://feeds.example/a', title: 'A', logoUrl: '' },
    ...{ url: 'https://cdn.example/1.m4a?x=1', title: 'One', website: '', imageUrl: '', notes: '' },
    ...{ released: undefined, duration: undefined, mimeType: '', size: undefined },
  }
  const written = (fields: Partial<FeedItem>, title = 'New') =>
    writeRss({ title, items: [{ ...ITEM, ...fields }] }, { base: 'https://pods.example', modifiedAt: RELEASED })

  test('of hostile titles is well-formed and says them as they are', () => {
    const evil = `]]></title><script>alert("1")</script>&amp;\u0000\u000b\ud800 'x'`
    const text = written(
      {
        title: evil,
        notes: evil,
        mimeType: 'audio/"><x',
        podcast: { url: 'https://a.example/?"<&', title: evil, logoUrl: 'https://a.example/"<' },
      },
      evil,
    )
    expect(XMLValidator.validate(text)).toBe(true)
    expect(text).not.toContain('<script')
    const { rss } = new XMLParser({ htmlEntities: true }).parse(text)
    expect(rss.channel.item.description).toBe(`]]></title><script>alert("1")</script>&amp; 'x'`)
  })

  test('leaves out what is not known, and finds the type by the name', () => {
    const text = written({})
    for (const name of ['pubDate', 'itunes:duration', 'itunes:image']) expect(text).not.toContain(`<${name}`)
    expect(text).toContain('<enclosure url="https://cdn.example/1.m4a?x=1" length="0" type="audio/mp4"/>')
    expect(text.match(/<link>/g)).toHaveLength(1)
    expect(written({ website: 'javascript:alert(1)' })).not.toContain('javascript')
    expect(written({ url: 'https://cdn.example/play' })).toContain('type="audio/mpeg"')
    expect(written({ url: 'https://cdn.example/a.constructor' })).toContain('type="audio/mpeg"')
  })

  test('has no date that a calendar does not know', () => {
    expect(written({ released: 9e15 })).toContain('<pubDate>Fri, 31 Dec 9999 23:59:59 +0000</pubDate>')
    expect(written({ released: -9e15 })).toContain('<pubDate>Thu, 01 Jan 1970 00:00:00 +0000</pubDate>')
  })
})
