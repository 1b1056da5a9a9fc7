import type { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import fc from 'fast-check'
import { isPrivatePodcast, isSecretUrl } from '../../../src/domain/directory/privacy.ts'
import { DomainError } from '../../../src/domain/shared/errors.ts'
import type { PodcastId, UserId } from '../../../src/domain/shared/ids.ts'
import { prepareDirectoryChanges } from '../../../src/store/shared/directory-changes.ts'
import { createEngine } from '../../../src/store/sqlite/core/engine.ts'
import { openMemoryDatabase } from '../../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../../src/store/sqlite/store.ts'
import type { Store } from '../../../src/store/stores.ts'
import {
  action,
  addAccount,
  addUser,
  BY_COMMAND_LINE,
  upload as change,
  report,
  T,
  written,
} from '../contract/fixtures.ts'

/** The first two are one feed with http and https. */
const FEEDS = ['http://a.example/f', 'https://a.example/f', 'https://b.example/f']

const USERS = ['ida', 'ole', 'eva']

const url = fc.constantFrom(...FEEDS)
const urls = fc.uniqueArray(url, { maxLength: 3 })
// The first user does more, so that steps build on each other.
const user = fc.constantFrom('ida', ...USERS)
// Not in alphabetical order.
const device = fc.constantFrom('phone', 'desk', 'car', 'Attic')
const at = fc.record({ user, device })
/** Only `true` and `false` are valid choices. */
const choice = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(true, false, undefined) },
  { weight: 1, arbitrary: fc.constantFrom(null, 0, 1, 'false', 'true', [], {}) },
)

const kind = <const K extends string>(name: K) => fc.constant(name)

export const step = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: kind('upload'), at, add: urls, remove: urls }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('replace'), at, urls }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind('regroup'),
      user,
      synchronize: fc.array(fc.array(device, { maxLength: 3 }), { maxLength: 2 }),
      stop: fc.array(device, { maxLength: 2 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: kind('upgrade'), user }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('play'), at, url }) },
  { weight: 3, arbitrary: fc.record({ kind: kind('removeDevice'), at }) },
  { weight: 4, arbitrary: fc.record({ kind: kind('activate'), user, active: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('removeUser'), user }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('addUser'), user }) },
  { weight: 8, arbitrary: fc.record({ kind: kind('choose'), user, url, choice }) },
  { weight: 1, arbitrary: fc.record({ kind: kind('speed'), user, url, on: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: kind('secret'), url, isSecret: fc.constantFrom(false, false, false, true, null) }),
  },
  // Runs the indexer until nothing is pending.
  { weight: 15, arbitrary: fc.record({ kind: kind('index') }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('block'), url, isBlocked: fc.boolean() }) },
)

export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

export type World = Awaited<ReturnType<typeof createWorld>>

/** `effects` counts the steps of each kind that had an effect. */
export async function createWorld(effects: Map<string, number>) {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  await addAccount(store, 'admin', true)
  const users = new Map<string, UserId>()
  for (const name of USERS) users.set(name, await addUser(store, name))
  return {
    db,
    store,
    /** Accounts that exist, active or not. */
    users,
    /** `user podcast` pairs of current and former subscriptions, since the rows of removed devices are gone. */
    everHad: new Set<string>(),
    /** Podcasts hidden by users whose accounts were removed. */
    hiddenForGood: new Set<number>(),
    effects,
  }
}

/** Does one step, which has no effect if its device or feed does not exist. */
export async function take(world: World, step: Step): Promise<void> {
  try {
    if (await tryStep(world, step)) world.effects.set(step.kind, (world.effects.get(step.kind) ?? 0) + 1)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
  }
  remember(world)
}

async function tryStep(world: World, step: Step): Promise<boolean> {
  if (step.kind === 'addUser') return addAgain(world, step.user)
  if (step.kind === 'secret') return setSecret(world.db, step.url, step.isSecret)
  if (step.kind === 'index') return index(world)
  if (step.kind === 'block') return setBlocked(world.db, step.url, step.isBlocked)
  const name = 'at' in step ? step.at.user : step.user
  const id = world.users.get(name)
  if (id === undefined) return false
  await act(world, id, name, step)
  return true
}

type ActOfUser = Exclude<Step, { kind: 'addUser' | 'secret' | 'index' | 'block' }>

