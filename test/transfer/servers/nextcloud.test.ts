import { describe, expect, test } from 'bun:test'
import { importScene } from '../../domain/transfer/import-scene.ts'
import { episodesOf, type Handler, ofKind, readAll, standIn } from './stand-in.ts'

const APP = '/index.php/apps/gpoddersync'
const A = 'https://feeds.example/a'
const B = 'https://feeds.example/b'

/** Behaves like GPodder Sync: one row for each episode, selected by the time of its action, in arbitrary order. */
function nextcloud(count: number, zone = ''): Handler {
  const episodes = Array.from({ length: count }, (_, n) => ({
    podcast: n % 2 === 0 ? A : B,
    episode: `https://media.example/${n}.mp3`,
    guid: n % 3 === 0 ? null : `guid-${n}`,
    position: n % 2 === 0 ? 60 : -1,
    started: n % 2 === 0 ? 0 : -1,
    total: n % 2 === 0 ? 1800 : -1,
    timestamp: `2025-03-01T10:${String((n * 7) % 60).padStart(2, '0')}:00${zone}`,
    action: 'PLAY',
  }))
  return (request) => {
    const { pathname, searchParams } = new URL(request.url)
    if (!pathname.startsWith(APP)) return new Response('<!DOCTYPE html><html>Page not found</html>', { status: 404 })
    const [, given = ''] = (request.headers.get('authorization') ?? '').split(' ')
    if (Buffer.from(given, 'base64').toString() !== 'ida:seaglass')
      return Response.json({ message: 'Current user is not logged in' }, { status: 401 })
    const since = Number(searchParams.get('since'))
    if (pathname === `${APP}/subscriptions`)
      return Response.json({ add: [A, B], remove: ['https://feeds.example/old'], timestamp: 1_740_909_600 })
    if (pathname !== `${APP}/episode_action`) return new Response('', { status: 404 })
    const actions = episodes.filter(({ timestamp }) => Date.parse(`${timestamp.slice(0, 19)}Z`) / 1000 > since)
    return Response.json({ actions, timestamp: 1_740_909_600 })
  }
}

describe('Nextcloud with GPodder Sync', () => {
  test.each([
    ['without a zone', ''],
    ['with a zone', '+00:00'],
  ])('is imported into one device, with times %s, and nothing changes the second time', async (_name, zone) => {
    const server = nextcloud(700, zone)
    const other = standIn(server)
    const reading = await readAll(other.source())
    expect(reading.error).toBeUndefined()
    expect(ofKind(reading, 'device')).toEqual([
      { kind: 'device', id: 'gpoddersync', caption: 'Nextcloud apps', type: 'other' },
    ])
    expect(ofKind(reading, 'actions').map(({ actions }) => actions.length)).toEqual([500, 200])
    const common = { kind: 'play', device: 'gpoddersync' } as const
    const nothing = { started: undefined, position: undefined, total: undefined }
    const [first, second] = [0, 1].map((n) => `https://media.example/${n}.mp3`) as [string, string]
    expect(ofKind(reading, 'actions')[0]?.actions.slice(0, 2)).toEqual([
      {
        ...common,
        podcast: A,
        episode: first,
        at: 1_740_823_200,
        guid: undefined,
        started: 0,
        position: 60,
        total: 1800,
      },
      { ...common, podcast: B, episode: second, at: 1_740_823_620, guid: 'guid-1', ...nothing },
    ])
    const scene = await importScene()
    const report = await scene.run(reading.records)
    expect(report).toMatchObject({
      counts: {
        devices: { imported: 1 },
        subscriptions: { imported: 2 },
        episode_actions: { imported: 700, skipped: 0 },
      },
      skipped: [],
    })
    const clock = scene.clockOf()
    const again = await scene.run((await readAll(standIn(server).source())).records)
    expect(again.counts).toMatchObject({
      subscriptions: { imported: 0, present: 2 },
      episode_actions: { imported: 0, present: 700 },
    })
    expect(scene.clockOf()).toBe(clock)
  })

  test('suggests an app password if the password is wrong', async () => {
    const { error } = await readAll(standIn(nextcloud(1)).source({ password: 'wrong' }))
    expect(error).toMatchObject({
      code: 'validation_failed',
      message:
        'pods.example does not accept the user name or the password; Nextcloud with two-factor sign-in wants an app password, from Settings, Security',
    })
  })

  test('resumes with the history after the subscriptions', async () => {
    const server = nextcloud(20)
    const first = await readAll(standIn(server).source(), { until: ({ kind }) => kind === 'actions' })
    const other = standIn(server)
    const rest = await readAll(other.source(), { resumeFrom: first.cursor })
    expect(other.asked[0]).toBe(`${APP}/episode_action?since=0`)
    expect(episodesOf(rest)).toHaveLength(20)
  })
})
