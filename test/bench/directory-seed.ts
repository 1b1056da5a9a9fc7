import type { Database } from 'bun:sqlite'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { type BenchTexts, createChance } from './directory-text.ts'
import { tokenHash, userName, userRow } from './seed.ts'

export interface DirectorySize {
  readonly podcasts: number
  readonly users: number
  /** Subscriptions beside the one that every podcast has, most of them to few podcasts. */
  readonly fame: number
}

export interface SeededDirectory {
  readonly subscriptions: number
  /** Of the work of the directory itself, once all podcasts are stored. */
  readonly catchUpSeconds: number
  readonly searchMegabytes: number
}

const NOW = Math.floor(Date.now() / 1000)
/** As the server does. */
const AT_ONCE = 10
/** User number 0 has this many podcasts and no others. */
export const OWN = 10

/** Writes a database with the real schema and has the directory take it in as the server does. */
export async function seedDirectory(dataDir: string, size: DirectorySize, texts: BenchTexts): Promise<SeededDirectory> {
  const { db, close } = openDatabase({ dataDir, version: 'bench', now: NOW })
  db.transaction(() => {
    seedUsers(db, size.users)
    seedPodcasts(db, size.podcasts, texts)
    seedSubscriptions(db, size)
  })()
  const started = performance.now()
  const { indexStore } = createSqliteStore(db)
  while ((await indexStore.indexBatch(AT_ONCE)) > 0);
  await indexStore.recordDailyStats(Math.floor(NOW / 86_400) - 1)
  const catchUpSeconds = (performance.now() - started) / 1000
  const { subscriptions = 0, searchMegabytes = 0 } = db.query<Counts, []>(COUNTS).get() ?? {}
  close()
  return { subscriptions, catchUpSeconds, searchMegabytes }
}

type Counts = Pick<SeededDirectory, 'subscriptions' | 'searchMegabytes'>

const COUNTS = `SELECT (SELECT COUNT(*) FROM subscriptions) AS subscriptions,
  ((SELECT SUM(LENGTH(block)) FROM search_terms_data) + (SELECT SUM(LENGTH(word) + 5) FROM search_words)) / 1048576.0 AS searchMegabytes`

function seedUsers(db: Database, users: number): void {
  const addUser = db.prepare(
    `INSERT INTO users (id, username, username_key, password_hash, is_admin, state, clock, created_at)
     VALUES (?1, ?2, ?2, 'none', ?1 = 1, 'active', ?3, ?3)`,
  )
  const addSession = db.prepare(
    'INSERT INTO sessions (user_id, token_hash, created_at, used_at, expires_at) VALUES (?1, ?2, ?3, ?3, ?4)',
  )
  const addDevice = db.prepare(
    `INSERT INTO devices (id, user_id, uid, caption, type, created_at) VALUES (?1, ?1, 'phone', 'phone', 'mobile', ?2)`,
  )
  for (let user = 0; user < users; user++) {
    addUser.run(userRow(user), userName(user), NOW)
    addSession.run(userRow(user), tokenHash(user), NOW, NOW + 30 * 86_400)
    addDevice.run(userRow(user), NOW)
  }
}

function seedPodcasts(db: Database, podcasts: number, texts: BenchTexts): void {
  const add = db.prepare('INSERT INTO podcasts (id, url, created_at) VALUES (?1, ?2, ?3)')
  const describe = db.prepare(
    `INSERT INTO podcast_details
       (podcast_id, title, author, description, website, logo_url, language, tags, guid, is_blocked, funding_url)
     VALUES (?1, ?2, ?3, ?4, 'https://site.example/', 'https://img.example/logo.jpg', 'en', ?5, '', 0, '')`,
  )
  for (let id = 1; id <= podcasts; id++) {
    const { url, title, author, description, tags } = texts.podcast(id)
    add.run(id, url, NOW)
    describe.run(id, title, author, `<p>${description}</p>`, JSON.stringify(tags))
  }
}

/** Everybody but user 0 shares all podcasts among them, and famous ones have the more, by Zipf's law. */
function seedSubscriptions(db: Database, { podcasts, users, fame }: DirectorySize): void {
  const add = db.prepare(
    'INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (?1, ?2, 1, ?3) ON CONFLICT DO NOTHING',
  )
  const chance = createChance(7)
  const others = Math.max(1, users - 1)
  for (let id = 1; id <= Math.min(OWN, podcasts); id++) add.run(userRow(0), id, NOW)
  for (let id = 1; id <= podcasts; id++) if (users > 1) add.run(userRow(1 + (id % others)), id, NOW)
  for (let given = 0, rank = 1; given < fame; rank++) {
    const id = 1 + Math.floor(chance() * podcasts)
    const audience = Math.min(others, Math.ceil(others / rank ** 0.8))
    const first = Math.floor(chance() * others)
    for (let n = 0; n < audience; n++) add.run(userRow(1 + ((first + n) % others)), id, NOW)
    given += audience
  }
}