function act(world: World, id: UserId, name: string, step: ActOfUser): Promise<unknown> {
  const { store } = world
  switch (step.kind) {
    case 'upload': {
      const remove = step.remove.filter((url) => !step.add.includes(url))
      return change(store, id, step.at.device, { add: step.add, remove })
    }
    case 'replace':
      return store.subscriptions.replace(id, step.at.device, step.urls, T)
    case 'regroup':
      return store.syncGroups.regroup(id, step, T)
    case 'upgrade':
      return store.upgrades.apply(id, { httpUrl: 'http://a.example/f', httpsUrl: 'https://a.example/f' }, T)
    case 'play':
      return report(store, id, [action({ podcast: step.url, device: step.at.device })])
    case 'removeDevice':
      return store.devices.remove(id, step.at.device, T)
    case 'activate':
      return store.users.setActive(name, step.active, BY_COMMAND_LINE)
    case 'removeUser':
      return removeUser(world, id, name)
    case 'speed':
      return set(store, id, step.url, 'speed', step.on ? 1.5 : undefined)
    default:
      return set(store, id, step.url, 'public_subscription', step.choice)
  }
}

async function removeUser(world: World, id: UserId, name: string): Promise<void> {
  for (const podcast of hiddenBy(world, id)) world.hiddenForGood.add(podcast)
  await world.store.users.remove(name, BY_COMMAND_LINE)
  world.users.delete(name)
}

function set(store: Store, id: UserId, target: string, key: string, value: unknown): Promise<unknown> {
  const edit = value === undefined ? { set: {}, remove: [key] } : { set: { [key]: value }, remove: [] }
  return store.settings.change(id, { scope: 'podcast', target }, edit, 0)
}

const idOf = (db: Database, url: string) =>
  db.query<{ id: PodcastId }, [string]>('SELECT id FROM podcasts WHERE url = ?1').get(url)?.id ?? (0 as PodcastId)

const BLOCK = `INSERT INTO podcast_details
  (podcast_id, title, author, description, website, logo_url, language, tags, guid, is_blocked, funding_url)
  SELECT id, '', '', '', '', '', '', '[]', '', ?2, '' FROM podcasts WHERE url = ?1
  ON CONFLICT (podcast_id) DO UPDATE SET is_blocked = excluded.is_blocked`

/** Records that a fetched feed is blocked or not; false if the podcast does not exist. */
export function setBlocked(db: Database, url: string, isBlocked: boolean): boolean {
  if (db.query<undefined, [string, number]>(BLOCK).run(url, Number(isBlocked)).changes === 0) return false
  prepareDirectoryChanges(createEngine(db)).ofFeed(idOf(db, url))
  return true
}

/** Classifies a URL; `null` makes it unclassified. */
export function setSecret(db: Database, url: string, isSecret: boolean | null): boolean {
  const sql = 'UPDATE podcasts SET is_secret = ?2, is_private = 1 WHERE url = ?1'
  const value = isSecret === null ? null : Number(isSecret)
  if (db.query<undefined, [string, number | null]>(sql).run(url, value).changes === 0) return false
  db.query('INSERT OR IGNORE INTO directory_changes (podcast_id, user_id, subscribers) VALUES (?1, 0, 0)').run(
    idOf(db, url),
  )
  return true
}

async function index({ store }: World): Promise<boolean> {
  let count = 0
  while (await store.indexStore.hasPending()) count += await written(store, store.indexStore.indexBatch(2))
  return count > 0
}

async function addAgain({ store, users }: World, name: string): Promise<boolean> {
  if (users.has(name)) return false
  users.set(name, await addUser(store, name))
  return true
}

interface Held {
  readonly user: number
  readonly podcast: number
  readonly devices: number
}

/** Current subscriptions, counted from rows that only users' own requests write. */
function held({ db }: World): Held[] {
  const sql = `SELECT d.user_id AS user, s.podcast_id AS podcast, COUNT(*) AS devices
    FROM subscriptions s JOIN devices d ON d.id = s.device_id WHERE s.subscribed = 1 GROUP BY 1, 2`
  return db.query<Held, []>(sql).all()
}

function hiddenBy({ db, everHad }: World, user: UserId): number[] {
  const podcasts = db.query<{ id: number; url: string }, []>('SELECT id, url FROM podcasts').all()
  return podcasts
    .filter(({ id, url }) => everHad.has(`${user} ${id}`) && choiceOf(db, user, url) === false)
    .map(({ id }) => id)
}

function remember(world: World): void {
  const living = new Set([...world.users.values()].map(String))
  for (const pair of world.everHad) if (!living.has(pair.split(' ')[0] ?? '')) world.everHad.delete(pair)
  for (const { user, podcast } of held(world)) world.everHad.add(`${user} ${podcast}`)
}

