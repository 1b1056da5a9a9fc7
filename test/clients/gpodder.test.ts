import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { podstep } from '../binary/support/command.ts'
import { emptyFolder } from '../binary/support/folder.ts'
import { LOCAL_FEEDS, startScene } from '../binary/support/scene.ts'
import { cookieOf } from '../support/client.ts'
import { startWebServer } from '../support/web-server.ts'
import { HAS_GPODDER, run, runScript } from './support/programs.ts'

/*
 * The real gPodder of Debian against the executable. Each home is a device, set up and inspected with its command `gpo`,
 * and synchronized by the code of its window.
 */

if (!HAS_GPODDER) process.stderr.write('skipped the tests with gPodder: it is not installed (gpodder)\n')

const PLAYED = Date.UTC(2025, 2, 2, 10) / 1000

const item = (name: string, hour: number) => `<item><title>${name}</title><guid>${name}</guid>
  <enclosure url="https://cdn.example/${name}.mp3" type="audio/mpeg" length="4096"/>
  <pubDate>Sun, 02 Mar 2025 0${hour}:00:00 GMT</pubDate></item>`

const feed =
  (title: string, ...items: readonly string[]) =>
  () =>
    new Response(`<rss version="2.0"><channel><title>${title}</title>${items.join('')}</channel></rss>`)

test.skipIf(!HAS_GPODDER)(
  'gPodder in two homes keeps subscriptions and positions in step through a sync group',
  async () => {
    await using scene = await startScene()
    await using feeds = startWebServer({
      '/harbour': feed('Harbour Talk', item('fog', 6), item('gale', 7)),
      '/winds': feed('Winds', item('lull', 6)),
    })
    using folder = emptyFolder()
    const base = `http://127.0.0.1:${scene.server.port}`
    const harbour = `http://127.0.0.1:${feeds.port}/harbour`
    const winds = `http://127.0.0.1:${feeds.port}/winds`
    const fog = 'https://cdn.example/fog.mp3'

    /** A home of gPodder, for one device. */
    async function open(device: string) {
      const home = `${folder.path}/${device}`
      mkdirSync(home)
      const options = { home, env: { GPODDER_HOME: home } }
      const gpo = (...args: readonly string[]) => run(['gpo', ...args], options)
      await gpo('set', 'mygpo.server', base)
      // One `gpo set` for each would take as long as all the rest.
      const file = Bun.file(`${home}/Settings.json`)
      const config = await file.json()
      Object.assign(config.mygpo, { username: 'ida', password: 'seaglass', enabled: true })
      config.mygpo.device.uid = device
      await file.write(JSON.stringify(config))
      return {
        gpo,
        run: (...steps: readonly (readonly unknown[])[]) => runScript('run-gpodder.py', [], steps, options),
      }
    }
    const desk = await open('desk')
    const laptop = await open('laptop')

    // Each creates its device and uploads its subscriptions.
    expect(await desk.run(['subscribe', harbour], ['sync'])).toMatchObject({ enabled: true, podcasts: [harbour] })
    expect(await laptop.run(['subscribe', winds], ['sync'])).toMatchObject({ enabled: true, podcasts: [winds] })
    const grouped = await scene.ida.post('/api/2/sync-devices/ida.json', { synchronize: [['desk', 'laptop']] })
    expect(grouped.json).toEqual({ synchronized: [['desk', 'laptop']], 'not-synchronized': [] })
    for (const home of [desk, laptop])
      expect(await home.run(['sync'])).toMatchObject({ enabled: true, podcasts: [harbour, winds] })
    expect(await laptop.gpo('list')).toContain('Harbour Talk')

    // Positions are synchronized.
    await desk.run(['play', harbour, fog, 0, 61, 1800, PLAYED], ['sync'])
    expect(await laptop.run(['sync'])).toMatchObject({ positions: { [fog]: 61 } })
    await laptop.run(['play', harbour, fog, 61, 90, 1800, PLAYED + 60], ['sync'])
    expect(await desk.run(['sync'])).toMatchObject({ positions: { [fog]: 90 } })

    // Removed subscriptions are removed from the other one, and do not return.
    expect(await laptop.run(['unsubscribe', winds], ['sync'])).toMatchObject({ podcasts: [harbour] })
    for (const home of [desk, laptop, desk]) expect(await home.run(['sync'])).toMatchObject({ podcasts: [harbour] })

    // A third home imports the list of all devices, like "restore subscriptions".
    const spare = await open('spare')
    await spare.gpo('import', `${base.replace('//', '//ida:seaglass@')}/subscriptions/ida.opml`)
    expect(await spare.gpo('list')).toContain(harbour)
    expect(await spare.run(['sync'])).toMatchObject({ enabled: true, podcasts: [harbour] })
    expect((await scene.ida.get('/api/2/devices/ida.json')).json).toMatchObject([
      { id: 'desk', type: expect.stringMatching(/^(?:desktop|laptop|server)$/), subscriptions: 1 },
      { id: 'laptop', subscriptions: 1 },
      { id: 'spare' },
    ])
  },
)

