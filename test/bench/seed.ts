import type { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { createPasswordHasher } from '../../src/platform/password.ts'
import { MIGRATIONS, migrate } from '../../src/store/sqlite/core/migrate.ts'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'

/** How much a seeded database holds. */
export interface SeedSize {
  readonly users: number
  /** Feeds on each of a user's two devices. */
  readonly feeds: number
  readonly actionsPerUser: number
  /** Actions of the first user, if not as many as the others have. */
  readonly longHistory?: number
}

export const PODCASTS = 2000
const EPISODES_PER_PODCAST = 50
const EPISODES = PODCASTS * EPISODES_PER_PODCAST
const DEVICES_PER_USER = 2

/** Uploads are of so many actions of one user, and so many in a row are about the same episode. */
export const ACTIONS_PER_UPLOAD = 30
const ACTIONS_PER_EPISODE = 5
/** Of a user's oldest actions, so many are of the second device, and the next so many of a podcast of their own. */
export const FEW = 40
const SECONDS_BETWEEN_ACTIONS = 20

/** Logical times: the clock of all users, and the newest upload of each, which is also when the newest feeds were added. */
export const NOW = Math.floor(Date.now() / 1000) - 3600
export const SINCE = NOW - 60
const LONG_AGO = NOW - 86_400
/** The event time of the newest seeded action; uploads of the benchmark go on from here. */
export const HISTORY_END = NOW - 30 * 86_400
export const RECENT_CHANGES = 40
/** The `since` of a client that has not seen the newest so many uploads. */
export const sinceUploads = (count: number) => SINCE - count + 1

export const PASSWORD = 'wader on the mudflat'

export const userName = (user: number) => `listener${user}`
export const deviceName = (user: number, device = 0) => `phone-${user}-${device}`
const deviceRow = (user: number, device = 0) => user * DEVICES_PER_USER + device + 1
export const userRow = (user: number) => user + 1
export const feedUrl = (podcast: number) => `https://feeds.tidewater.example/shows/${podcast}/feed.xml`
export const mediaUrl = (podcast: number, episode: number) =>
  `https://cdn.tidewater.example/shows/${podcast}/episodes/${episode}-a-title-of-usual-length.mp3`
/** The podcast of its own. */
export const RARE_FEED = feedUrl(PODCASTS)
/** A feed that the user's devices do not have: what an upload adds and removes. */
export const spareFeed = (user: number) => feedUrl((user * 7 + 500) % PODCASTS)
/** 43 characters like a real one. */
export const sessionToken = (user: number) => createHash('sha256').update(`session of ${user}`).digest('base64url')
export const tokenHash = (user: number) => createHash('sha256').update(sessionToken(user)).digest()

/**
 * Writes a database into `dataDir`, by SQL: a thousand users in about a second, five million actions in a minute. It is written in
 * the layout before the migration of stored actions, so that what that takes can be measured, and migrated unless `old` is wanted.
 */
export async function seed(dataDir: string, size: SeedSize, { old = false } = {}): Promise<void> {
  const hash = await createPasswordHasher().hash(PASSWORD)
  const migrations = MIGRATIONS.slice(
    0,
    MIGRATIONS.findIndex(({ convert }) => convert !== undefined),
  )
  const { db, close } = openDatabase({ dataDir, version: 'bench', now: LONG_AGO, migrations })
  db.run('PRAGMA synchronous = OFF')
  db.run('PRAGMA foreign_keys = OFF')
  db.run('PRAGMA cache_size = -400000')
  const { users, actionsPerUser, longHistory = actionsPerUser } = size
  db.transaction(() => {
    seedAccounts(db, size, hash)
    seedCatalogue(db)
    seedSubscriptions(db, size)
    const restore = dropIndexes(db)
    seedActions(db, 0, 1, longHistory)
    seedActions(db, 1, users - 1, actionsPerUser)
    restore()
  })()
  if (!old) migrate(db, { migrations: MIGRATIONS, version: 'bench', now: LONG_AGO, beforeChange: () => undefined })
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
  for (let podcast = 0; podcast <= PODCASTS; podcast++) {
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

/** Sorting five million rows afterwards is many times faster than inserting them in random places. */
function dropIndexes(db: Database): () => void {
  const indexes = db
    .query<{ name: string; sql: string }, []>(
      `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'episode_actions' AND sql IS NOT NULL`,
    )
    .all()
  for (const { name } of indexes) db.run(`DROP INDEX ${name}`)
  return () => {
    for (const { sql } of indexes) db.run(sql)
  }
}

/** `actions` of each user, an upload of one user after that of the other, as if all had listened side by side for years. */
function seedActions(db: Database, firstUser: number, users: number, actions: number): void {
  const uploads = Math.ceil(actions / ACTIONS_PER_UPLOAD)
  if (users === 0 || actions === 0) return
  db.query(
    `WITH RECURSIVE row (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM row WHERE i + 1 < ?1),
       action (user, upload, n) AS MATERIALIZED (
         SELECT ?2 + i / ${ACTIONS_PER_UPLOAD} % ?3, i / ${ACTIONS_PER_UPLOAD} / ?3,
                i / ${ACTIONS_PER_UPLOAD} / ?3 * ${ACTIONS_PER_UPLOAD} + i % ${ACTIONS_PER_UPLOAD} FROM row)
     INSERT INTO episode_actions (user_id, episode_id, kind, at, seq, device, started, position, total)
     SELECT user + 1,
            CASE WHEN n BETWEEN ${FEW} AND ${2 * FEW - 1} THEN ${EPISODES + 1} + n / ${ACTIONS_PER_EPISODE} % ${EPISODES_PER_PODCAST}
                 ELSE (user * 31 + n / ${ACTIONS_PER_EPISODE} * 7919) % ${EPISODES} + 1 END,
            CASE n % ${ACTIONS_PER_EPISODE} WHEN 0 THEN 1 WHEN ${ACTIONS_PER_EPISODE - 1} THEN 3 ELSE 2 END,
            ${HISTORY_END} - (?4 - n) * ${SECONDS_BETWEEN_ACTIONS}, ?5 - (?6 - 1 - upload),
            'phone-' || user || CASE WHEN n < ${FEW} THEN '-1' ELSE '-0' END,
            CASE WHEN n % ${ACTIONS_PER_EPISODE} BETWEEN 1 AND 3 THEN 0 ELSE -1 END,
            CASE WHEN n % ${ACTIONS_PER_EPISODE} BETWEEN 1 AND 3 THEN 600 * (n % ${ACTIONS_PER_EPISODE}) + n % 600 ELSE -1 END,
            CASE WHEN n % ${ACTIONS_PER_EPISODE} BETWEEN 1 AND 3 THEN 3600 ELSE -1 END
       FROM action WHERE n < ?4`,
  ).run(users * uploads * ACTIONS_PER_UPLOAD, firstUser, users, actions, SINCE, uploads)
  db.query('UPDATE users SET action_count = ?3 WHERE id BETWEEN ?1 + 1 AND ?1 + ?2').run(firstUser, users, actions)
}
