import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import type { Quotas } from '../../../src/domain/shared/limits.ts'
import type { Store } from '../../../src/domain/store.ts'
import { nextTurn } from '../../../src/platform/clock.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import { succeed } from '../contract/feeds/feeds.ts'
import { action, addDevices, addUser, change, report, T } from '../contract/fixtures.ts'

export const feeds = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `https://feeds.example/${String(from + n).padStart(6, '0')}`)
/** Feeds that the radio has, which have moved, and where to. */
export const MOVED = Array.from({ length: 60 }, (_, n) => ({
  from: `https://left.example/${n}`,
  to: `https://moved.example/${n}`,
}))
export const actions = (count: number) =>
  Array.from({ length: count }, (_, n) => action({ episode: `https://cdn.example/${n}`, device: 'phone' }))

/** Of episodes that have the same guids whatever their media URLs are. */
export const named = (host: string, from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) =>
    action({ episode: `https://${host}.example/${from + n}`, guid: `guid-${from + n}`, device: 'phone' }),
  )

/** Of episodes that the uploads tell something new of. */
const OLD_ACTIONS = 100

export interface World {
  readonly db: Database
  readonly store: Store
  readonly ida: UserId
}

const QUOTAS = { subscriptions: 10_000, devices: 10, settings: 10 }

/** Phone and desk share 1,000 feeds; the radio has 600 of its own, of which some have moved, and had 200 more. */
async function fill(): Promise<Buffer> {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db, { quotas: QUOTAS })
  const ida = await addUser(store)
  await addDevices(store, ida, 'phone', 'desk', 'radio')
  await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk']], stop: [] }, T)
  await change(store, ida, 'radio', { add: feeds(900, 1700) })
  // From here on it is later, so that all of it can be taken back.
  await change(store, ida, 'phone', { add: feeds(0, 1000), at: T + 1 })
  await change(store, ida, 'radio', { remove: feeds(1500, 1700), at: T + 1 })
  await report(
    store,
    ida,
    actions(OLD_ACTIONS).map((each) => ({ ...each, at: each.at - 1 })),
  )
  await change(store, ida, 'radio', { add: MOVED.map(({ from }) => from) })
  // Some of them it once had where they are now.
  const before = MOVED.slice(0, 5).map(({ to }) => to)
  await change(store, ida, 'radio', { add: before })
  await change(store, ida, 'radio', { remove: before })
  for (const { from, to } of MOVED) await succeed(store, from, { leads: [to] })
  await report(store, ida, [...named('old', 0, 10), ...named('older', 0, 5)])
  return db.serialize()
}

/** Opens copies of a database that is filled once. */
export function copiesOf(fill: () => Promise<Buffer>, quotas: Quotas): () => Promise<World> {
  let filled: Promise<Buffer> | undefined
  return async () => {
    filled ??= fill()
    const db = openMemoryDatabase(await filled)
    const store = createSqliteStore(db, { quotas })
    const ida = await store.users.findByName('ida')
    if (!ida) throw new Error('ida is not known')
    return { db, store, ida: ida.id }
  }
}

export const open = copiesOf(fill, QUOTAS)

/** Everything that anybody can see of a user; podcasts that nobody has are cleared away some day. */
const ACTIONS = ['episode_actions', 'user_episodes', 'joined_episodes', 'action_uploads']
const OWN = [
  ...['users', 'devices', 'subscriptions', 'replaced_addresses', ...ACTIONS, 'sync_groups'],
  ...['unfinished_writes', 'unfinished_renames', 'unfinished_guids', 'list_changes', 'settings'],
]

export function rowsOf(db: Database): string {
  const tables = OWN.map((table) => db.query(`SELECT * FROM ${table}`).values())
  // What a row was before matters to unfinished work alone.
  const subscriptions = db.query('SELECT device_id, podcast_id, subscribed, seq FROM subscriptions').values()
  const listeners = db.query('SELECT * FROM listeners WHERE devices > 0').values()
  const counted = db.query('SELECT url, subscribers FROM podcasts WHERE subscribers > 0').values()
  return JSON.stringify([tables.with(OWN.indexOf('subscriptions'), subscriptions), listeners, counted])
}

/** Waits until the upload has written so many jobs; false if it is over before. */
export async function afterJobs(db: Database, jobs: number, upload: Promise<unknown>): Promise<boolean> {
  upload.catch(() => undefined)
  const isOver = () => Bun.peek.status(upload) !== 'pending'
  const marked = db.prepare('SELECT 1 FROM unfinished_writes')
  const changes = db.prepare<{ n: number }, []>('SELECT total_changes() AS n')
  let seen = 0
  let before = changes.get()?.n
  while (!isOver() && seen < jobs) {
    await nextTurn()
    const now = changes.get()?.n
    if (now !== before && marked.get() !== null) seen++
    before = now
  }
  return !isOver()
}
