import { Database } from 'bun:sqlite'

/* Databases of apps, with the columns that the import reads and some that it does not, so that positions matter. */

/** Writes a database with `fill` and returns its bytes. */
export function bytesOf(fill: (db: Database) => void, pragmas = ''): Buffer {
  const db = new Database(':memory:')
  if (pragmas !== '') db.run(pragmas)
  fill(db)
  const bytes = Buffer.from(db.serialize())
  db.close()
  return bytes
}

const DAY_MS = 86_400_000
/** 2024-05-01T00:00:00Z */
const MAY = 1_714_521_600_000

export const SHOW = 'https://feeds.example/show'
export const NEWS = 'https://feeds.example/news'
export const mediaUrl = (n: number | string) => `https://media.example/${n}.mp3`

/** As created by AntennaPod 3.3; the column `state` is newer. */
export function createAntennaPodTables(db: Database): void {
  db.run('CREATE TABLE android_metadata (locale TEXT)')
  db.run(`CREATE TABLE Feeds (id INTEGER PRIMARY KEY AUTOINCREMENT ,title TEXT,custom_title TEXT,file_url TEXT,
    download_url TEXT,downloaded INTEGER,link TEXT,description TEXT,payment_link TEXT,last_update TEXT,language TEXT,
    author TEXT,image_url TEXT,type TEXT,feed_identifier TEXT,auto_download INTEGER DEFAULT 1,username TEXT,
    password TEXT,include_filter TEXT DEFAULT '',feed_playback_speed REAL DEFAULT -1,tags TEXT)`)
  db.run('ALTER TABLE Feeds ADD COLUMN state INTEGER DEFAULT 0')
  db.run(`CREATE TABLE FeedItems (id INTEGER PRIMARY KEY AUTOINCREMENT ,title TEXT,pubDate INTEGER,read INTEGER,
    link TEXT,description TEXT,payment_link TEXT,media INTEGER,feed INTEGER,has_simple_chapters INTEGER,
    item_identifier TEXT,image_url TEXT,auto_download INTEGER)`)
  db.run(`CREATE TABLE FeedMedia (id INTEGER PRIMARY KEY AUTOINCREMENT ,duration INTEGER,file_url TEXT,
    download_url TEXT,downloaded INTEGER,position INTEGER,filesize INTEGER,mime_type TEXT,
    playback_completion_date INTEGER,feeditem INTEGER,played_duration INTEGER,has_embedded_picture INTEGER,
    last_played_time INTEGER)`)
  db.run('CREATE INDEX FeedItems_feed ON FeedItems (feed)')
  db.run('CREATE TABLE Queue(id INTEGER PRIMARY KEY,feeditem INTEGER,feed INTEGER)')
  db.run('CREATE TABLE Favorites(id INTEGER PRIMARY KEY,feeditem INTEGER,feed INTEGER)')
  db.run('PRAGMA user_version = 3030000')
}

const FEED: { readonly custom: string | null; readonly username: string | null } = { custom: null, username: null }
const FEED_DEFAULTS = { ...FEED, title: '', tags: '#root', state: 0 }

/** Returns the ID of the `Feeds`. */
export function addFeed(db: Database, feed: { readonly url: string | null } & Partial<typeof FEED_DEFAULTS>): number {
  const { url, title, custom, tags, username, state } = { ...FEED_DEFAULTS, ...feed }
  const sql = `INSERT INTO Feeds (download_url, title, custom_title, tags, username, state, description)
    VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`
  return idOf(db, sql, [url, title, custom, tags, username, state, 'About this show. '.repeat(300)])
}

const EPISODE = {
  ...{ guid: '', read: 0, position: 0, duration: 1_800_000, lastPlayed: 0, completed: 0, published: MAY },
  description: 'Notes',
}

