import { describe, expect, test } from 'bun:test'
import { tempDirs } from '../../store/temp-dir.ts'
import type { Client } from '../../support/client.ts'
import { recordAt } from '../../support/openapi.ts'
import {
  addEpisode,
  addFeed,
  antennaPod,
  bytesOf,
  createAntennaPodTables,
  gpodder,
  mediaUrl,
  NEWS,
  SHOW,
} from '../../transfer/files/databases.ts'
import { importFile, openServer } from './scene.ts'

const dirs = tempDirs()

/** What a fresh app is told of the episodes: the latest state of each, without what all have. */
async function statesOf(ida: Client): Promise<Record<string, unknown>> {
  const { json } = await ida.get('/api/2/episodes/ida.json?aggregated=true')
  const actions = recordAt(json)['actions']
  const items = Array.isArray(actions) ? actions.map((action) => recordAt(action)) : []
  return Object.fromEntries(items.map(({ episode, ...state }) => [String(episode), state]))
}

const FORMER = 'https://feeds.example/former'

const skippedOf = (report: Readonly<Record<string, unknown>>) => {
  const skipped = report['skipped']
  return Array.isArray(skipped) ? skipped.map((item) => [recordAt(item)['count'], recordAt(item)['reason']]) : []
}

const ANTENNAPOD_STATES = {
  [mediaUrl(1)]: {
    ...{ podcast: SHOW, device: 'antennapod', action: 'play', timestamp: '2024-05-03T00:00:00', guid: 'one' },
    ...{ started: 1800, position: 1800, total: 1800 },
  },
  [mediaUrl(2)]: {
    ...{ podcast: SHOW, device: 'antennapod', action: 'play', timestamp: '2024-05-02T00:00:00', guid: 'two' },
    ...{ started: 61, position: 61, total: 1800 },
  },
  // Marked as played, and nobody knows how long it is, or when that was.
  [mediaUrl(4)]: { podcast: NEWS, device: 'antennapod', action: 'play', timestamp: '2024-05-01T00:00:00' },
  [mediaUrl(5)]: {
    ...{ podcast: FORMER, device: 'antennapod', action: 'play' },
    ...{ timestamp: '2024-05-04T00:00:00', started: 1800, position: 1800, total: 1800 },
  },
}

const importedIn = (report: Readonly<Record<string, unknown>>) =>
  Array.isArray(report['counts']) ? report['counts'].map((count) => recordAt(count)['imported']) : []

