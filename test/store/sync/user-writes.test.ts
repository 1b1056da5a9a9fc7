import { describe, expect, test } from 'bun:test'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import type { Store } from '../../../src/domain/store.ts'
import { nextTurn } from '../../../src/platform/clock.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { ROWS_PER_JOB } from '../../../src/store/sqlite/sync/user-writes.ts'
import { addDevices, addUser, change, T } from '../contract/fixtures.ts'
import { actions, afterJobs, feeds, MOVED, named, open, rowsOf, type World } from './user-writes-world.ts'

/*
 * Large uploads are written job by job. Whatever happens in between, all of an upload is there in the end, or nothing.
 */

async function changesOf(store: Store, ida: UserId) {
  const { add, remove, clock } = await store.subscriptions.changesSince(ida, 'phone', 0)
  return { add: add, remove: remove, clock }
}

const context = { at: T + 100, seenUntil: undefined }

/** Each writes more rows than one job. */
const UPLOADS: [string, (world: World) => Promise<unknown>][] = [
  [
    'an upload of changes',
    ({ store, ida }) =>
      store.subscriptions.applyUpload(ida, 'phone', { add: feeds(1000, 2500), remove: feeds(0, 700) }, context),
  ],
  [
    'an upload of a new device',
    ({ store, ida }) => store.subscriptions.applyUpload(ida, 'new', { add: feeds(0, 2000), remove: [] }, context),
  ],
  ['feeds that come back', ({ store, ida }) => change(store, ida, 'radio', { add: feeds(1400, 2500) })],
  ['a list', ({ store, ida }) => store.subscriptions.replace(ida, 'desk', feeds(500, 2500), T + 100)],
  ['an empty list', ({ store, ida }) => store.subscriptions.replace(ida, 'desk', [], T + 100)],
  [
    'a group',
    ({ store, ida }) => store.syncGroups.regroup(ida, { synchronize: [['phone', 'radio']], stop: ['desk'] }, T + 100),
  ],
  [
    'other addresses of podcasts that the device has',
    ({ store, ida }) => change(store, ida, 'radio', { add: [...MOVED.map(({ to }) => to), ...feeds(2000, 3500)] }),
  ],
  [
    'a list with other addresses',
    ({ store, ida }) => {
      const list = [...MOVED.map(({ to }) => to), ...feeds(900, 1000), ...feeds(2000, 3500)]
      return store.subscriptions.replace(ida, 'radio', list, T + 100)
    },
  ],
  [
    'devices that all share from now on',
    ({ store, ida }) => {
      const account = { scope: 'account', target: '' } as const
      return store.settings.change(ida, account, { set: { auto_sync: true }, remove: [] }, T + 100)
    },
  ],
  [
    'a restore',
    ({ store, ida }) => store.listChanges.restore(ida, { uid: undefined, time: T }, { at: T + 100, app: undefined }),
  ],
  ['actions', ({ store, ida }) => store.episodeActions.applyUpload(ida, actions(2200), context)],
  [
    'actions by other media URLs',
    ({ store, ida }) => {
      const moved = [...named('new', 0, 700), ...named('newer', 0, 700), ...named('old', 0, 700)]
      return store.episodeActions.applyUpload(
        ida,
        moved.map((each) => ({ ...each, at: T + 50 })),
        context,
      )
    },
  ],
  [
    'actions that tell other guids of media URLs',
    ({ store, ida }) => {
      const heard = (host: string, guid: string, from: number, to: number) =>
        named(host, from, to).map((each, n) => ({ ...each, guid: `${guid}-${from + n}`, at: T + 50 }))
      return store.episodeActions.applyUpload(
        ida,
        [
          // That had none; some of them are one episode with others from now on.
          ...heard('cdn', 'guid', 0, 100),
          // That had another one, and twice.
          ...heard('old', 'other', 0, 10),
          ...heard('old', 'third', 3, 8).map((each) => ({ ...each, at: T + 60 })),
          ...heard('new', 'guid', 0, 700),
          ...heard('newer', 'guid', 0, 700),
        ],
        context,
      )
    },
  ],
]

