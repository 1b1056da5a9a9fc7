import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../src/domain/shared/ids.ts'
import type { Quotas } from '../../../src/domain/shared/limits.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/stores.ts'
import { succeed } from '../contract/feeds/feeds.ts'
import { action, addDevices, addUser, change, report, T } from '../contract/fixtures.ts'

export const feeds = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, n) => `https://feeds.example/${String(from + n).padStart(6, '0')}`)
/** Feeds of the radio that have moved, and their new addresses. */
export const MOVED = Array.from({ length: 60 }, (_, n) => ({
  from: `https://left.example/${n}`,
  to: `https://moved.example/${n}`,
}))
export const actions = (count: number) =>
  Array.from({ length: count }, (_, n) => action({ episode: `https://cdn.example/${n}`, device: 'phone' }))

export interface World {
  readonly db: Database
  readonly store: Store
  readonly ida: UserId
}

const QUOTAS = { subscriptions: 10_000, devices: 10, settings: 10 }

/** Phone and desk share 1,000 feeds; the radio has 600 of its own, some of them moved, and has removed 200 more. */
async function fill(): Promise<Buffer> {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db, { quotas: QUOTAS })
  const ida = await addUser(store)
  await addDevices(store, ida, 'phone', 'desk', 'radio')
  await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk']], stop: [] }, T)
  await change(store, ida, 'radio', { add: feeds(900, 1700) })
  await change(store, ida, 'phone', { add: feeds(0, 1000), at: T + 1 })
  await change(store, ida, 'radio', { remove: feeds(1500, 1700), at: T + 1 })
  await report(store, ida, actions(100))
  await change(store, ida, 'radio', { add: MOVED.map(({ from }) => from) })
  // The radio was once subscribed to some of the new addresses.
  const before = MOVED.slice(0, 5).map(({ to }) => to)
  await change(store, ida, 'radio', { add: before })
  await change(store, ida, 'radio', { remove: before })
  for (const { from, to } of MOVED) await succeed(store, from, { leads: [to] })
  return db.serialize()
}

let filled: Promise<Buffer> | undefined

/** Opens a copy of a database that is filled once. */
export async function open(quotas: Partial<Quotas> = {}): Promise<World> {
  filled ??= fill()
  const db = openMemoryDatabase(await filled)
  const store = createSqliteStore(db, { quotas: { ...QUOTAS, ...quotas } })
  const ida = await store.users.findByName('ida')
  if (!ida) throw new Error('ida is not known')
  return { db, store, ida: ida.id }
}

/** Tables with the data of a user. Orphaned podcasts are left out, since they are removed later. */
const OWN = [
  ...['users', 'devices', 'subscriptions', 'replaced_addresses', 'sync_groups', 'list_changes', 'settings'],
  ...['episode_actions', 'user_episodes', 'joined_episodes', 'action_uploads'],
]

export function rowsOf(db: Database): string {
  const tables = OWN.map((table) => db.query(`SELECT * FROM ${table}`).values())
  const listeners = db.query('SELECT * FROM listeners WHERE devices > 0').values()
  const counted = db.query('SELECT url, subscribers FROM podcasts WHERE subscribers > 0').values()
  return JSON.stringify([tables, listeners, counted])
}
