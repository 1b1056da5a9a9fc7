import { describe, expect, test } from 'bun:test'
import { importScene } from '../../domain/transfer/import-scene.ts'
import { ofKind, readAll, standIn, table } from './stand-in.ts'

const DEVICES = '/api/2/devices/ida.json'
const ACTIONS = '/api/2/episodes/ida.json'
const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'

/** Reads from a server with these routes. */
async function read(routes: Readonly<Record<string, unknown>>, options: { readonly resumeFrom?: string } = {}) {
  const other = standIn(table(routes))
  return { ...(await readAll(other.source({ kind: 'gpodder' }), options)), asked: other.asked }
}

const skippedIn = (reading: Awaited<ReturnType<typeof read>>) =>
  ofKind(reading, 'skipped').map(({ what, reason, count = 1 }) => [what, reason, count])

describe('devices', () => {
  test('have their captions and types converted, and invalid ones are counted', async () => {
    const reading = await read({
      [DEVICES]: [
        { id: 'phone', caption: 'Phone', type: 'tablet', subscriptions: 3 },
        { id: 'desk', caption: null, type: 'spaceship' },
        { id: 'desk', caption: 'again' },
        { id: "ida's car", type: 'other' },
        { id: '', caption: 'nameless' },
        { caption: 'nameless' },
        'phone',
        null,
      ],
    })
    expect(ofKind(reading, 'device').map(({ id, caption, type }) => [id, caption, type])).toEqual([
      ['phone', 'Phone', 'mobile'],
      ['desk', undefined, undefined],
      [expect.stringMatching(/^ida-s-car-[0-9a-z]+$/), undefined, 'other'],
    ])
    expect(skippedIn(reading)).toContainEqual(['devices', 'unreadable, or more than is taken', 4])
  })

  test('whose IDs are converted keep their lists, groups, settings and history', async () => {
    const scene = await importScene()
    const reading = await read({
      [DEVICES]: [{ id: 'my car' }, { id: 'phone' }],
      '/subscriptions/ida/my%20car.json': [A],
      '/subscriptions/ida/phone.json': [],
      '/api/2/sync-devices/ida.json': { synchronized: [['my car', 'phone'], 'x', [7]], 'not-synchronized': [] },
      '/api/2/settings/ida/account.json': {},
      '/api/2/settings/ida/device.json?device=my+car': { wide: true },
      [ACTIONS]: { actions: [{ podcast: A, episode: B, action: 'new', device: 'my car', timestamp: 5 }], timestamp: 9 },
    })
    const report = await scene.run(reading.records)
    expect(report.counts).toMatchObject({
      devices: { imported: 2 },
      subscriptions: { imported: 1 },
      sync_groups: { imported: 1 },
      settings: { imported: 1 },
      episode_actions: { imported: 1 },
    })
    const [car] = scene.db.query<{ uid: string }, []>("SELECT uid FROM devices WHERE uid LIKE 'my-car-%'").all()
    expect(ofKind(reading, 'actions')[0]?.actions[0]?.device).toBe(car?.uid ?? 'no device')
  })

  test('are imported up to a limit', async () => {
    const reading = await read({ [DEVICES]: Array.from({ length: 200_000 }, (_, n) => ({ id: `d${n}` })) })
    expect(reading.error).toBeUndefined()
    expect(ofKind(reading, 'device')).toHaveLength(1000)
    expect(skippedIn(reading)).toContainEqual(['devices', 'unreadable, or more than is taken', 199_000])
    expect(reading.asked.length).toBeLessThan(4100)
  })
})

describe('subscriptions', () => {
  test('get their titles from the list of all devices', async () => {
    const reading = await read({
      [DEVICES]: [{ id: 'phone' }],
      '/subscriptions/ida.json': [{ url: A, title: 'Harbour' }, { url: B, title: B }, { title: 'nowhere' }],
      '/subscriptions/ida/phone.json': [A, B, 7, null, { url: `${A}/c` }, { feed: `${A}/d` }],
    })
    const [feeds] = ofKind(reading, 'feeds')
    expect(feeds).toMatchObject({ device: 'phone' })
    expect(feeds?.feeds).toMatchObject([{ url: A, title: 'Harbour' }, { url: B }, { url: `${A}/c` }, { url: `${A}/d` }])
    expect(skippedIn(reading)).toContainEqual(['subscriptions', 'unreadable, or more than is taken', 2])
  })

  test('are read as changes if the server has no lists', async () => {
    const reading = await read({
      [DEVICES]: [{ id: 'phone' }],
      '/api/2/subscriptions/ida/phone.json?since=0': { add: [A], remove: [B], timestamp: 9 },
    })
    expect(ofKind(reading, 'feeds')).toMatchObject([{ device: 'phone', feeds: [{ url: A }] }])
  })

  test('that cannot be read are reported by device', async () => {
    const reading = await read({
      [DEVICES]: [{ id: 'phone' }, { id: 'desk' }, { id: 'car' }],
      '/subscriptions/ida/phone.json': '<html> oops',
      '/api/2/subscriptions/ida/phone.json': new Response('', { status: 500 }),
      '/subscriptions/ida/desk.json': '[7,]',
      '/subscriptions/ida/car.json': [A],
    })
    expect(ofKind(reading, 'skipped')).toMatchObject([
      { what: 'subscriptions', reason: expect.stringContaining('is damaged'), examples: ['desk'] },
      { what: 'subscriptions', reason: 'pods.example answers with a web page instead of data', examples: ['phone'] },
      { what: 'episode_actions' },
    ])
    expect(ofKind(reading, 'feeds')).toMatchObject([{ device: 'car' }])
  })

  test('belong to one device if the server has no devices', async () => {
    const reading = await read({ [DEVICES]: [], '/subscriptions/ida.json': [{ url: A, title: 'Harbour' }, B] })
    expect(ofKind(reading, 'device')).toMatchObject([{ id: 'imported', caption: 'pods.example' }])
    const feeds = [{ url: A, title: 'Harbour' }, { url: B }]
    expect(ofKind(reading, 'feeds')).toMatchObject([{ device: 'imported', feeds }])
  })

  test('are read up to 32 MiB', async () => {
    const long = () => {
      let n = 0
      const item = () => `"${A}/${n++}${'?'.repeat(1024 * 1024)}",${'"x",'.repeat(9)}"${A}/${n++}"`
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
        controller.enqueue(Buffer.from(`${n === 0 ? '[' : ','}${item()}`))
      return new Response(new ReadableStream({ pull }))
    }
    const reading = await read({ [DEVICES]: [{ id: 'phone' }], '/subscriptions/ida/phone.json': long })
    expect(ofKind(reading, 'feeds')[0]?.feeds.filter(({ url }) => url.startsWith(A))).toHaveLength(31)
    expect(skippedIn(reading)).toContainEqual(['subscriptions', 'the response is larger than 33554432 bytes', 1])
  })
})

