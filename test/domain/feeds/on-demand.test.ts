import { expect, test } from 'bun:test'
import { createFeedUpdater } from '../../../src/domain/feeds/feed-updater.ts'
import { createFeedOnDemand } from '../../../src/domain/feeds/on-demand.ts'
import type { FeedFailureReason, FeedSource } from '../../../src/domain/feeds/ports.ts'
import { createHostQueue } from '../../../src/domain/shared/concurrency.ts'
import { noLimit } from '../../../src/domain/shared/rate-limit.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createLru } from '../../../src/platform/lru.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { known, subscribed } from '../../store/contract/feeds/feeds.ts'
import { A } from '../../store/contract/fixtures.ts'
import { fakeClock } from '../../support/clock.ts'
import { type ScriptedAnswer, toFeedAnswer } from '../../support/feed-source.ts'
import { seededRandom } from '../../support/values.ts'
import { failed, feedOf } from '../feed-scene.ts'

const ANONYMOUS = { userId: undefined, address: '192.0.2.1' }

/** A feed with a subscriber, and its answers to anonymous requests and to users. */
async function open(answers: { readonly anyone: ScriptedAnswer; readonly users: ScriptedAnswer }) {
  const clock = fakeClock()
  const { store, ida } = await subscribed(createSqliteStore(openMemoryDatabase()), { phone: [A] })
  const sourceOf = (answer: ScriptedAnswer): FeedSource => ({
    ask: (_feed, _at, wanted, save) => toFeedAnswer(answer, wanted, save),
    close: () => undefined,
  })
  const onDemand = createFeedOnDemand({
    store: store.feeds,
    updater: createFeedUpdater({
      store: store.feeds,
      clock,
      random: seededRandom(1),
      log: createLog({ level: 'error', format: 'json', write: () => undefined }),
      baseSeconds: 3600,
      keepEpisodes: 10,
    }),
    authenticated: sourceOf(answers.users),
    anonymous: sourceOf(answers.anyone),
    isOff: false,
    queues: {
      accounts: createHostQueue({ atOnce: 4, perHost: 2 }),
      anonymous: createHostQueue({ atOnce: 4, perHost: 2 }),
    },
    failures: createLru(10, clock, 300_000),
    anonymousFetches: noLimit,
    now: () => clock.seconds(),
  })
  return { store, onDemand, user: { userId: ida, address: ANONYMOUS.address } }
}

test('a feed forbidden to anonymous clients is no failing feed, and that answer is remembered only for them', async () => {
  const answers = { anyone: failed({ reason: 'forbidden' }), users: feedOf('Harbour Talk') }
  const { store, onDemand, user } = await open(answers)
  expect(await onDemand.obtain(A, ANONYMOUS)).toMatchObject({ kind: 'failed', reason: 'forbidden' })
  expect(await known(store, A)).toMatchObject({ failures: 0 })
  expect(await store.feeds.health(10)).toMatchObject({ failingTotal: 0 })
  // The scheduled refresh, which may reach it, still includes it.
  expect((await store.feeds.listDue(fakeClock().seconds(), 10)).map(({ url }) => url)).toEqual([A])
  for (let n = 0; n < 2; n++) {
    expect(await onDemand.obtain(A, user)).toMatchObject({ kind: 'feed' })
    expect(await onDemand.obtain(A, ANONYMOUS)).toMatchObject({ kind: 'failed' })
  }
})

test.each<[FeedFailureReason, 'anyone' | 'users']>([
  ['forbidden', 'users'],
  ['timeout', 'users'],
  ['timeout', 'anyone'],
  ['not_a_feed', 'anyone'],
])('any other failure is one of the feed: %s for %s', async (reason, who) => {
  const answer = failed({ reason })
  const { store, onDemand, user } = await open({ anyone: answer, users: answer })
  await onDemand.obtain(A, who === 'users' ? user : ANONYMOUS)
  expect(await store.feeds.health(10)).toMatchObject({ failing: [{ url: A, reason, failures: 1 }] })
  expect(await store.feeds.listDue(fakeClock().seconds(), 10)).toEqual([])
})