describe("AntennaPod's database export", () => {
  test('brings subscriptions, history, favorites, queue and tags, and changes nothing the second time', async () => {
    const world = await openServer(dirs.make())
    const report = await importFile(world, bytesOf(antennaPod), 'AntennaPodBackup.db')
    expect(report).toMatchObject({ source: 'antennapod', name: 'AntennaPodBackup.db', state: 'done', error: '' })
    expect(report['counts']).toEqual([
      { what: 'devices', imported: 1, present: 0, skipped: 0 },
      { what: 'subscriptions', imported: 2, present: 0, skipped: 3 },
      { what: 'settings', imported: 0, present: 0, skipped: 1 },
      { what: 'favorites', imported: 1, present: 0, skipped: 0 },
      { what: 'folders', imported: 1, present: 0, skipped: 0 },
      { what: 'queue', imported: 2, present: 0, skipped: 0 },
      { what: 'episode_actions', imported: 4, present: 0, skipped: 0 },
    ])
    expect(skippedOf(report)).toEqual([
      [1, 'the password of a podcast stays in AntennaPod'],
      [1, 'a folder on the phone'],
      [1, 'not subscribed to in AntennaPod'],
      [1, 'archived in AntennaPod; its history was imported'],
    ])
    const { ida } = world
    expect((await ida.get('/api/2/devices/ida.json')).json).toMatchObject([
      { id: 'antennapod', caption: 'AntennaPod', type: 'mobile', subscriptions: 2 },
    ])
    expect((await ida.get('/subscriptions/ida/antennapod.json')).json).toEqual([NEWS, SHOW])
    const podcasts = (await ida.get('/subscriptions/ida.opml')).text
    for (const title of ['My show', 'News']) expect(podcasts).toContain(`title="${title}"`)
    expect(await statesOf(ida)).toEqual(ANTENNAPOD_STATES)
    const favorites = (await ida.get('/api/2/favorites/ida.json')).json
    expect(favorites).toMatchObject([{ url: mediaUrl(1), podcast_url: SHOW }])
    expect((await ida.get('/api/2/me/queue')).json).toMatchObject({
      items: [2, 1].map((n) => ({ podcast: { url: SHOW }, episode: { url: mediaUrl(n) } })),
    })
    expect((await ida.get('/api/2/me/folders')).json).toMatchObject({
      folders: [{ name: 'Commute', podcasts: [SHOW] }],
    })
    const before = world.app.db.query('SELECT clock FROM users').all()
    expect(importedIn(await importFile(world, bytesOf(antennaPod)))).toEqual([0, 0, 0, 0, 0, 0, 0])
    expect(world.app.db.query('SELECT clock FROM users').all()).toEqual(before)
    expect(await statesOf(ida)).toEqual(ANTENNAPOD_STATES)
  })

  test("leaves what the account knows better, and the phone's first sync changes nothing of it", async () => {
    const world = await openServer(dirs.make())
    const { ida } = world
    const later = { podcast: SHOW, episode: mediaUrl(2), action: 'play', timestamp: '2025-01-01T00:00:00' }
    await ida.post('/api/2/episodes/ida.json', [{ ...later, device: 'tablet', started: 0, position: 900, total: 1800 }])
    await importFile(world, bytesOf(antennaPod))
    const states = await statesOf(ida)
    expect(states[mediaUrl(2)]).toMatchObject({ device: 'tablet', position: 900 })
    // What AntennaPod reports of all that it has marked as played when it first connects.
    const mark = { device: 'pixel', action: 'play', timestamp: '2025-03-01T00:00:00' }
    const played = { ...mark, started: 1800, position: 1800, total: 1800 }
    await ida.post('/api/2/episodes/ida.json', [{ ...played, podcast: SHOW, episode: mediaUrl(1), guid: 'one' }])
    const after = await statesOf(ida)
    expect(after[mediaUrl(1)]).toMatchObject({ action: 'play', position: 1800, total: 1800 })
    expect(after[mediaUrl(2)]).toEqual(states[mediaUrl(2)] as never)
  })

  test('of an early version comes over without the columns that it lacks', async () => {
    const world = await openServer(dirs.make())
    const report = await importFile(
      world,
      bytesOf((db) => {
        db.run('CREATE TABLE Feeds (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, download_url TEXT)')
        db.run('CREATE TABLE FeedItems (id INTEGER PRIMARY KEY, pubDate INTEGER, read INTEGER, feed INTEGER)')
        db.run('CREATE TABLE FeedMedia (id INTEGER PRIMARY KEY, duration, download_url TEXT, position, feeditem)')
        db.run(`INSERT INTO Feeds VALUES (7, 'The Show', '${SHOW}')`)
        db.run('INSERT INTO FeedItems VALUES (9, 1714521600000, 1, 7)')
        db.run(`INSERT INTO FeedMedia VALUES (1, 60000, '${mediaUrl(1)}', 0, 9)`)
      }),
    )
    expect(report).toMatchObject({ state: 'done', skipped: [] })
    expect(await statesOf(world.ida)).toMatchObject({ [mediaUrl(1)]: { timestamp: '2024-05-01T00:00:00', total: 60 } })
  })

  test('skips and reports what makes no sense', async () => {
    const world = await openServer(dirs.make())
    const YEAR_2500 = 16_725_225_600_000
    const report = await importFile(
      world,
      bytesOf((db) => {
        createAntennaPodTables(db)
        const feed = addFeed(db, { url: SHOW, title: 'a\u0000b\u001fc' })
        addFeed(db, { url: 'ftp://feeds.example/show', title: 'FTP' })
        addFeed(db, { url: 'javascript:alert(1)' })
        addFeed(db, { url: null, title: 'Nothing' })
        addFeed(db, { url: `https://feeds.example/${'x'.repeat(9000)}`, title: 'Endless' })
        addEpisode(db, { feed, url: mediaUrl('negative'), position: -1, duration: -1, read: 0 })
        addEpisode(db, { feed, url: mediaUrl('marked'), position: -5000, duration: -1, read: 1 })
        addEpisode(db, { feed, url: mediaUrl(2500), read: 1, completed: YEAR_2500, published: YEAR_2500 })
        addEpisode(db, { feed, url: mediaUrl(1970), read: 1, completed: -1, lastPlayed: 5000, published: 0 })
        addEpisode(db, { feed, url: 'file:///etc/passwd', read: 1 })
        addEpisode(db, { feed, url: null, read: 1 })
        addEpisode(db, { feed, url: 'https://media.example/a\u0000b.mp3', position: 1000 })
        addEpisode(db, { feed: 99, url: mediaUrl('orphan'), position: 1000 })
        db.run(`INSERT INTO FeedMedia (feeditem, download_url, position) VALUES (4711, '${mediaUrl('lost')}', 5)`)
        db.run(`INSERT INTO FeedMedia (feeditem, download_url, position) VALUES ('x', x'00ff', 'y')`)
        db.run('INSERT INTO Queue (feeditem) VALUES (4711)')
        db.run("INSERT INTO Favorites (feeditem) VALUES (NULL), ('z')")
      }),
    )
    expect(report).toMatchObject({ state: 'done', error: '' })
    expect(skippedOf(report)).toEqual([
      [2, 'not an http or https address'],
      [2, 'without an address that can be read'],
      [2, 'without an http or https address of podcast and episode'],
      [2, 'of no podcast that the database has'],
    ])
    const states = await statesOf(world.ida)
    expect(states).toMatchObject({
      [mediaUrl('marked')]: { action: 'play', timestamp: '2024-05-01T00:00:00' },
      [mediaUrl(2500)]: { timestamp: '1970-01-01T00:00:00' },
      [mediaUrl(1970)]: { timestamp: '1970-01-01T00:00:05' },
    })
    expect(states[mediaUrl('negative')]).toBeUndefined()
    expect((await world.ida.get('/subscriptions/ida.opml')).text).toContain('title="a b c"')
  })
})

