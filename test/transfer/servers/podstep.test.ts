import { describe, expect, test } from 'bun:test'
import type { ImportRecord } from '../../../src/domain/transfer/records.ts'
import { importScene } from '../../domain/transfer/import-scene.ts'
import { startTestApp, type TestApp } from '../../support/app.ts'
import { signUp } from '../../support/client.ts'
import { readAll, standIn } from './stand-in.ts'

const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'
const C = 'https://feeds.example/c'
const ONE = 'https://media.example/1.mp3'
const TWO = 'https://media.example/2.mp3'

/** Elysia routes http URLs only. */
const serve = (app: TestApp) => (request: Request) =>
  app.fetch(new Request(request.url.replace('https:', 'http:'), request))

/** Another podstep server, with an account that uses every feature. */
async function otherServer() {
  const app = startTestApp({ settings: { rate_limit: 'false' } })
  const ida = await signUp(app)
  await ida.post('/api/2/devices/ida/phone.json', { caption: "Ida's phone", type: 'mobile' })
  await ida.post('/api/2/devices/ida/desk.json', { caption: 'Desk', type: 'desktop' })
  await ida.post('/api/2/devices/ida/car.json', {})
  await ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
  await ida.post('/api/2/subscriptions/ida/phone.json', { add: [A, B], remove: [] })
  await ida.put(
    '/subscriptions/ida/car.opml',
    `<opml version="2.0"><body><outline xmlUrl="${C}" text="Songs &amp; more"/></body></opml>`,
  )
  const play = { podcast: A, action: 'play', started: 0, position: 60, total: 1800, device: 'phone' }
  await ida.post('/api/2/episodes/ida.json', [
    { ...play, episode: ONE, guid: 'one', timestamp: '2025-03-01T10:00:00' },
    { ...play, episode: TWO, timestamp: '2025-03-01T11:00:00' },
    { podcast: C, episode: TWO, action: 'download', timestamp: '2025-03-01T09:00:00' },
  ])
  const set = { is_favorite: true }
  for (const episode of [ONE, TWO])
    await ida.post(`/api/2/settings/ida/episode.json?podcast=${A}&episode=${episode}`, { set })
  await ida.post('/api/2/settings/ida/account.json', { set: { theme: 'dark', exact: 1e21 } })
  await ida.post('/api/2/settings/ida/device.json?device=desk', { set: { wide: true } })
  await ida.post(`/api/2/settings/ida/podcast.json?podcast=${B}`, { set: { speed: 1.5 } })
  await ida.post('/api/2/lists/ida/create.txt?title=Sea%20stuff', `${C}\n${A}\n`)
  return app
}

const count = (imported: number) => ({ imported, present: 0, skipped: 0 })

describe('an account of another podstep server', () => {
  test('is imported completely, and nothing changes the second time', async () => {
    const app = await otherServer()
    const scene = await importScene()
    const reading = await readAll(standIn(serve(app)).source())
    expect(reading.error).toBeUndefined()
    const report = await scene.run(reading.records)
    expect(report.skipped).toEqual([])
    expect(report.counts).toEqual({
      ...{ devices: count(3), subscriptions: count(5), sync_groups: count(1), settings: count(3) },
      ...{ favorites: count(2), podcast_lists: count(1), episode_actions: count(3) },
    })

    const tables = ['users', 'episode_actions', 'subscriptions', 'devices', 'settings']
    const dump = () => tables.map((name) => scene.db.query(`SELECT * FROM ${name}`).all())
    const before = dump()
    const again = await scene.run((await readAll(standIn(serve(app)).source())).records)
    expect(Object.values(again.counts).map(({ imported }) => imported)).toEqual(Array(7).fill(0))
    expect(dump()).toEqual(before)
  })

  test('can be resumed after any record', async () => {
    const app = await otherServer()
    const whole = await readAll(standIn(serve(app)).source())
    expect(whole.error).toBeUndefined()
    for (const stop of whole.records.keys()) {
      let met = 0
      const first = await readAll(standIn(serve(app)).source(), { until: () => met++ === stop })
      const rest = await readAll(standIn(serve(app)).source(), { resumeFrom: first.cursor })
      expect(rest.error).toBeUndefined()
      const both = [...first.records, ...rest.records]
      const things = (records: readonly ImportRecord[]) =>
        new Set(records.flatMap((record) => (record.kind === 'progress' ? [] : JSON.stringify(record))))
      expect(things(both)).toEqual(things(whole.records))
    }
  })
})