test.skipIf(!HAS_GPODDER)('gPodder without an account reads a private feed and its new episodes', async () => {
  await using scene = await startScene({ env: LOCAL_FEEDS })
  const items = [item('fog', 6)]
  await using feeds = startWebServer({ '/harbour': () => feed('Harbour Talk', ...items)() })
  using folder = emptyFolder()
  const harbour = `http://127.0.0.1:${feeds.port}/harbour`
  await scene.ida.post('/api/2/subscriptions/ida/phone.json', { add: [harbour] })
  const refresh = () => scene.ida.post(`/api/admin/feeds/update/single?url=${encodeURIComponent(harbour)}`)
  await refresh()

  const login = await scene.ida.post('/api/2/auth/ida/login.json')
  const browser = scene.server.client(cookieOf(login))
  const { json } = await browser.post('/api/2/me/app-passwords', { name: 'Car', scope: 'feeds' })
  const { addresses } = json as { addresses: { new: string; subscriptions: string } }
  // The URLs have the host of the requests, which is not real.
  const [mine, list] = [addresses.new, addresses.subscriptions].map((address) =>
    address.replace('http://localhost', `http://127.0.0.1:${scene.server.port}`),
  ) as [string, string]
  const gpo = (...args: readonly string[]) =>
    run(['gpo', ...args], { home: folder.path, env: { GPODDER_HOME: folder.path } })
  await gpo('subscribe', mine, 'Mine')
  expect(await gpo('list')).toContain(mine)
  expect(await gpo('episodes', mine)).toContain('Harbour Talk: fog')
  items.push(item('gale', 7))
  await refresh()
  await gpo('update', mine)
  const episodes = await gpo('episodes', mine)
  expect(episodes).toContain('Harbour Talk: gale')
  expect(episodes.match(/Harbour Talk: fog/g)).toHaveLength(1)

  // It can also import the list.
  await gpo('import', list)
  expect(await gpo('list')).toContain(harbour)
})

test.skipIf(!HAS_GPODDER)('the database of gPodder is imported, with and without a running server', async () => {
  await using scene = await startScene()
  await using feeds = startWebServer({
    '/harbour': feed('Harbour Talk', item('fog', 6), item('gale', 7), item('lull', 8)),
  })
  using folder = emptyFolder()
  const harbour = `http://127.0.0.1:${feeds.port}/harbour`
  const [fog, gale] = ['https://cdn.example/fog.mp3', 'https://cdn.example/gale.mp3']
  await runScript(
    'run-gpodder.py',
    [],
    [
      ['subscribe', harbour],
      ['listen', harbour, fog, 61, 1800, PLAYED],
      ['listen', harbour, gale, 1795, 1800, PLAYED + 60],
    ],
    { home: folder.path, env: { GPODDER_HOME: folder.path } },
  )
  const database = `${folder.path}/Database`
  const states = [
    {
      ...{ podcast: harbour, episode: fog, device: 'gpodder', action: 'play', timestamp: '2025-03-02T10:00:00' },
      ...{ started: 61, position: 61, total: 1800 },
    },
    {
      ...{ podcast: harbour, episode: gale, device: 'gpodder', action: 'play', timestamp: '2025-03-02T10:01:00' },
      ...{ started: 1800, position: 1800, total: 1800 },
    },
  ]
  const command = ['import', '--from', database, '--to', 'ida']
  for (const isRunning of [true, false]) {
    if (!isRunning) await scene.server.stop()
    const { code, err } = await podstep(command, {
      cwd: scene.folder.path,
      env: { SVC_PORT: String(scene.server.port) },
    })
    expect([code, err]).toEqual([0, expect.any(String)])
  }
  await using again = await scene.again()
  const { json } = await again.ida.get('/api/2/episodes/ida.json?aggregated=true')
  expect(json).toEqual({ actions: states, timestamp: expect.any(Number) })
  expect((await again.ida.get('/subscriptions/ida/gpodder.json')).json).toEqual([harbour])
  expect((await again.ida.get('/subscriptions/ida.opml')).text).toContain('title="Harbour Talk"')
  const [second, first] = (await again.ida.get('/api/2/me/import')).json as { counts: unknown }[]
  expect(first?.counts).toContainEqual({ what: 'episode_actions', imported: 2, present: 0, skipped: 0 })
  expect(second?.counts).toContainEqual({ what: 'episode_actions', imported: 0, present: 2, skipped: 0 })
})
