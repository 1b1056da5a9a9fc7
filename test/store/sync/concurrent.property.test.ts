import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { nextTurn } from '../../../src/platform/clock.ts'
import { change, T } from '../contract/fixtures.ts'
import { feeds, open } from './full-account.ts'

test('concurrent uploads, lists and reads of one user end as if made one after the other', async () => {
  const step = fc.record({
    device: fc.constantFrom('phone', 'desk', 'radio'),
    kind: fc.constantFrom('add', 'remove', 'replace'),
    from: fc.integer({ min: 0, max: 6 }),
    count: fc.integer({ min: 0, max: 5 }),
    isLarge: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
      const { db, store, ida } = await open()
      const readers = ['phone', 'radio'].map((uid) => ({ uid, since: 0, held: new Set<string>() }))
      const poll = async ({ uid, held }: (typeof readers)[number], since: number) => {
        const { add, remove, clock } = await store.subscriptions.changesSince(ida, uid, since)
        for (const url of remove) held.delete(url)
        for (const url of add) held.add(url)
        return clock + 1
      }
      const writing = Promise.all(
        steps.map(({ device, kind, from, count, isLarge }) => {
          const size = isLarge ? 250 : 3
          const urls = feeds(from * size, (from + count) * size)
          return kind === 'replace'
            ? store.subscriptions.replace(ida, device, urls, T + 100)
            : change(store, ida, device, { [kind]: urls })
        }),
      )
      while (Bun.peek.status(writing) === 'pending') {
        for (const reader of readers) reader.since = await poll(reader, reader.since)
        await nextTurn()
      }
      await writing
      for (const reader of readers) {
        await poll(reader, reader.since)
        expect(reader.held).toEqual(new Set(await store.subscriptions.listDevice(ida, reader.uid)))
      }
      expect(new Set(await store.subscriptions.listDevice(ida, 'desk'))).toEqual(
        new Set(await store.subscriptions.listDevice(ida, 'phone')),
      )
      const counted = db.query('SELECT SUM(subscribed) FROM subscriptions').values()
      expect(db.query('SELECT subscription_count FROM users').values()).toEqual(counted)
    }),
    { numRuns: 15 },
  )
})