describe("gPodder's database", () => {
  test('brings subscriptions and history', async () => {
    const world = await openServer(dirs.make())
    const report = await importFile(world, bytesOf(gpodder), 'Database')
    expect(report).toMatchObject({ source: 'gpodder', name: 'Database', state: 'done' })
    expect(report['counts']).toEqual([
      { what: 'devices', imported: 1, present: 0, skipped: 0 },
      { what: 'subscriptions', imported: 2, present: 0, skipped: 0 },
      { what: 'settings', imported: 0, present: 0, skipped: 1 },
      { what: 'episode_actions', imported: 5, present: 0, skipped: 1 },
    ])
    expect((await world.ida.get('/subscriptions/ida/gpodder.json')).json).toEqual([NEWS, SHOW])
    const common = { podcast: SHOW, device: 'gpodder' }
    const played = (day: number, position: number, total?: number) => {
      const timestamp = `2024-05-0${day}T00:00:00`
      return { ...common, action: 'play', timestamp, started: position, position, ...(total && { total }) }
    }
    expect(await statesOf(world.ida)).toEqual({
      [mediaUrl('begun')]: played(2, 300, 1800),
      [mediaUrl('finished')]: played(3, 1800, 1800),
      [mediaUrl('elsewhere')]: played(4, 1800, 1800),
      [mediaUrl('unknown-length')]: played(5, 44),
      [mediaUrl('deleted')]: { ...common, action: 'delete', timestamp: '2024-05-01T00:00:00' },
    })
    expect(importedIn(await importFile(world, bytesOf(gpodder)))).toEqual([0, 0, 0, 0])
  })
})

