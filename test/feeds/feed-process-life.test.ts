import { describe, expect, test } from 'bun:test'
import { neverAsked } from '../../src/domain/feeds/ports.ts'
import { createFeedProcess } from '../../src/worker/client.ts'
import type { FeedRequest } from '../../src/worker/protocol.ts'
import { given, UNCHANGED, UNREACHABLE } from '../support/feed-source.ts'
import { reasonOf } from '../support/reason.ts'
import { answering, feedOf, hanging, noRead, OUTLINE, open, SETTINGS, STOPPING, URL_A } from './process-scene.ts'

describe('the process', () => {
  test('begins when it is needed, and ends when nobody has needed it for twenty seconds', async () => {
    using scene = open()
    expect(scene.living()).toBe(0)
    await scene.loop.ask(neverAsked(URL_A), 5, noRead)
    scene.timer.pass(19_999)
    await Promise.all([scene.loop, scene.users].map((source) => source.ask(neverAsked(URL_A), 5, noRead)))
    scene.timer.pass(19_999)
    expect([scene.processes.length, scene.living()]).toEqual([1, 1])
    scene.timer.pass(1)
    expect(scene.living()).toBe(0)
    expect(await scene.loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(UNCHANGED)
    expect([scene.processes.length, scene.living()]).toEqual([2, 1])
    expect(scene.settings).toEqual([SETTINGS, SETTINGS])
  })

  test('is not ended while a feed is under way, however long', async () => {
    const { ask, reached } = hanging()
    using scene = open({ loop: ask, users: answering(UNCHANGED) })
    const slow = reasonOf(scene.loop.ask(neverAsked(URL_A), 5, noRead))
    await reached
    await scene.users.ask(neverAsked(URL_A), 5, noRead)
    for (let n = 0; n < 60; n++) {
      scene.timer.pass(10_000)
      scene.processes[0]?.onReply({ isAlive: true })
    }
    expect(scene.living()).toBe(1)
    scene.loop.close()
    await slow
  })

  test('that ends is followed by another, which is asked for what nothing has come back of', async () => {
    const { ask: hang, reached } = hanging()
    const asks = [hang, answering(feedOf(3))]
    using scene = open((...order) => (asks.shift() ?? answering(UNREACHABLE))(...order))
    const asked = scene.loop.ask(neverAsked(URL_A), 5, noRead)
    await reached
    scene.die()
    expect(await asked).toMatchObject({ kind: 'feed', document: { title: 'Harbour Talk' } })
    expect([scene.processes.length, scene.living(), scene.settings.length]).toEqual([2, 1, 2])
  })

  test('that ends twice over a feed fails it, and the next feed gets another', async () => {
    const hangs = [hanging(), hanging()]
    const asks = hangs.map(({ ask }) => ask)
    using scene = open((...order) => (asks.shift() ?? answering(UNCHANGED))(...order))
    const asked = reasonOf(scene.loop.ask(neverAsked(URL_A), 5, noRead))
    for (const { reached } of hangs) {
      await reached
      scene.die()
    }
    expect(await asked).toMatchObject({ message: 'the program that reads feeds ended: SIGSEGV: low tide' })
    expect(await scene.loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(UNCHANGED)
    expect(scene.processes).toHaveLength(3)
  })

  test('that ends fails what is being read, and begins no other for a reader that goes on', async () => {
    using scene = open(answering(feedOf(30)))
    const { promise: reading, resolve: begin } = Promise.withResolvers<void>()
    const { promise: late, resolve: goOn } = Promise.withResolvers<void>()
    const { promise: readerHeard, resolve: hear } = Promise.withResolvers<unknown>()
    const read = reasonOf(
      scene.users.ask(neverAsked(URL_A), 5, async ({ episodesBut }) => {
        begin()
        await late
        hear(await reasonOf(episodesBut('{}')[Symbol.asyncIterator]().next()))
      }),
    )
    await reading
    scene.die()
    const lost = { message: 'the program that reads feeds ended: SIGSEGV: low tide' }
    expect(await read).toMatchObject(lost)
    goOn()
    expect(await readerHeard).toMatchObject(lost)
    expect(scene.processes).toHaveLength(1)
  })

  test('that answers while it is still read leaves the reader with nothing to wait for', async () => {
    const { promise: wanted, resolve: want } = Promise.withResolvers<void>()
    const { loop } = createFeedProcess(({ onReply }) => {
      const replies = (order: FeedRequest) => {
        if ('feed' in order) onReply({ number: order.number, open: { document: OUTLINE, isInside: false } })
        if (!('known' in order)) return
        want()
        onReply({ number: order.number, answer: UNCHANGED })
      }
      return { send: (order) => queueMicrotask(() => replies(order)), end: () => undefined }
    }, SETTINGS)
    const { promise: heard, resolve: hear } = Promise.withResolvers<unknown>()
    const asked = loop.ask(neverAsked(URL_A), 5, async ({ episodesBut }) => {
      hear(await reasonOf(episodesBut('{}')[Symbol.asyncIterator]().next()))
    })
    await wanted
    expect(await asked).toEqual(UNCHANGED)
    expect(await heard).toMatchObject({ message: 'the feed has been answered' })
    loop.close()
  })

  test('that is silent for a minute while a feed is under way is ended', async () => {
    const { ask: hang, reached } = hanging()
    const asks = [hang, answering(UNCHANGED)]
    using scene = open((...order) => (asks.shift() ?? answering(UNREACHABLE))(...order))
    const asked = scene.loop.ask(neverAsked(URL_A), 5, noRead)
    await reached
    scene.processes[0]?.onReply({ isAlive: true })
    scene.timer.pass(60_000)
    expect([scene.processes.length, scene.living()]).toEqual([1, 1])
    scene.timer.pass(60_000)
    expect([scene.processes.length, scene.living()]).toEqual([2, 1])
    // Too late for anybody.
    scene.processes[0]?.onReply({ number: 0, answer: UNREACHABLE })
    expect(await asked).toEqual(UNCHANGED)
  })

  test('that crashes over an address does not bring it into the log', async () => {
    using scene = open(async () => {
      throw new Error('low tide at https://ida:seaglass@a.example/f?key=seaglass, and http://b.example/seaglass')
    })
    const lost = await reasonOf(scene.loop.ask(neverAsked(URL_A), 5, noRead))
    expect(lost).toMatchObject({
      message: expect.stringContaining('low tide at https://a.example/… and http://b.example/…'),
    })
    expect(String(lost)).not.toContain('seaglass')
  })

  test('that ends while a reader waits for episodes does not leave it waiting', async () => {
    const { promise: wanted, resolve: want } = Promise.withResolvers<void>()
    using scene = open((_feed, _at, read) =>
      given(feedOf(3), (feed) =>
        read({
          ...feed,
          episodesBut: () => ({
            [Symbol.asyncIterator]: () => ({
              next() {
                want()
                return new Promise<never>(() => undefined)
              },
            }),
          }),
        }),
      ),
    )
    const lost = reasonOf(
      scene.loop.ask(neverAsked(URL_A), 5, async ({ episodesBut }) => {
        for await (const _ of episodesBut('{}')) throw new Error('there are none')
      }),
    )
    await wanted
    scene.die()
    expect(await lost).toMatchObject({ message: expect.stringContaining('low tide') })
  })

  test('that ends when it is not needed is no matter, nor is one that we have ended', async () => {
    using scene = open()
    await scene.loop.ask(neverAsked(URL_A), 5, noRead)
    scene.die()
    await scene.loop.ask(neverAsked(URL_A), 5, noRead)
    scene.processes[0]?.onEnd('once more')
    expect(await scene.loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(UNCHANGED)
    expect([scene.processes.length, scene.living()]).toEqual([2, 1])
  })

  test('that cannot be started fails whoever needs it, and nobody else', async () => {
    const refusals = [new Error('too many processes')]
    const { loop } = createFeedProcess(({ onReply }) => {
      const refusal = refusals.shift()
      if (refusal) throw refusal
      return {
        send: (order) => 'feed' in order && queueMicrotask(() => onReply({ number: order.number, answer: UNCHANGED })),
        end: () => undefined,
      }
    }, SETTINGS)
    expect(await reasonOf(loop.ask(neverAsked(URL_A), 5, noRead))).toMatchObject({ message: 'too many processes' })
    expect(await loop.ask(neverAsked(URL_A), 5, noRead)).toEqual(UNCHANGED)
    loop.close()
  })
})

describe('closing', () => {
  test('ends the process and whoever waits, for good, and twice is no mistake', async () => {
    const { ask, reached } = hanging()
    using scene = open(ask)
    const waiting = [scene.loop, scene.users].map((source) => reasonOf(source.ask(neverAsked(URL_A), 5, noRead)))
    await reached
    scene.users.close()
    scene.loop.close()
    for (const each of waiting) expect(await each).toMatchObject(STOPPING)
    expect(await reasonOf(scene.anyone.ask(neverAsked(URL_A), 5, noRead))).toMatchObject(STOPPING)
    expect([scene.processes.length, scene.living()]).toEqual([1, 0])
    expect(scene.timer.waiting).toBe(0)
  })
})
