import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { checkAll, createWorld, type Step, take } from './sync-world.ts'

const FEEDS = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `https://${name}.example/feed`)

const url = fc.constantFrom(...FEEDS)
const urls = fc.uniqueArray(url, { maxLength: 4 })
const device = fc.nat(4)
// The second user does less, just enough to notice changes that reach the wrong user.
const user = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) })

const seconds = fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -1_000_000, max: 1_000_000 }))
const synchronize = fc.array(fc.array(device, { maxLength: 3 }), { maxLength: 2 })
const isBlind = fc.boolean()
const isAutoSync = fc.boolean()
const stop = fc.array(device, { maxLength: 2 })
const exceptions = fc.subarray([0, 1, 2, 3, 4])
const anyDevice = fc.option(device, { nil: undefined })
const before = fc.constantFrom(0 as const, 1 as const)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('poll'), user, device }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('name'), user, device }) },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('upload'), user, device, isBlind, add: urls, remove: urls }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('put'), user, device, isBlind, urls }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('setting'), user, isAutoSync, except: exceptions }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('regroup'), user, synchronize, stop }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), user, device }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('restore'), user, device: anyDevice, step: fc.nat(60), before }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('clock'), jump: fc.boolean(), seconds }) },
)

test('every device ends with the server’s list, and gets each change once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 2, max: 5 }),
      fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }),
      async (devices, steps) => {
        const world = await createWorld([devices, 2])
        for (const next of steps) await take(world, next)
        await checkAll(world)
      },
    ),
    { numRuns: 150 },
  )
})

test('devices of a sync group that upload concurrently all end with the server’s list', async () => {
  const uploads = fc.array(fc.record({ device, add: urls, remove: urls }), { minLength: 2, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(uploads, uploads, async (first, second) => {
      const { app, people } = await createWorld([5])
      const [ida] = people
      if (!ida) throw new Error('no user')
      const { subscriptions, syncGroups, devices } = app.services
      const uids = ida.devices.map(({ uid }) => uid)
      for (const uid of uids) await devices.update(ida.id, uid, {})
      await syncGroups.regroup(ida.id, { synchronize: [uids], stop: [] })
      const local = new Map(uids.map((uid) => [uid, new Set<string>()]))
      const since = new Map(uids.map((uid) => [uid, 0]))
      const client = (uid: string) => ({ userId: ida.id, client: uid })

      async function poll(uid: string): Promise<void> {
        const { add, remove, timestamp } = await subscriptions.changesSince(client(uid), uid, since.get(uid) ?? 0)
        for (const feed of add) local.get(uid)?.add(feed)
        for (const feed of remove) local.get(uid)?.delete(feed)
        since.set(uid, timestamp)
      }

      for (const batch of [first, second]) {
        await Promise.all(uids.map(poll))
        await Promise.all(
          batch.map(async ({ device: index, add, remove }) => {
            const uid = uids[index] ?? ''
            const gone = remove.filter((feed) => !add.includes(feed))
            for (const feed of add) local.get(uid)?.add(feed)
            for (const feed of gone) local.get(uid)?.delete(feed)
            since.set(uid, (await subscriptions.upload(client(uid), uid, { add, remove: gone })).timestamp)
          }),
        )
      }
      await Promise.all(uids.map(poll))
      const held = new Set(await subscriptions.listDevice(ida.id, 'device0'))
      for (const uid of uids) expect(local.get(uid)).toEqual(held)
    }),
    { numRuns: 40 },
  )
})