/** Times in milliseconds; returns the ID of the `FeedItems`. */
export function addEpisode(
  db: Database,
  episode: { readonly feed: number; readonly url: string | null } & Partial<typeof EPISODE>,
): number {
  const { feed, url, guid, read, position, duration, lastPlayed, completed, published, description } = {
    ...EPISODE,
    ...episode,
  }
  const sql = `INSERT INTO FeedItems (title, pubDate, read, description, feed, item_identifier)
    VALUES ('Episode', ?, ?, ?, ?, ?) RETURNING id`
  const item = idOf(db, sql, [published, read, description, feed, guid || null])
  db.query(
    `INSERT INTO FeedMedia (duration, download_url, position, playback_completion_date, feeditem, last_played_time)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ).run(duration, url, position, completed, item, lastPlayed)
  return item
}

function idOf(db: Database, sql: string, values: readonly (string | number | null)[]): number {
  return db.query<{ id: number }, (string | number | null)[]>(sql).get(...values)?.id ?? 0
}

/** A phone with two podcasts and examples of everything that is imported, or is not. */
export function antennaPod(db: Database): void {
  createAntennaPodTables(db)
  const show = addFeed(db, { url: SHOW, title: 'The Show', custom: 'My show', tags: '#root\u001eCommute' })
  const news = addFeed(db, { url: NEWS, title: 'News', username: 'ida' })
  addFeed(db, { url: 'antennapod_local:content://folder', title: 'Recordings' })
  const former = addFeed(db, { url: 'https://feeds.example/former', title: 'Former', state: 1 })
  addFeed(db, { url: 'https://feeds.example/archived', title: 'Archived', state: 2 })
  const finished = { position: 1_700_000, lastPlayed: MAY + DAY_MS, completed: MAY + 2 * DAY_MS }
  const heard = addEpisode(db, { feed: show, url: mediaUrl(1), guid: 'one', read: 1, ...finished })
  const played = { position: 61_500, lastPlayed: MAY + DAY_MS }
  const begun = addEpisode(db, { feed: show, url: mediaUrl(2), guid: 'two', ...played })
  addEpisode(db, { feed: show, url: mediaUrl(3), read: -1 })
  addEpisode(db, { feed: news, url: mediaUrl(4), read: 1, duration: 0, description: 'Long. '.repeat(20_000) })
  addEpisode(db, { feed: former, url: mediaUrl(5), read: 1, completed: MAY + 3 * DAY_MS })
  for (const item of [begun, heard]) db.query('INSERT INTO Queue (feeditem, feed) VALUES (?, ?)').run(item, show)
  db.query('INSERT INTO Favorites (feeditem, feed) VALUES (?, ?)').run(heard, show)
}

const GPODDER_TABLES = {
  podcast: `CREATE TABLE podcast (id INTEGER PRIMARY KEY NOT NULL, title TEXT NOT NULL DEFAULT '',
    url TEXT NOT NULL DEFAULT '', link TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
    auth_username TEXT NULL DEFAULT NULL, auth_password TEXT NULL DEFAULT NULL, section TEXT NOT NULL DEFAULT '')`,
  episode: `CREATE TABLE episode (id INTEGER PRIMARY KEY NOT NULL, podcast_id INTEGER NOT NULL,
    title TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '', url TEXT NOT NULL,
    published INTEGER NOT NULL DEFAULT 0, guid TEXT NOT NULL, state INTEGER NOT NULL DEFAULT 0,
    is_new INTEGER NOT NULL DEFAULT 0, total_time INTEGER NOT NULL DEFAULT 0,
    current_position INTEGER NOT NULL DEFAULT 0, current_position_updated INTEGER NOT NULL DEFAULT 0,
    last_playback INTEGER NOT NULL DEFAULT 0)`,
  version: 'CREATE TABLE version (version integer)',
}

type GpodderTable = keyof typeof GPODDER_TABLES

/** The tables of gPodder 3.11. */
export function createGpodderTables(db: Database, tables: readonly GpodderTable[] = ['podcast', 'episode', 'version']) {
  for (const table of tables) db.run(GPODDER_TABLES[table])
}

const GPODDER_EPISODE = { podcast: 1, state: 0, isNew: false, total: 1800, position: 0, updated: 0, playback: 0 }

/** Times in seconds. */
export function addGpodderEpisode(
  db: Database,
  episode: { readonly name: string } & Partial<typeof GPODDER_EPISODE>,
): void {
  const { name, podcast, state, isNew, total, position, updated, playback } = { ...GPODDER_EPISODE, ...episode }
  db.query(
    `INSERT INTO episode (podcast_id, url, guid, published, state, is_new, total_time, current_position,
       current_position_updated, last_playback) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(podcast, mediaUrl(name), name, MAY / 1000, state, Number(isNew), total, position, updated, playback)
}

/** A computer with two podcasts and examples of everything that is imported, or is not. */
export function gpodder(db: Database): void {
  createGpodderTables(db)
  db.query("INSERT INTO podcast (url, title) VALUES (?, 'The Show')").run(SHOW)
  db.query("INSERT INTO podcast (url, title, auth_username) VALUES (?, 'News', 'ida')").run(NEWS)
  const day = (n: number) => (MAY + n * DAY_MS) / 1000
  addGpodderEpisode(db, { name: 'begun', position: 300, updated: day(1), playback: day(3) })
  addGpodderEpisode(db, { name: 'finished', position: 1791, updated: day(2), state: 2 })
  addGpodderEpisode(db, { name: 'elsewhere', playback: day(3) })
  addGpodderEpisode(db, { name: 'unknown-length', position: 44, total: 0, playback: day(4) })
  addGpodderEpisode(db, { name: 'deleted', state: 2 })
  addGpodderEpisode(db, { name: 'old' })
  addGpodderEpisode(db, { name: 'new', isNew: true })
  addGpodderEpisode(db, { name: 'orphan', podcast: 99, position: 5 })
}