/** As Overcast writes it: playlists, and podcasts with their episodes. */
const OVERCAST = `<?xml version="1.0" encoding="utf-8"?>
<opml version="1.0"><head><title>Overcast Podcast Subscriptions</title></head><body>
  <outline text="playlists"><outline type="podcast-playlist" title="All" sorting="manual"/></outline>
  <outline text="feeds">
    <outline type="rss" overcastId="1" text="Fog &amp; Gulls" xmlUrl="${SHOW}" subscribed="1">
      <outline type="podcast-episode" overcastId="11" url="https://show.example/played" overcastUrl="https://overcast.fm/+a"
        enclosureUrl="${mediaUrl('played')}" played="1" progress="1799" userUpdatedDate="2024-05-02T02:00:00+02:00"/>
      <outline type="podcast-episode" overcastId="12" url="https://show.example/begun" enclosureUrl="${mediaUrl('begun')}"
        progress="301" userUpdatedDate="2024-05-03T00:00:00-00:00" userRecommendedDate="2024-05-03T01:00:00-00:00"/>
      <outline type="podcast-episode" overcastId="13" url="https://show.example/new" enclosureUrl="${mediaUrl('new')}"
        pubDate="2024-05-03T00:00:00-00:00" userDeleted="1"/>
      <outline type="podcast-episode" overcastId="14" enclosureUrl="${mediaUrl('undated')}" played="1"
        userUpdatedDate="never" pubDate="Wed, 01 May 2024 00:00:00 GMT" userRecommendedDate="one day"/>
      <outline type="podcast-episode" overcastId="15" played="1" userRecommendedDate="2024-05-03T01:00:00-00:00"/>
      <outline type="podcast-episode" overcastId="16" enclosureUrl="${mediaUrl('odd')}" progress="long"/>
    </outline>
    <outline type="rss" overcastId="2" title="Former" xmlUrl="${FORMER}">
      <outline type="podcast-episode" overcastId="21" enclosureUrl="${mediaUrl('former')}" progress="7" pubDate="2024-05-01"/>
    </outline>
    <outline type="rss" overcastId="3" xmlUrl="https://feeds.example/unnamed" subscribed="0"/>
    <outline type="podcast-episode" overcastId="31" enclosureUrl="${mediaUrl('of nothing')}" played="1"/>
  </outline>
</body></opml>`

describe("Overcast's OPML", () => {
  test("brings subscriptions and history, and no episode's page as a podcast", async () => {
    const world = await openServer(dirs.make())
    const report = await importFile(world, OVERCAST, 'overcast.opml')
    expect(report).toMatchObject({ source: 'opml', state: 'done', error: '' })
    expect(report['counts']).toEqual([
      { what: 'devices', imported: 1, present: 0, skipped: 0 },
      { what: 'subscriptions', imported: 1, present: 0, skipped: 2 },
      { what: 'favorites', imported: 2, present: 0, skipped: 0 },
      { what: 'episode_actions', imported: 4, present: 0, skipped: 2 },
    ])
    expect((await world.ida.get('/subscriptions/ida/overcast.json')).json).toEqual([SHOW])
    expect((await world.ida.get('/subscriptions/ida.opml')).text).toContain('title="Fog &amp; Gulls"')
    const common = { podcast: SHOW, device: 'overcast', action: 'play' }
    expect(await statesOf(world.ida)).toEqual({
      [mediaUrl('played')]: { ...common, timestamp: '2024-05-02T00:00:00' },
      [mediaUrl('begun')]: { ...common, timestamp: '2024-05-03T00:00:00', started: 301, position: 301 },
      [mediaUrl('undated')]: { ...common, timestamp: '2024-05-01T00:00:00' },
      [mediaUrl('former')]: { ...common, podcast: FORMER, timestamp: '2024-05-01T00:00:00', started: 7, position: 7 },
    })
    expect(importedIn(await importFile(world, OVERCAST))).toEqual([0, 0, 0, 0])
  })
})
