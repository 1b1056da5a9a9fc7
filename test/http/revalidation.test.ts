import { expect, test } from 'bun:test'
import { failed, feedOf, openFeedScene } from '../domain/feed-scene.ts'
import { feedDocument, feedEpisode } from '../store/contract/fixtures.ts'
import { type Answer, type Client, signUp } from '../support/client.ts'

// ETags of lists of subscriptions (docs/protocol.md#D4).

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'
const CHANGES = '/api/2/subscriptions/ida/phone.json'

const USER_LISTS = ['json', 'txt', 'opml', 'xml'].map((suffix) => `/subscriptions/ida.${suffix}`)
const DEVICE_LISTS = ['json', 'txt', 'opml', 'xml'].map((suffix) => `/subscriptions/ida/phone.${suffix}`)
const OWN = '/api/2/me/subscriptions'
const PATHS = [...USER_LISTS, ...DEVICE_LISTS, '/subscriptions/ida/phone', OWN, `${OWN}?state=new`]

const tagOf = ({ headers }: Answer) => headers.get('etag') ?? ''
const ask = (client: Client, path: string, tags: string, headers: Record<string, string> = {}) =>
  client.get(path, { headers: { 'if-none-match': tags, ...headers } })

async function open() {
  const scene = await openFeedScene([A, B], { settings: { rate_limit: 'false' } })
  await scene.ida.post('/api/2/devices/ida/phone.json', { caption: 'Phone' })
  return scene
}

type Scene = Awaited<ReturnType<typeof open>>

test.each(PATHS)('%s answers 304 until it changes, at any time', async (path) => {
  const { app, ida } = await open()
  const first = await ida.get(path)
  const weak = tagOf(first)
  expect(weak).toMatch(/^W\/"[\w-]{43}"$/)
  const strong = weak.slice(2)
  app.clock.advance(90)
  const EXPECTED: [string, number][] = [
    [weak, 304],
    [strong, 304],
    [`"x", ${weak}`, 304],
    [`${strong},W/"x"`, 304],
    ['*', 304],
    ['"x"', 200],
    [strong.slice(1, -1), 200],
    ['', 200],
  ]
  for (const [tags, status] of EXPECTED) {
    const answer = await ask(ida, path, tags)
    const head = await ida.call('HEAD', path, { headers: { 'if-none-match': tags } })
    for (const { status, headers } of [answer, head])
      expect([tags, status, headers.get('etag'), headers.get('cache-control')]).toEqual([
        tags,
        status,
        weak,
        'no-store',
      ])
    expect([tags, answer.status, head.status, head.text]).toEqual([tags, status, status, ''])
    const length = status === 304 ? null : String(Buffer.byteLength(answer.text))
    expect(head.headers.get('content-length')).toBe(length)
    if (status === 304) expect(answer.text).toBe('')
  }
  expect(await ask(ida, path, weak, { 'accept-encoding': 'gzip' })).toMatchObject({ status: 304, text: '' })
})

const document = feedDocument({ title: 'Harbour Talk' })
const publish = async ({ script, runJob, app }: Scene, answer: ReturnType<typeof feedOf>) => {
  script.answer = async () => answer
  app.clock.advance(24 * 3600)
  await runJob()
}

