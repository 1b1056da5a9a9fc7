import { describe, expect, test } from 'bun:test'
import { feedDocument, feedEpisode } from '../../store/contract/fixtures.ts'
import { allOf, hourly, INBOX, LENGTH, media, open, playedTo, RELEASED, titlesIn, UNPLAYED } from './inbox-scene.ts'
import { openDirectory, urlOf } from './scene.ts'

/** docs/protocol.md#D118 */
describe('new episodes', () => {
  const NEW = `${INBOX}?new=true`

  /** Ida subscribed 30 days ago; `days` are days of releases relative to the subscription. */
  async function subscribed(feeds: Record<string, readonly (number | undefined)[]>) {
    const scene = await openDirectory({
      people: { ida: Object.keys(feeds), bob: [] },
      feeds: Object.fromEntries(Object.keys(feeds).map((name) => [name, feedDocument({ episodes: [] })])),
    })
    const since = scene.app.clock.seconds()
    scene.app.clock.advance(30 * 86_400)
    for (const [name, days] of Object.entries(feeds)) {
      const episodes = days.map((day, n) =>
        feedEpisode({
          ...{ url: media(name, n), guid: `${name}${n}`, title: `${name} ${n}`, duration: LENGTH },
          released: day === undefined ? undefined : since + day * 86_400,
        }),
      )
      await scene.publish(name, feedDocument({ title: name, episodes }))
    }
    return { ...scene, ida: scene.as('ida') }
  }

  test.each([
    ['an archive only', [-30, -20, -10], ['a 2'], { unplayed: 3, new: 1 }],
    ['releases since', [-30, 1, 2], ['a 2', 'a 1'], { unplayed: 3, new: 2 }],
    ['a release at the time of the subscription', [-1, 0], ['a 1'], { unplayed: 2, new: 1 }],
    ['two newest of the same second', [-9, -5, -5], ['a 1', 'a 2'], { unplayed: 3, new: 2 }],
    ['a late release', [-9, 29], ['a 1'], { unplayed: 2, new: 1 }],
    ['episodes without a date', [undefined, undefined], [], { unplayed: 2, new: 0 }],
    ['an episode without a date', [-9, undefined], ['a 0'], { unplayed: 2, new: 1 }],
    ['no episodes', [], [], { unplayed: 0, new: 0 }],
  ])('are those since the subscription, or the newest one: %s', async (_case, days, titles, counts) => {
    const { ida } = await subscribed({ a: days })
    expect(titlesIn(await ida.get(NEW))).toEqual(titles)
    expect((await ida.get(UNPLAYED)).json).toEqual([{ url: urlOf('a'), ...counts }])
  })

  test('exclude played ones, without older ones in their place', async () => {
    const { ida, tell } = await open({ a: 3, b: 2 })
    await tell('a', 2, playedTo(LENGTH))
    expect(titlesIn(await ida.get(NEW))).toEqual(['b 1'])
    expect(titlesIn(await ida.get(`${INBOX}?unplayed=true`))).toHaveLength(4)
  })

  test('are paged, and filtered by podcast and tag', async () => {
    const { ida } = await subscribed({ a: [-9, 1, 2, 3, 4, 5], b: [-3, -2], c: [1] })
    expect((await allOf(ida, `${NEW}&per_page=2`)).map(({ episode }) => episode.title)).toEqual([
      ...['a 5', 'a 4', 'a 3', 'a 2', 'c 0', 'a 1', 'b 1'],
    ])
    expect(titlesIn(await ida.get(`${NEW}&podcast=${urlOf('b')}`))).toEqual(['b 1'])
    expect(titlesIn(await ida.get(`${NEW}&tag=none`))).toEqual([])
  })

  test('count from the first device with the podcast, and anew after a new subscription', async () => {
    const { app, ida, change, publish } = await open({ a: 1 })
    const later = (n: number, days: number) =>
      feedEpisode({ url: media('a', n), guid: `a${n}`, title: `a ${n}`, released: RELEASED + (10 + days) * 86_400 })
    app.clock.advance(5 * 86_400)
    await change('ida', 'desk', { add: ['a'] })
    const [first] = hourly('a', 1).episodes
    if (!first) throw new Error('there is no episode')
    await publish('a', feedDocument({ title: 'Podcast a', episodes: [first, later(1, 2), later(2, 4)] }))
    expect(titlesIn(await ida.get(NEW))).toEqual(['a 2', 'a 1'])
    await change('ida', 'desk', { remove: ['a'] })
    await change('ida', 'phone', { remove: ['a'] })
    app.clock.advance(86_400)
    await change('ida', 'phone', { add: ['a'] })
    expect(titlesIn(await ida.get(NEW))).toEqual(['a 2'])
  })
})