/** Compares all counters with a recount, and expects every private podcast to be hidden, even before it is indexed. */
export async function check(world: World): Promise<void> {
  const { db, everHad, store } = world
  const devices = new Map(held(world).map((each) => [`${each.user} ${each.podcast}`, each.devices]))
  const kept = db.query<Held, []>('SELECT user_id AS user, podcast_id AS podcast, devices FROM listeners').all()
  expect(new Set(kept.map((each) => `${each.user} ${each.podcast} on ${each.devices}`))).toEqual(
    new Set([...everHad].map((pair) => `${pair} on ${devices.get(pair) ?? 0}`)),
  )
  const expected = count(world)
  const before = db.query<Kept, []>(KEPT).all()
  expect(before.map(({ isPrivate: _, ...counters }) => counters)).toEqual(
    expected.map(({ isPrivate: _, ...counters }) => counters),
  )
  const isToBePrivate = new Map(expected.map(({ id, isPrivate }) => [id, isPrivate]))
  expect(before.filter(({ id, isPrivate }) => isPrivate === 0 && isToBePrivate.get(id) === 1)).toEqual([])
  const listed =
    'SELECT COUNT(*) AS n FROM podcast_tags t JOIN podcasts p ON p.id = t.podcast_id WHERE t.is_listed AND p.is_private'
  expect(db.query(listed).get()).toEqual({ n: 0 })
  const tags = `SELECT slug FROM tags g WHERE g.usage <>
    (SELECT COUNT(*) FROM podcast_tags t WHERE t.tag_id = g.id AND t.is_listed = 1)`
  expect(db.query(tags).all()).toEqual([])
  if (await store.indexStore.hasPending()) return
  // Podcasts that never had subscribers are not indexed; their URLs are classified on demand.
  const unclassified = ids(db, 'SELECT id FROM podcasts WHERE is_secret IS NULL AND is_local = 0')
  const decided = ({ id }: Kept) => !unclassified.has(id)
  expect(before.filter(decided)).toEqual(expected.filter(decided))
}

interface Kept {
  readonly id: number
  readonly url: string
  readonly subscribers: number
  readonly isLocal: number
  readonly isPrivate: number
}

/** Counters, including pending changes. */
const KEPT = `SELECT p.id, p.url, p.is_private AS isPrivate,
  p.subscribers + IFNULL((SELECT SUM(q.subscribers) FROM directory_changes q WHERE q.podcast_id = p.id), 0) AS subscribers,
  CASE WHEN EXISTS (SELECT 1 FROM directory_changes q WHERE q.podcast_id = p.id)
       THEN EXISTS (SELECT 1 FROM listeners l WHERE l.podcast_id = p.id) ELSE p.is_local END AS isLocal
  FROM podcasts p`

/** The expected counters, from a recount. */
function count(world: World): Kept[] {
  const { db, everHad, hiddenForGood } = world
  const current = new Set(held(world).map(({ user, podcast }) => `${user} ${podcast}`))
  const active = ids(db, `SELECT id FROM users WHERE state = 'active'`)
  const blocked = ids(db, 'SELECT podcast_id AS id FROM podcast_details WHERE is_blocked = 1')
  const secret = ids(db, 'SELECT id FROM podcasts WHERE is_secret = 1')
  const unclassified = ids(db, 'SELECT id FROM podcasts WHERE is_secret IS NULL')
  return db
    .query<Kept, []>(KEPT)
    .all()
    .map(({ id, url }) => {
      const past = [...everHad].filter((pair) => pair.endsWith(` ${id}`)).map((pair) => Number(pair.split(' ')[0]))
      const subscribers = past.filter((user) => active.has(user) && current.has(`${user} ${id}`))
      const choices = subscribers.map((user) => choiceOf(db, user, url))
      const isPrivate = isPrivatePodcast({
        isSecret: secret.has(id) || (unclassified.has(id) && isSecretUrl(url)),
        isBlocked: blocked.has(id),
        subscribers: subscribers.length,
        publishing: choices.filter((each) => each === true).length,
        hiding: choices.filter((each) => each === false).length,
        isHiddenBySomebody: hiddenForGood.has(id) || past.some((user) => choiceOf(db, user, url) === false),
      })
      const isLocal = Number(past.length > 0)
      return { id, url, subscribers: subscribers.length, isLocal, isPrivate: Number(isPrivate) }
    })
}

function ids(db: Database, sql: string): Set<number> {
  const rows = db.query<{ id: number }, []>(sql).all()
  return new Set(rows.map(({ id }) => id))
}

function choiceOf(db: Database, user: number, url: string): unknown {
  const sql = `SELECT value FROM settings WHERE user_id = ?1 AND scope = 'podcast' AND target = ?2`
  const row = db.query<{ value: string }, [number, string]>(sql).get(user, url)
  const settings: Record<string, unknown> = row ? JSON.parse(row.value) : {}
  return settings['public_subscription']
}