/** Changes, each with a list that it affects. */
const CHANGED: Readonly<Record<string, readonly [string, (scene: Scene) => Promise<unknown>]>> = {
  'a subscription': [OWN, ({ ida }) => ida.post(CHANGES, { add: ['https://feeds.example/c'] })],
  'an unsubscription': ['/subscriptions/ida/phone', ({ ida }) => ida.post(CHANGES, { remove: [B] })],
  'a replaced list': ['/subscriptions/ida/phone.txt', ({ ida }) => ida.put('/subscriptions/ida/phone.txt', A)],
  'another device': [OWN, ({ ida }) => ida.post('/api/2/subscriptions/ida/desk.json', { add: [A] })],
  'a removed device': [OWN, ({ ida }) => ida.delete('/api/2/devices/ida/phone.json')],
  'a third subscriber, the first one to be shown (D113)': [
    '/subscriptions/ida.xml',
    async ({ app }) => {
      for (const name of ['ole', 'uma'])
        await (await signUp(app, name, 'driftwood')).post(`/api/2/subscriptions/${name}/phone.json`, { add: [A] })
    },
  ],
  'a provisional title': ['/subscriptions/ida.opml', ({ ida }) => ida.post(CHANGES, { titles: { [A]: 'Dead Air' } })],
  'the title of a feed': ['/subscriptions/ida/phone.opml', (scene) => publish(scene, feedOf('', { document }))],
  'a fetched feed': [`${OWN}?state=new`, (scene) => publish(scene, feedOf('', { document }))],
  'a new episode': [
    OWN,
    async (scene) => {
      const episodes = [feedEpisode({ released: 1_740_900_000 })]
      await publish(scene, feedOf('', { document: { ...document, episodes } }))
    },
  ],
  'a failing feed': [OWN, (scene) => publish(scene, failed({ reason: 'gone' }))],
  'a new address of a podcast, which does not move the clock (D83)': [
    '/subscriptions/ida/phone.json',
    async ({ ida, script, app, runJob }) => {
      script.answer = async ({ url }) => feedOf('', { document, leads: url === A ? [`${A}/moved`] : [] })
      app.clock.advance(24 * 3600)
      await runJob()
      await ida.post(CHANGES, { add: [`${A}/moved`] })
      expect((await ida.get('/subscriptions/ida/phone.txt')).text).toBe(`${A}/moved\n${B}\n`)
    },
  ],
}

const undated = ({ text }: Answer) => text.replace(/<dateCreated>.*<\/dateCreated>/, '')

test.each(Object.entries(CHANGED))('a changed list is not answered with 304: %s', async (_, [changed, apply]) => {
  const scene = await open()
  const { ida } = scene
  const before = new Map<string, Answer>()
  for (const path of PATHS) before.set(path, await ida.get(path))
  await apply(scene)
  const renewed: string[] = []
  for (const [path, old] of before) {
    const now = await ida.get(path)
    const { status } = await ask(ida, path, tagOf(old))
    if (undated(now) !== undated(old)) renewed.push(path)
    const expected = now.status !== 200 ? now.status : undated(now) === undated(old) ? 304 : 200
    expect([path, status]).toEqual([path, expected])
  }
  expect(renewed).toContain(changed)
})

test('the ETag depends on host and format', async () => {
  const { ida } = await open()
  const tag = tagOf(await ida.get(OWN))
  expect((await ask(ida, OWN, tag, { host: 'pods.example' })).status).toBe(200)
  await ida.post(CHANGES, { remove: [B] })
  expect(tagOf(await ida.get('/subscriptions/ida.xml'))).not.toBe(tagOf(await ida.get('/subscriptions/ida.json')))
})

test('only the date of OPML is left out of the ETag, not text that looks like it', async () => {
  const scene = await open()
  await scene.ida.post(CHANGES, { remove: [B] })
  const tags = async (date: string) => {
    const title = `<dateCreated>${date}</dateCreated>`
    await publish(scene, feedOf('', { document: { ...document, title } }))
    return Promise.all([...USER_LISTS, OWN].map(async (path) => [path, tagOf(await scene.ida.get(path))] as const))
  }
  const first = new Map(await tags('1'))
  const same = (await tags('2')).filter(([path, tag]) => first.get(path) === tag)
  expect(same.map(([path]) => path)).toEqual(['/subscriptions/ida.txt'])
})

test('If-None-Match does not hide errors', async () => {
  const { ida } = await open()
  expect((await ask(ida, '/subscriptions/ida/nobody.json', '*')).status).toBe(404)
  expect((await ask(ida, '/subscriptions/ida.json?scale_logo=0', '*')).status).toBe(400)
  expect((await ask(ida, '/subscriptions/ole.json', '*')).status).toBe(403)
})
