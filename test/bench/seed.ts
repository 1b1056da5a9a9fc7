import type { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { createPasswordHasher } from '../../src/platform/password.ts'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'

/** How much a seeded database holds. */
export interface SeedSize {
  readonly users: number
  /** Feeds on each of a user's two devices. */
  readonly feeds: number
  readonly actionsPerUser: number
}

export const PODCASTS = 2000
const EPISODES_PER_PODCAST = 30
const DEVICES_PER_USER = 2

/** Logical times: of all history, of the newest few changes, and therefore the `since` of a client that polls regularly. */
const NOW = Math.floor(Date.now() / 1000) - 3600
const LONG_AGO = NOW - 86_400
export const SINCE = NOW - 60
export const RECENT_CHANGES = 3
export const RECENT_ACTIONS = 10

export const PASSWORD = 'wader on the mudflat'

export const userName = (user: number) => `listener${user}`
export const deviceName = (user: number, device = 0) => `phone-${user}-${device}`
export const deviceRow = (user: number, device = 0) => user * DEVICES_PER_USER + device + 1
export const userRow = (user: number) => user + 1
export const feedUrl = (podcast: number) => `https://feeds.tidewater.example/shows/${podcast}/feed.xml`
export const mediaUrl = (podcast: number, episode: number) =>
  `https://cdn.tidewater.example/shows/${podcast}/episodes/${episode}-a-title-of-usual-length.mp3`
/** A feed that the user's devices do not have: what an upload adds and removes. */
export const spareFeed = (user: number) => feedUrl((user * 7 + 500) % PODCASTS)
/** 43 characters like a real one. */
export const sessionToken = (user: number) => createHash('sha256').update(`session of ${user}`).digest('base64url')
export const tokenHash = (user: number) => createHash('sha256').update(sessionToken(user)).digest()

/** Writes a database with the real schema into `dataDir`, by SQL: a thousand users in about a second, five million actions in a minute. */
export async function seed(dataDir: string, size: SeedSize): Promise<void> {
  const hash = await createPasswordHasher().hash(PASSWORD)
  const { db, close } = openDatabase({ dataDir, version: 'bench', now: LONG_AGO })
  db.run('PRAGMA synchronous = OFF')
  db.run('PRAGMA foreign_keys = OFF')
  db.run('PRAGMA cache_size = -400000')
  db.transaction(() => {
    seedAccounts(db, size, hash)
    seedCatalogue(db)
    seedSubscriptions(db, size)
  })()
  seedActions(db, size)
  close()
}

function seedAccounts(db: Database, { users }: SeedSize, hash: string): void {
  const addUser = db.prepare(
    `INSERT INTO users (id, username, username_key, password_hash, is_admin, state, clock, created_at)
     VALUES (?1, ?2, ?2, ?3, ?1 = 1, 'active', ?4, ?5)`,
  )
  const addSession = db.prepare(
    'INSERT INTO sessions (user_id, token_hash, created_at, used_at, expires_at) VALUES (?1, ?2, ?3, ?3, ?4)',
  )
  const addDevice = db.prepare(
    `INSERT INTO devices (id, user_id, uid, caption, type, created_at) VALUES (?1, ?2, ?3, ?3, 'mobile', ?4)`,
  )
  for (let user = 0; user < users; user++) {
    addUser.run(userRow(user), userName(user), hash, NOW, LONG_AGO)
    addSession.run(userRow(user), tokenHash(user), NOW + 3500, NOW + 30 * 86_400)
    for (let device = 0; device < DEVICES_PER_USER; device++)
      addDevice.run(deviceRow(user, device), userRow(user), deviceName(user, device), LONG_AGO)
  }
}

function seedCatalogue(db: Database): void {
  const addPodcast = db.prepare('INSERT INTO podcasts (id, url, created_at) VALUES (?1, ?2, ?3)')
  const addEpisode = db.prepare('INSERT INTO episodes (id, podcast_id, url) VALUES (?1, ?2, ?3)')
  for (let podcast = 0; podcast < PODCASTS; podcast++) {
    addPodcast.run(podcast + 1, feedUrl(podcast), LONG_AGO)
    for (let episode = 0; episode < EPISODES_PER_PODCAST; episode++)
      addEpisode.run(podcast * EPISODES_PER_PODCAST + episode + 1, podcast + 1, mediaUrl(podcast, episode))
  }
}

function seedSubscriptions(db: Database, { users, feeds }: SeedSize): void {
  const add = db.prepare('INSERT INTO subscriptions (device_id, podcast_id, subscribed, seq) VALUES (?1, ?2, ?3, ?4)')
  for (let user = 0; user < users; user++)
    for (let device = 0; device < DEVICES_PER_USER; device++)
      for (let feed = 0; feed < feeds; feed++) {
        const seq = feed < feeds - RECENT_CHANGES ? LONG_AGO + feed : SINCE
        add.run(deviceRow(user, device), ((user * 7 + feed) % PODCASTS) + 1, Number(feed !== feeds - 1), seq)
      }
}

/**
 * Action n belongs to user n % users, as if everybody had listened side by side for years. The indexes are made afterwards: sorting
 * five million rows is many times faster than inserting them in random places.
 */
function seedActions(db: Database, { users, actionsPerUser }: SeedSize): void {
  const indexes = db
    .query<{ name: string; sql: string }, []>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'episode_actions' AND sql IS NOT NULL`,
    )
    .all()
  for (const { name } of indexes) db.run(`DROP INDEX ${name}`)
  const total = users * actionsPerUser
  const recentFrom = total - users * RECENT_ACTIONS
  db.query(
    `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)
     INSERT INTO episode_actions (user_id, episode_id, kind, at, seq, device, started, position, total)
     SELECT i % ?2 + 1, i * 7919 % ?3 + 1, 2, ?4 - (?1 - i), CASE WHEN i < ?5 THEN ?6 - (?5 - i) / 30 * 2 ELSE ?7 END,
            'phone-' || (i % ?2) || '-0', 0, i % 3600, 3600
       FROM n`,
  ).run(total, users, PODCASTS * EPISODES_PER_PODCAST, NOW, recentFrom, LONG_AGO, SINCE)
  for (const { sql } of indexes) db.run(sql)
}
