import { describe, expect, test } from 'bun:test'
import { NotAFeed } from '../../src/domain/feeds/document.ts'
import { type AskedFeed, type FeedAnswer, neverAsked } from '../../src/domain/feeds/ports.ts'
import type { FeedResponse } from '../../src/worker/protocol.ts'
import { createRequestHandler } from '../../src/worker/request-handler.ts'
import { given, type ScriptedAnswer, UNCHANGED, UNREACHABLE } from '../support/feed-source.ts'
import { reasonOf } from '../support/reason.ts'
import { type Ask, answering, feedOf, hanging, noRead, open, SETTINGS, STOPPING, URL_A } from './process-scene.ts'

describe('a feed', () => {
  const ANSWERS: [string, ScriptedAnswer][] = [
    ['unchanged', { ...UNCHANGED, etag: '"1"', freshFor: 60 }],
    ['out of reach', UNREACHABLE],
  ]
  test.each(ANSWERS)('answers as it would here: %s', async (_case, answer) => {
    using scene = open(answering(answer))
    expect(await scene.loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(answer as FeedAnswer)
  })

  test('is asked for with what is known of it, for whom it is, and at what time', async () => {
    const asked: [string, AskedFeed, number][] = []
    const asking =
      (whom: string): Ask =>
      async (feed, at) => {
        asked.push([whom, feed, at])
        return UNCHANGED
      }
    using scene = open({ loop: asking('loop'), users: asking('users'), anyone: asking('anyone') })
    const feed: AskedFeed = { ...neverAsked(URL_A), etag: '"1"', bodyHash: 'abc', failures: 3, ttlSeconds: 60 }
    await scene.loop.ask(feed, 5, noRead)
    await scene.users.ask(feed, 6, noRead)
    await scene.anyone.ask(feed, 7, noRead)
    expect(asked).toEqual([
      ['loop', feed, 5],
      ['users', feed, 6],
      ['anyone', feed, 7],
    ])
    expect(scene.settings).toEqual([SETTINGS])
  })

  test.each([0, 1, 9, 10, 11, 30, 35])('is read while it is open: %i episodes', async (count) => {
    using scene = open(answering(feedOf(count)))
    const titles: string[] = []
    const answer = await scene.loop.ask(neverAsked(URL_A), 5, async ({ document, isInside, episodesBut }) => {
      expect([document.title, document.episodeCount, isInside]).toEqual(['Harbour Talk', count, true])
      for await (const some of episodesBut('{}', 'oldest first')) titles.push(...some.map(({ title }) => title))
    })
    expect(titles).toEqual(Array.from({ length: count }, (_, n) => `Fog ${count - 1 - n}`))
    expect(answer).toMatchObject({ kind: 'feed', etag: '"1"', document: { title: 'Harbour Talk' } })
  })

  test('comes newest first unless told otherwise, without what is known, and may be gone through again', async () => {
    using scene = open(answering(feedOf(12)))
    const rounds: string[][] = []
    let known = '{}'
    await scene.loop.ask(neverAsked(URL_A), 5, async ({ episodesBut }) => {
      for (let round = 0; round < 3; round++) {
        const titles: string[] = []
        const fingerprints: string[] = []
        for await (const some of episodesBut(known)) {
          titles.push(...some.map(({ title }) => title))
          fingerprints.push(...some.map(({ fingerprint }) => fingerprint))
        }
        rounds.push(titles)
        if (round === 1) known = JSON.stringify({ ...fingerprints.slice(0, 11) })
      }
    })
    const all = Array.from({ length: 12 }, (_, n) => `Fog ${n}`)
    expect(rounds).toEqual([all, all, ['Fog 11']])
  })

  test('is not held up by another that is read or asked for', async () => {
    const { ask, reached } = hanging()
    using scene = open({ loop: answering(feedOf(3)), users: ask })
    const slow = reasonOf(scene.users.ask(neverAsked(URL_A), 5, noRead))
    await reached
    const { promise: stored, resolve: store } = Promise.withResolvers<void>()
    const first = scene.loop.ask(neverAsked(URL_A), 5, () => stored)
    const second = scene.loop.ask(neverAsked(URL_A), 5, noRead)
    expect(await second).toMatchObject({ kind: 'feed' })
    store()
    expect(await first).toMatchObject({ kind: 'feed' })
    scene.loop.close()
    expect(await slow).toMatchObject(STOPPING)
  })
})

describe('whoever reads a feed', () => {
  test('and fails is told so, and the document is closed', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    using scene = open(async (_feed, _at, read) => {
      const answer = await given(feedOf(3), read)
      resolve()
      return answer
    })
    const full = new Error('the disk is full')
    const read = async () => Promise.reject(full)
    expect(await reasonOf(scene.loop.ask(neverAsked(URL_A), 5, read))).toBe(full)
    await closed
  })

  test.each([
    ['is none after all', new NotAFeed('parsing takes too long'), { kind: 'failed', reason: 'not_a_feed' }],
    ['cannot be read by a fault of ours', new Error('low tide'), expect.objectContaining({ name: 'Error' })],
  ])('hears when it %s', async (_case, error, outcome) => {
    using scene = open((_feed, _at, read) =>
      given(feedOf(3), (feed) =>
        read({
          ...feed,
          episodesBut: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(error) }) }),
        }),
      ),
    )
    const asked = scene.loop.ask(neverAsked(URL_A), 5, async ({ episodesBut }) => {
      for await (const _ of episodesBut('{}')) throw new Error('there are none')
    })
    const settled = await asked.catch((reason: unknown) => reason)
    expect(settled).toMatchObject(outcome)
    expect(settled).toHaveProperty('message', expect.stringContaining(error.message))
  })
})

describe('a fault of ours', () => {
  test('tells where it was, and the next feed is answered', async () => {
    const faults = [new Error('low tide'), 'low tide']
    using scene = open(async () => {
      const fault = faults.shift()
      if (fault) throw fault
      return UNCHANGED
    })
    for (let n = 0; n < 2; n++)
      expect(await reasonOf(scene.loop.ask(neverAsked(URL_A), 5, noRead))).toMatchObject({
        message: expect.stringContaining('low tide'),
      })
    expect(await scene.loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(UNCHANGED)
    expect(scene.processes).toHaveLength(1)
  })

  test('it is to ask before the settings are told', async () => {
    const { promise, resolve } = Promise.withResolvers<FeedResponse>()
    const clerk = createRequestHandler(() => {
      throw new Error('nobody tells them')
    }, resolve)
    clerk({ number: 1, of: 'loop', feed: neverAsked(URL_A), at: 5 })
    expect(await promise).toMatchObject({ number: 1, broken: expect.stringContaining('settings are missing') })
  })

  test('it is not to go on with a feed that nobody reads any more', () => {
    const replies: FeedResponse[] = []
    const clerk = createRequestHandler(
      () => open(),
      (reply) => replies.push(reply),
    )
    clerk({ number: 7, known: '{}', order: 'newest first' })
    clerk({ number: 7, isRead: true })
    expect(replies).toEqual([])
  })
})
