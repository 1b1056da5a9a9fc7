import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { UserId } from '../../src/domain/shared/ids.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { advanceClocks, clocksIn } from '../../src/store/sqlite/server/restore.ts'
import { startTestApp, type TestApp } from '../support/app.ts'
import { COMMAND_LINE } from '../support/command-line.ts'

type Step = Readonly<
  | { kind: 'poll'; device: number }
  | { kind: 'upload'; device: number; add: readonly string[]; remove: readonly string[] }
  | { kind: 'join'; devices: readonly number[] }
  | { kind: 'jump'; seconds: number }
>

/** A device with an app on it. */
interface Device {
  readonly uid: string
  /** Subscriptions in the app. */
  readonly local: Set<string>
  since: number
  /** Some apps store `timestamp + 1`. */
  readonly keeps: 0 | 1
  /** Subscriptions that the app added after the backup, which the server has lost. */
  own: Set<string>
  hasPolled: boolean
}

interface World {
  app: TestApp
  /** Feeds removed by any device since the restore; undefined if some device had not read everything before the backup. */
  removed: ReadonlySet<string> | undefined
  readonly ida: UserId
  readonly devices: readonly Device[]
}

const url = fc.constantFrom(...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `https://${name}.example/feed`))
const urls = fc.uniqueArray(url, { maxLength: 4 })
const device = fc.nat(3)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('poll'), device }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('upload'), device, add: urls, remove: urls }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('join'), devices: fc.uniqueArray(device, { maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('jump'), seconds: fc.integer({ min: -5, max: 100_000 }) }) },
)
const steps = fc.array(step, { minLength: 3, maxLength: 25, size: 'max' })

async function createWorld(): Promise<World> {
  const app = startTestApp({ db: openMemoryDatabase() })
  const account = { username: 'ida', password: 'seaglass', email: '' }
  const { id } = await app.services.administration.create(account, false, COMMAND_LINE)
  const devices = [0, 1, 2, 3].map(
    (index): Device => ({
      ...{ uid: `device${index}`, local: new Set(), since: 0, own: new Set(), hasPolled: false },
      keeps: index % 2 === 0 ? 0 : 1,
    }),
  )
  for (const { uid } of devices) await app.services.devices.update(id, uid, {})
  return { app, removed: undefined, ida: id, devices }
}

const client = ({ ida }: World, { uid }: Device) => ({ userId: ida, client: uid })

async function poll(world: World, device: Device): Promise<void> {
  const { uid, local, since, keeps } = device
  const changes = await world.app.services.subscriptions.changesSince(client(world, device), uid, since)
  for (const each of changes.add) local.add(each)
  for (const each of changes.remove) {
    // A restore removes nothing from an app.
    if (world.removed) expect(world.removed).toContain(each)
    local.delete(each)
  }
  device.since = changes.timestamp + keeps
  device.hasPolled = true
}

async function take(world: World, step: Step): Promise<void> {
  const { app, ida, devices } = world
  if (step.kind === 'jump') return app.clock.jump(step.seconds)
  if (step.kind === 'join') {
    const synchronize = step.devices.length < 2 ? [] : [step.devices.map((index) => `device${index}`)]
    await app.services.syncGroups.regroup(ida, { synchronize, stop: [] })
    return
  }
  const device = devices[step.device]
  if (!device) throw new Error('no device')
  if (step.kind === 'poll') return poll(world, device)
  // Every app reads before it writes.
  if (!device.hasPolled) await poll(world, device)
  const remove = step.remove.filter((each) => !step.add.includes(each))
  const sent = { add: step.add, remove }
  for (const each of step.add) device.local.add(each)
  for (const each of remove) device.local.delete(each)
  world.removed = world.removed?.union(new Set(remove))
  const { timestamp } = await app.services.subscriptions.upload(client(world, device), device.uid, sent)
  device.since = timestamp + device.keeps
}

async function heldBy({ app, ida }: World, { uid }: Device): Promise<Set<string>> {
  return new Set((await app.services.subscriptions.listDevice(ida, uid)) ?? [])
}

test('after a restore every app agrees with the server, and keeps what it added since the backup', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, steps, fc.boolean(), fc.boolean(), async (...all) => {
      const [before, lost, after, isGone, haveRead] = all
      const world = await createWorld()
      for (const next of before) await take(world, next)
      if (haveRead) for (const device of world.devices) await poll(world, device)
      await world.app.idle()
      const backup = world.app.db.serialize()
      const backedUpAt = world.app.clock.seconds()
      for (const next of lost) await take(world, next)
      await world.app.idle()

      const db = openMemoryDatabase(backup)
      const { clock } = world.app
      // If the old database is lost too, the logical clocks may be at most a day ahead of the time.
      clock.jump(Math.max(0, backedUpAt - clock.seconds(), isGone ? ahead(world) : 0))
      advanceClocks(db, isGone ? undefined : clocksIn(world.app.db), clock.seconds())
      world.app = startTestApp({ db, clock })
      if (haveRead) world.removed = new Set()
      for (const device of world.devices) {
        device.own = device.local.difference(await heldBy(world, device))
        device.hasPolled = false
      }

      for (const next of after) await take(world, next)
      for (const device of world.devices) {
        await poll(world, device)
        const held = await heldBy(world, device)
        expect(held.difference(device.local)).toEqual(new Set())
        expect(device.local.difference(held).difference(device.own)).toEqual(new Set())
        // The next answer is empty, as usual.
        const { app } = world
        const again = await app.services.subscriptions.changesSince(client(world, device), device.uid, device.since)
        expect([...again.add, ...again.remove]).toEqual([])
      }
    }),
    { numRuns: 25 },
  )
})

function ahead({ app }: World): number {
  return Math.max(0, ...Object.values(clocksIn(app.db))) - app.clock.seconds() - 86_400
}

test('after a restore an app gets chapters back whose removal it had seen', async () => {
  const world = await createWorld()
  const episode = { podcast: 'https://a.example/feed', episode: 'https://a.example/1.mp3' }
  const chapters = [{ start: 10, end: 20, label: 'the good bit', isAdvertisement: false }]
  const app = { userId: world.ida, client: 'phone' }
  await world.app.services.chapters.upload(app, { ...episode, add: chapters, remove: [] })
  await world.app.idle()
  const db = openMemoryDatabase(world.app.db.serialize())
  const { timestamp } = await world.app.services.chapters.upload(app, { ...episode, add: [], remove: chapters })
  advanceClocks(db, clocksIn(world.app.db), world.app.clock.seconds())
  const { services } = startTestApp({ db, clock: world.app.clock })
  const received = await services.chapters.list(app, { ...episode, since: timestamp })
  expect(received.chapters).toEqual(chapters)
  expect((await services.chapters.list(app, { ...episode, since: received.timestamp })).chapters).toEqual([])
})
