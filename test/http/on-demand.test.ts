import { describe, expect, test } from 'bun:test'
import { failed } from '../domain/feed-scene.ts'
import { signUp } from '../support/client.ts'
import { FOG, lookupsOf, NEW, OWN, openOnDemand, REASONS, SECRET } from './on-demand-scene.ts'
import { episodePath, episodesPath, podcastPath } from './podcast-data-scene.ts'
import { expectRefusal } from './refusal.ts'

describe('a podcast that somebody has and that was never fetched', () => {
  test.each([0, 1, 2])('is fetched within the request: lookup %i', async (index) => {
    const { anyone, urlsAsked } = await openOnDemand()
    const path = lookupsOf(OWN)[index] ?? ''
    const { status, text } = await anyone.get(path)
    expect([status, text]).toEqual([200, expect.stringContaining('Harbour Talk')])
    expect((await anyone.get(path)).text).toBe(text)
    expect(urlsAsked()).toEqual([OWN])
  })

  test.each(REASONS)('is shown with what is known if that fails: %s', async (reason) => {
    for (const who of ['anyone', 'ida'] as const) {
      const { script, row, [who]: client } = await openOnDemand()
      script.answer = async () => failed({ reason })
      expect(await client.get(podcastPath(OWN))).toMatchObject({
        status: 200,
        json: { url: OWN, title: OWN, author: '', subscribers: 1 },
      })
      expect(await client.get(episodesPath(OWN))).toMatchObject({ status: 200, json: { total: 0, episodes: [] } })
      expectRefusal(await client.get(episodePath(OWN, FOG)), 404, 'unknown_episode')
      // What strangers may not reach is no fault of the feed.
      const failures = who === 'anyone' && reason === 'forbidden' ? 0 : 1
      expect(row(OWN)).toMatchObject({ failures, error_reason: failures === 0 ? null : reason })
    }
  })

  test('is fetched for its subscriber if its address is a secret, and for nobody else (D56)', async () => {
    const { ida, anyone, impostor, urlsAsked } = await openOnDemand({}, [SECRET])
    for (const client of [anyone, impostor])
      for (const path of lookupsOf(SECRET)) expectRefusal(await client.get(path), 404, 'unknown_podcast')
    expect(urlsAsked()).toEqual([])
    expect(await ida.get(podcastPath(SECRET))).toMatchObject({ status: 200, json: { title: 'Harbour Talk' } })
    expect(urlsAsked()).toEqual([SECRET])
    expectRefusal(await anyone.get(podcastPath(SECRET)), 404, 'unknown_podcast')
  })
})

describe('a podcast that nobody has', () => {
  test.each([0, 1, 2])('is fetched once, and kept: lookup %i', async (index) => {
    for (const who of ['anyone', 'ida', 'impostor'] as const) {
      const { [who]: client, anyone, urlsAsked, row } = await openOnDemand()
      const path = lookupsOf(NEW)[index] ?? ''
      const { status, text } = await client.get(path)
      expect([status, text]).toEqual([200, expect.stringContaining('Harbour Talk')])
      for (const other of lookupsOf(NEW)) expect(await anyone.get(other)).toMatchObject({ status: 200 })
      expect(urlsAsked()).toEqual([NEW])
      expect(row(NEW)).toMatchObject({ is_local: 0, is_private: 0, subscribers: 0 })
    }
  })

  test('is in no list until somebody subscribes, and then is in all (D51, D52)', async () => {
    const { app, ida, anyone, urlsAsked } = await openOnDemand()
    const bob = await signUp(app, 'bob')
    await anyone.get(podcastPath(OWN))
    await anyone.get(podcastPath(NEW))
    const lists = async () => {
      const found: boolean[] = []
      for (const path of [
        '/toplist.txt',
        '/search.txt?q=harbour',
        '/api/2/search/all?q=harbour',
        '/api/2/tag/sea/9.json',
      ])
        found.push((await anyone.get(path)).text.includes(NEW))
      found.push((await ida.get('/suggestions/9.txt')).text.includes(NEW))
      return [...found, (await anyone.get('/api/2/tags/9.json')).json]
    }
    expect(await lists()).toEqual([false, false, false, false, false, [{ title: 'Sea', tag: 'sea', usage: 1 }]])
    await bob.post('/api/2/subscriptions/bob/phone.json', { add: [NEW] })
    expect(await lists()).toEqual([true, true, true, true, true, [{ title: 'Sea', tag: 'sea', usage: 2 }]])
    expect(urlsAsked()).toEqual([OWN, NEW])
  })
})

describe('a podcast that only somebody’s episode action has named', () => {
  const action = { podcast: NEW, episode: FOG, action: 'play', position: 1 }
  test('tells nobody that there is such an action', async () => {
    const { ida, anyone, script, urlsAsked } = await openOnDemand()
    await ida.post('/api/2/episodes/ida.json', [action, { ...action, podcast: SECRET }])
    script.answer = async () => failed()
    const unknown = await anyone.get(podcastPath('https://feeds.example/other'))
    for (const url of [NEW, SECRET]) expect((await anyone.get(podcastPath(url))).text).toBe(unknown.text)
    expectRefusal(await ida.get(podcastPath(NEW)), 502, 'feed_unreachable')
    expectRefusal(await ida.get(podcastPath(SECRET)), 404, 'unknown_podcast')
    expect(urlsAsked()).not.toContain(SECRET)
  })
})
