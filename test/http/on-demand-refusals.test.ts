import { describe, expect, test } from 'bun:test'
import type { FeedFailureReason } from '../../src/domain/feeds/ports.ts'
import { failed, feedOf } from '../domain/feed-scene.ts'
import { feedDocument } from '../store/contract/fixtures.ts'
import { type Answer, signUp } from '../support/client.ts'
import { lookupsOf, NEW, OWN, openOnDemand, REASONS, SECRET } from './on-demand-scene.ts'
import { podcastPath } from './podcast-data-scene.ts'
import { expectRefusal } from './refusal.ts'

type Scene = Awaited<ReturnType<typeof openOnDemand>>

const fails =
  (reason: FeedFailureReason) =>
  ({ script }: Scene) => {
    script.answer = async () => failed({ reason, message: `low tide at 192.168.1.20, by reason of ${reason}` })
  }

/** Everything of an answer that a stranger can see. */
const seen = ({ status, headers, text }: Answer) => ({ status, text, headers: [...headers] })

type Situation = [why: string, url: string, settings: Record<string, string>, begin: (scene: Scene) => unknown]

/** Why a stranger is told that there is no such podcast. */
const SITUATIONS: Situation[] = [
  ...REASONS.map(([reason]): Situation => [`it cannot be had: ${reason}`, NEW, {}, fails(reason)]),
  ['nothing is to be fetched', NEW, { feed_on_demand: 'off' }, () => undefined],
  ['nothing is to be fetched for strangers', NEW, { feed_on_demand: 'users' }, () => undefined],
  ['its address is a secret', SECRET, {}, () => undefined],
  [
    'its address is a secret of somebody here',
    SECRET,
    {},
    ({ ida }) => ida.post('/api/2/subscriptions/ida/phone.json', { add: [SECRET] }),
  ],
  [
    'its publisher does not want it listed',
    NEW,
    {},
    ({ script }) => {
      script.answer = async () => feedOf('', { document: feedDocument({ isBlocked: true }) })
    },
  ],
  [
    'it is private to its subscriber',
    OWN,
    {},
    ({ ida }) => ida.post(`/api/2/settings/ida/podcast.json?podcast=${OWN}`, { set: { public_subscription: false } }),
  ],
]

describe('a stranger is told the same, byte for byte, whether', () => {
  test.each(SITUATIONS)('%s', async (_why, url, settings, begin) => {
    const scene = await openOnDemand(settings)
    await begin(scene)
    for (const client of [scene.anyone, scene.impostor])
      for (const path of lookupsOf(url)) {
        const answer = await client.get(path)
        expectRefusal(answer, 404, 'unknown_podcast')
        expect(seen(answer)).toEqual(seen(await strangersAnswer()))
      }
  })

  /** What a feed is answered with that does not answer. */
  async function strangersAnswer(): Promise<Answer> {
    const scene = await openOnDemand()
    fails('unreachable')(scene)
    return scene.anyone.get(podcastPath('https://feeds.example/other'))
  }
})

describe('a user is told why', () => {
  test.each(REASONS)('%s is %i %s', async (reason, status, word) => {
    const scene = await openOnDemand()
    fails(reason)(scene)
    for (const path of lookupsOf(NEW)) {
      const answer = await scene.ida.get(path)
      expectRefusal(answer, status, word)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('unless its address is a secret, of somebody or nobody', async () => {
    const { app, ida, urlsAsked } = await openOnDemand({}, [SECRET])
    const bob = await signUp(app, 'bob')
    for (const path of [...lookupsOf(SECRET), ...lookupsOf('https://feeds.example/g?token=2')])
      expectRefusal(await bob.get(path), 404, 'unknown_podcast')
    expectRefusal(await ida.get(podcastPath('https://feeds.example/g?token=2')), 404, 'unknown_podcast')
    expect(urlsAsked()).toEqual([])
  })
})

describe('feed_on_demand', () => {
  test.each([
    ['anyone', 'anyone', 200],
    ['anyone', 'impostor', 200],
    ['anyone', 'ida', 200],
    ['users', 'anyone', 404],
    ['users', 'impostor', 404],
    ['users', 'ida', 200],
    ['off', 'anyone', 404],
    ['off', 'impostor', 404],
    ['off', 'ida', 404],
  ] as const)('= %s lets %s have an unknown feed fetched: %i', async (feed_on_demand, who, status) => {
    const { [who]: client, anyone, urlsAsked } = await openOnDemand({ feed_on_demand })
    for (const path of lookupsOf(NEW)) expect((await client.get(path)).status).toBe(status)
    expect(urlsAsked()).toEqual(status === 200 ? [NEW] : [])
    // What is known is for everybody.
    expect((await anyone.get(podcastPath(NEW))).status).toBe(status)
  })
})
