import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createUser, type Scene, startScene } from '../binary/support/scene.ts'
import { basic } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { HAS_MYGPOCLIENT, runScript } from './support/programs.ts'

/* The library used by gPodder and most Python programs, from Debian, against the executable. */

if (!HAS_MYGPOCLIENT)
  process.stderr.write('skipped the tests with mygpoclient: it is not installed (python3-mygpoclient)\n')

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'
const FOG = 'https://cdn.example/fog.mp3'

describe.skipIf(!HAS_MYGPOCLIENT)('mygpoclient', () => {
  let scene: Scene

  beforeAll(async () => {
    scene = await startScene()
  })
  afterAll(() => scene[Symbol.asyncDispose]())

  /** Runs these calls as a user, in one process. */
  async function call(username: string, ...steps: readonly (readonly unknown[])[]): Promise<unknown[]> {
    const url = `http://127.0.0.1:${scene.server.port}`
    const results = await runScript('call-mygpoclient.py', [url, username, 'seaglass'], steps, {
      home: scene.folder.path,
    })
    return [results].flat()
  }

  test('keeps two devices of a sync group in step', async () => {
    const created = await call(
      'ida',
      ['update_device_settings', 'desk', 'Desk', 'desktop'],
      ['update_device_settings', 'phone', 'Phone', 'mobile'],
      ['get_devices'],
    )
    expect(created.slice(0, 2)).toEqual([true, true])
    expect(created[2]).toMatchObject([
      { device_id: 'desk', caption: 'Desk', type: 'desktop', subscriptions: 0 },
      { device_id: 'phone', caption: 'Phone', type: 'mobile', subscriptions: 0 },
    ])
    await scene.ida.post('/api/2/sync-devices/ida.json', { synchronize: [['desk', 'phone']] })

    const [uploaded] = await call('ida', ['update_subscriptions', 'desk', [A, 'feed://Feeds.example/c'], []])
    expect(uploaded).toMatchObject({
      update_urls: [['feed://Feeds.example/c', 'http://feeds.example/c']],
    })
    const since = Number(Reflect.get(Object(uploaded), 'since'))
    const [own, other] = await call('ida', ['pull_subscriptions', 'desk', since], ['pull_subscriptions', 'phone', 0])
    expect(own).toEqual({ add: [], remove: [], since })
    expect(other).toMatchObject({ add: expect.arrayContaining([A, 'http://feeds.example/c']), remove: [] })

    const put = await call('ida', ['put_subscriptions', 'phone', [B]], ['get_subscriptions', 'desk'])
    expect(put).toEqual([true, [B]])
    const [changes] = await call('ida', ['pull_subscriptions', 'desk', since])
    expect(changes).toMatchObject({ add: [B], remove: expect.arrayContaining([A, 'http://feeds.example/c']) })
  })

  test('receives the removal of a list of 300, and its restoration on three devices', async () => {
    await createUser(scene.folder, 'uma')
    const uma = scene.server.client(basic('uma', 'seaglass'))
    const devices = ['pixel', 'tablet', 'laptop']
    const feeds = Array.from({ length: 300 }, (_, n) => `https://feeds.example/show/${n}`)
    await call('uma', ...devices.map((device) => ['update_device_settings', device, device, 'mobile']))
    await uma.post('/api/2/sync-devices/uma.json', { synchronize: [devices] })
    await call('uma', ['put_subscriptions', 'pixel', feeds])
    const local = new Map(devices.map((device) => [device, new Set<unknown>()]))
    const since = new Map(devices.map((device) => [device, 0]))
    async function pull(): Promise<void> {
      const steps = devices.map((device) => ['pull_subscriptions', device, since.get(device)])
      for (const [index, changes] of (await call('uma', ...steps)).entries()) {
        const device = devices[index] ?? ''
        const [add, remove] = ['add', 'remove'].map((key) => [Reflect.get(Object(changes), key)].flat())
        for (const url of add ?? []) local.get(device)?.add(url)
        for (const url of remove ?? []) local.get(device)?.delete(url)
        since.set(device, Number(Reflect.get(Object(changes), 'since')))
      }
    }
    await pull()
    for (const device of devices) expect(local.get(device)).toEqual(new Set(feeds))
    // Remove the list in a later second than it was uploaded.
    const changes = async () => (await uma.get('/api/2/me/changes')).json as { items: { time: number }[] }
    const filled = (await changes()).items[0]?.time ?? 0
    while (Math.floor(Date.now() / 1000) <= filled) await uma.get('/api/2/me')
    await call('uma', ['put_subscriptions', 'tablet', []])
    await pull()
    for (const device of devices) expect(local.get(device)).toEqual(new Set())

    const [wipe] = (await changes()).items
    expect(wipe).toMatchObject({
      device: 'tablet',
      removed_count: 300,
      text: 'tablet removed 300 podcasts',
      can_undo: true,
    })
    expect(wipe).toMatchObject({ app: expect.stringContaining('mygpoclient') })
    const restored = await uma.post('/api/2/me/restore', { device: 'tablet', time: (wipe?.time ?? 0) - 1 })
    expect(restored).toMatchObject({ status: 200, json: { devices } })
    await pull()
    for (const device of devices) expect(local.get(device)).toEqual(new Set(feeds))
  })

  test('exchanges more actions than it requests at once', async () => {
    await createUser(scene.folder, 'ole')
    const at = { podcast: A, episode: FOG, device: 'desk' }
    const actions = [
      { ...at, action: 'download', timestamp: '2025-03-02T09:00:00' },
      { ...at, action: 'play', timestamp: '2025-03-02T10:00:00', started: 0, position: 61, total: 1800 },
      ...Array.from({ length: 300 }, (_, n) => ({
        ...at,
        episode: `${FOG}?${n}`,
        action: 'new',
        timestamp: '2025-03-02T11:00:00',
      })),
    ]
    const [since, downloaded, ofDevice] = await call(
      'ole',
      ['upload_episode_actions', actions],
      ['download_episode_actions', 0],
      ['download_episode_actions', 0, null, 'phone'],
    )
    const nothing = { started: null, position: null, total: null }
    expect(downloaded).toEqual({ actions: actions.map((each) => ({ ...nothing, ...each })), since })
    expect(ofDevice).toEqual({ actions: [], since })
    expect(await call('ole', ['download_episode_actions', since])).toEqual([{ actions: [], since }])
  })

  test('sets favorites with settings, and reads them', async () => {
    await createUser(scene.folder, 'noah')
    const [first, favorites, removed, none] = await call(
      'noah',
      ['set_settings', 'episode', A, FOG, { is_favorite: true }, []],
      ['get_favorite_episodes'],
      ['set_settings', 'episode', A, FOG, {}, ['is_favorite']],
      ['get_favorite_episodes'],
    )
    expect([first, removed, none]).toEqual([{ is_favorite: true }, {}, []])
    expect(favorites).toMatchObject([{ title: FOG, url: FOG, podcast_url: A, podcast_title: A, released: '' }])
  })

  test('reads the directory, and reports 404 as NotFound', async () => {
    await createUser(scene.folder, 'nora')
    await call('nora', ['put_subscriptions', 'desk', ['https://feeds.example/harbour']])
    await eventually(
      async () => (await scene.anyone.get('/toplist.txt')).text,
      (toplist) => toplist.includes('harbour'),
    )
    const [toplist, tags] = await call('nora', ['get_toplist', 10], ['get_toptags', 10])
    expect(toplist).toContainEqual(expect.objectContaining({ url: 'https://feeds.example/harbour', subscribers: 1 }))
    expect(tags).toEqual([])
    await expect(call('nora', ['get_subscriptions', 'nobody'])).rejects.toThrow('NotFound')
  })

  test('reports a wrong password as Unauthorized', async () => {
    await expect(call('nobody', ['get_devices'])).rejects.toThrow('Unauthorized')
  })
})