describe('favorites, lists and settings', () => {
  const ROUTES = {
    [DEVICES]: [{ id: 'phone' }],
    '/subscriptions/ida/phone.json': [B, A],
    '/api/2/favorites/ida.json': [
      { url: 'https://media.example/2.mp3', podcast_url: A, title: 'Two' },
      { url: 'https://media.example/1.mp3', podcast_url: A },
      { url: 'https://media.example/0.mp3' },
    ],
    '/api/2/lists/ida.json': [{ title: 'Sea stuff', name: 'sea-stuff' }, { name: 'gone' }, { title: 'no name' }],
    '/api/2/lists/ida/list/sea-stuff.json': [{ url: B }, A],
    '/api/2/settings/ida/account.json': '{"theme":"dark","big":1e400,"none":nothing}',
    '/api/2/settings/ida/device.json?device=phone': { wide: true },
    [`/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(A)}`]: { speed: 2 },
    [`/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(B)}`]: {},
  }

  test('are imported', async () => {
    const reading = await read(ROUTES)
    const media = [1, 2].map((n) => `https://media.example/${n}.mp3`)
    expect(ofKind(reading, 'favorite').map(({ episode }) => episode)).toEqual(media)
    expect(ofKind(reading, 'podcast_list')).toMatchObject([{ title: 'Sea stuff', urls: [B, A] }])
    expect(ofKind(reading, 'settings').map(({ kind: _kind, ...rest }) => JSON.stringify(rest))).toEqual([
      '{"scope":"account","values":{"theme":"dark","big":1e400}}',
      '{"scope":"device","device":"phone","values":{"wide":true}}',
      `{"scope":"podcast","podcast":"${A}","values":{"speed":2}}`,
    ])
    expect(skippedIn(reading)).toEqual([
      ['episode_actions', 'pods.example answers 404', 1],
      ['favorites', 'unreadable, or more than is taken', 1],
      ['podcast_lists', 'pods.example does not give it', 1],
      ['podcast_lists', 'unreadable, or more than is taken', 1],
    ])
  })

  test('settings are skipped if the server has none, and reported if it fails', async () => {
    const { '/api/2/settings/ida/account.json': _account, ...without } = ROUTES
    const none = await read(without)
    expect(none.asked.filter((path) => path.includes('/settings/'))).toEqual(['/api/2/settings/ida/account.json'])
    expect(skippedIn(none).filter(([what]) => what === 'settings')).toEqual([])
    const broken = await read({ ...ROUTES, '/api/2/settings/ida/account.json': '<html> oops' })
    expect(skippedIn(broken)).toContainEqual(['settings', 'pods.example answers with a web page instead of data', 1])
  })

  test('resume after the last podcast, even without a list of all devices', async () => {
    const rest = await read(ROUTES, { resumeFrom: JSON.stringify({ kind: 'gpodder', step: 'settings', after: A }) })
    expect(rest.asked.filter((path) => path.includes('podcast='))).toEqual([
      `/api/2/settings/ida/podcast.json?podcast=${encodeURIComponent(B)}`,
    ])
    expect(ofKind(rest, 'favorite')).toEqual([])
  })

  test('settings are requested for 5,000 podcasts at most', async () => {
    const urls = Array.from({ length: 5003 }, (_, n) => `https://feeds.example/${n}`)
    const reading = await read({ ...ROUTES, '/subscriptions/ida/phone.json': urls })
    expect(ofKind(reading, 'feeds').map(({ feeds }) => [...feeds].length)).toEqual([...Array(10).fill(500), 3])
    expect(skippedIn(reading)).toContainEqual(['settings', 'of more podcasts than are asked for', 3])
    expect(reading.asked.filter((path) => path.includes('podcast='))).toHaveLength(5000)
  })
})
