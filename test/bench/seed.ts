import type { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { createPasswordHasher } from '../../src/platform/password.ts'
import { createEngine } from '../../src/store/sqlite/core/engine.ts'
import { openDatabase } from '../../src/store/sqlite/core/open.ts'
import { hashOf, prepareHashFactors } from '../../src/store/sync/actions/action-hash.ts'
import { ACTION_KINDS } from '../../src/store/sync/actions/action-kinds.ts'

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
const PLAY = ACTION_KINDS.indexOf('play')
const DOWNLOAD = ACTION_KINDS.indexOf('download')
const DELETE = ACTION_KINDS.indexOf('delete')

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

/** Writes a database into `dataDir`, by SQL: a thousand users in about a second, five million actions in a minute. */
export async function seed(dataDir: string, size: SeedSize): Promise<void> {
  const hash = await createPasswordHasher().hash(PASSWORD)
  const { db, close } = openDatabase({ dataDir, version: 'bench', now: LONG_AGO })
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
    `INSERT INTO devices (id, user_id, uid, caption, type, created_at, has_sent) VALUES (?1, ?2, ?3, ?3, 'mobile', ?4, 1)`,
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
  // As the indexer leaves the directory, but for what the first start has to classify.
  db.run(
    `UPDATE podcasts SET is_local = 1,
       subscribers = (SELECT COUNT(*) FROM listeners l WHERE l.podcast_id = podcasts.id AND l.devices > 0)
      WHERE id IN (SELECT l.podcast_id FROM listeners l)`,
  )
  db.run('DELETE FROM directory_changes')
  db.run(
    'INSERT INTO directory_changes (podcast_id, user_id, subscribers) SELECT id, 0, 0 FROM podcasts WHERE is_local = 1',
  )
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

interface SeededEpisode {
  readonly id: number
  lastId: number
  stateId: number
  progressAt: number | null
}

const lastNumber = (db: Database, table: string) =>
  db.query<{ id: number | null }, []>(`SELECT MAX(id) AS id FROM ${table}`).get()?.id ?? 0

/** `actions` of each user, one user after the other. */
function seedActions(db: Database, firstUser: number, users: number, actions: number): void {
  const addDevice = db.prepare('INSERT INTO action_devices (id, user_id, uid) VALUES (?1, ?2, ?3)')
  const addUpload = db.prepare('INSERT INTO action_uploads (device_id, seq, first_id, last_id) VALUES (?1, ?2, ?3, ?4)')
  const addAction = db.prepare(
    `INSERT INTO episode_actions (id, user_id, user_episode_id, device_id, previous_id, kind, at, hash, started, position, total)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`,
  )
  const addEpisode = db.prepare(
    `INSERT INTO user_episodes (id, user_id, episode_id, last_action_id, state_action_id, progress_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
  )
  const factors = prepareHashFactors(createEngine(db))()
  const uploads = Math.ceil(actions / ACTIONS_PER_UPLOAD)
  let userEpisodeId = lastNumber(db, 'user_episodes')
  let id = lastNumber(db, 'episode_actions')

  function seedUser(user: number): void {
    const episodes = new Map<number, SeededEpisode>()
    for (let device = 0; device < DEVICES_PER_USER; device++)
      addDevice.run(deviceRow(user, device), userRow(user), deviceName(user, device))
    for (let n = 0; n < actions; n++) {
      const deviceId = deviceRow(user, n < FEW ? 1 : 0)
      const step = n % ACTIONS_PER_EPISODE
      const kind = step === 0 ? DOWNLOAD : step === ACTIONS_PER_EPISODE - 1 ? DELETE : PLAY
      const at = HISTORY_END - (actions - n) * SECONDS_BETWEEN_ACTIONS
      const [started, position, total] = kind === PLAY ? [0, 600 * step + (n % 600), 3600] : [null, null, null]
      id++
      const known = episodes.get(episodeOf(user, n))
      const previousId = known?.lastId ?? null
      const episode = known ?? { id: ++userEpisodeId, lastId: id, stateId: id, progressAt: null }
      if (!known) episodes.set(episodeOf(user, n), episode)
      episode.lastId = id
      if (kind === PLAY) Object.assign(episode, { stateId: id, progressAt: at })
      const hash = hashOf(factors, { userEpisodeId: episode.id, deviceId, kind, started, position, total })
      addAction.run(
        ...[id, userRow(user), episode.id, deviceId, previousId, kind, at, hash],
        ...[started, position, total],
      )
      const isLast = (n + 1) % ACTIONS_PER_UPLOAD === 0 || n + 1 === actions
      if (n + 1 === FEW || isLast) {
        const first = Math.max(n - (n % ACTIONS_PER_UPLOAD), n >= FEW ? FEW : 0)
        const seq = SINCE - (uploads - 1 - Math.floor(n / ACTIONS_PER_UPLOAD))
        addUpload.run(deviceId, seq, id - (n - first), id)
      }
    }
    for (const [episodeId, { id: row, lastId, stateId, progressAt }] of episodes)
      addEpisode.run(row, userRow(user), episodeId, lastId, stateId, progressAt)
  }

  if (actions > 0) for (let user = firstUser; user < firstUser + users; user++) seedUser(user)
  db.query('UPDATE users SET action_count = ?3 WHERE id BETWEEN ?1 + 1 AND ?1 + ?2').run(firstUser, users, actions)
}

function episodeOf(user: number, n: number): number {
  const episode = Math.floor(n / ACTIONS_PER_EPISODE)
  return n >= FEW && n < 2 * FEW
    ? EPISODES + 1 + (episode % EPISODES_PER_PODCAST)
    : ((user * 31 + episode * 7919) % EPISODES) + 1
}