describe.each(UPLOADS)('%s', (_, upload) => {
  test('leaves nothing behind if the process ends in the middle', async () => {
    for (const jobs of [1, 3]) {
      const world = await open()
      const before = rowsOf(world.db)
      const writing = upload(world)
      const isUnderWay = await afterJobs(world.db, jobs, writing)
      // What is on the disk at this moment.
      const left = openMemoryDatabase(world.db.serialize())
      await writing
      if (!isUnderWay) continue
      expect(rowsOf(left)).not.toBe(before)
      const next = createSqliteStore(left)
      await next.recover()
      expect(rowsOf(left)).toBe(before)
      // And it works, with the same outcome.
      await upload({ db: left, store: next, ida: world.ida })
      expect(rowsOf(left)).toBe(rowsOf(world.db))
    }
  })

  test('is taken back if a later job fails', async () => {
    for (const table of ['subscriptions', 'episode_actions']) {
      const world = await open()
      const { db } = world
      const before = rowsOf(db)
      const count = db.query<{ n: number }, []>(`SELECT COUNT(*) AS n FROM ${table}`).get()?.n ?? 0
      db.run(`CREATE TRIGGER fails BEFORE INSERT ON ${table} WHEN (SELECT COUNT(*) FROM ${table}) >= ${count + 900}
              BEGIN SELECT RAISE(ABORT, 'planted'); END`)
      const [outcome] = await Promise.allSettled([upload(world)])
      db.run('DROP TRIGGER fails')
      if (outcome.status === 'fulfilled') continue
      expect(rowsOf(db)).toBe(before)
      await upload(world)
    }
  })

  test('is seen by nobody before it is whole, and waited for by the user alone', async () => {
    const world = await open()
    const { store, ida, db } = world
    const bo = await addUser(store, 'bo')
    const look = async () => [
      await changesOf(store, ida),
      await store.subscriptions.listDevice(ida, 'radio'),
      (await store.subscriptions.listUser(ida)).length,
      await store.devices.list(ida),
      await store.syncGroups.status(ida),
      (await store.myPodcasts.list(ida)).length,
      (await Array.fromAsync((await store.episodeActions.list(ida, { since: 0, aggregated: false })).chunks)).flat()
        .length,
    ]
    const before = JSON.stringify(await look())
    const writing = upload(world)
    const looks: Promise<string>[] = []
    let boWaited = false
    while (await afterJobs(db, 1, writing)) {
      looks.push(look().then((seen) => JSON.stringify(seen)))
      await change(store, bo, 'phone', { add: feeds(0, 1) })
      boWaited ||= (await store.subscriptions.listDevice(bo, 'phone'))?.length !== 1
    }
    await writing
    expect(db.query('SELECT * FROM unfinished_writes').all()).toEqual([])
    const after = JSON.stringify(await look())
    // It is more than one job.
    expect(looks.length).toBeGreaterThan(0)
    expect(boWaited).toBe(false)
    expect(after).not.toBe(before)
    for (const seen of await Promise.all(looks)) expect([before, after]).toContain(seen)
  })
})

test('a device with more feeds than a job removes goes whole, also if the process ends in the middle', async () => {
  const { db, store, ida } = await open()
  await change(store, ida, 'radio', { add: feeds(0, 2000) })
  const removing = store.devices.remove(ida, 'radio', T)
  expect(await afterJobs(db, 2, removing)).toBe(true)
  const left = openMemoryDatabase(db.serialize())
  await removing
  const next = createSqliteStore(left)
  await next.recover()
  expect(rowsOf(left)).toBe(rowsOf(db))
  expect((await next.devices.list(ida)).map(({ uid }) => uid)).toEqual(['phone', 'desk'])
})

test('a sync group of more devices than one job writes for is formed whole', async () => {
  const store = createSqliteStore(openMemoryDatabase())
  const ida = await addUser(store)
  const uids = Array.from({ length: ROWS_PER_JOB + 1 }, (_, n) => `device-${n}`)
  await addDevices(store, ida, ...uids)
  await change(store, ida, 'device-0', { add: feeds(0, 1) })
  await change(store, ida, `device-${ROWS_PER_JOB}`, { add: feeds(1, 2) })
  const status = await store.syncGroups.regroup(ida, { synchronize: [uids], stop: [] }, T + 100)
  expect(status).toEqual({ synchronized: [uids], notSynchronized: [] })
  for (const uid of ['device-0', 'device-1', `device-${ROWS_PER_JOB}`])
    expect(new Set((await store.subscriptions.listDevice(ida, uid)) ?? [])).toEqual(new Set(feeds(0, 2)))
})

test('a long list is read as of its timestamp, also if other lists of the user are read at the same time', async () => {
  const store = createSqliteStore(openMemoryDatabase())
  const ida = await addUser(store)
  const pieces = Array.from({ length: 24 }, (_, n) => feeds(n * 500, n * 500 + 500))
  for (const add of pieces) await change(store, ida, 'phone', { add })
  for (const add of pieces.slice(0, 5)) await change(store, ida, 'desk', { add })
  const changesSince = (uid: string, since: number) => store.subscriptions.changesSince(ida, uid, since)
  const [short, long] = [changesSince('desk', 1), changesSince('phone', 1)]
  await nextTurn()
  await nextTurn()
  await nextTurn()
  const uploads = [0, 1, 2, 3].map((n) => change(store, ida, 'phone', { add: [`https://new.example/${n}`] }))
  await short
  const { add, clock } = await long
  await Promise.all(uploads)
  const told = new Set(add)
  expect(told.size).toBe(12_000)
  const next = (await changesSince('phone', clock + 1)).add
  expect(next).toHaveLength(4)
  expect(next.filter((url) => told.has(url))).toEqual([])
})

test('an upload that passes a quota after many jobs changes nothing', async () => {
  const { db, store, ida } = await open()
  const before = rowsOf(db)
  const over = store.subscriptions.applyUpload(ida, 'phone', { add: feeds(0, 9000), remove: [] }, context)
  await expect(over).rejects.toMatchObject({ code: 'quota_exceeded' })
  expect(rowsOf(db)).toBe(before)
})
