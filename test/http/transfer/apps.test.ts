import { describe, expect, test } from 'bun:test'
import { tempDirs } from '../../store/temp-dir.ts'
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
import { type ImportWorld, importFile, openServer } from './scene.ts'

const dirs = tempDirs()

const FORMER = 'https://feeds.example/former'

/** Latest state of each episode, by media URL. */
async function statesOf({ ida }: ImportWorld): Promise<Record<string, unknown>> {
  const { json } = await ida.get('/api/2/episodes/ida.json?aggregated=true')
  const { actions } = json as { actions: { episode: string }[] }
  return Object.fromEntries(actions.map(({ episode, ...state }) => [episode, state]))
}

function skippedOf(report: Readonly<Record<string, unknown>>) {
  const skipped = report['skipped'] as unknown[]
  return skipped.map((item) => [recordAt(item)['count'], recordAt(item)['reason']])
}

/** Imports a file, and expects that importing it again changes nothing. */
async function importTwice(content: string | Uint8Array, name: string) {
  const world = await openServer(dirs.make())
  const report = await importFile(world, content, name)
  const states = await statesOf(world)
  const again = await importFile(world, content, name)
  expect((again['counts'] as unknown[]).map((count) => recordAt(count)['imported']).filter(Boolean)).toEqual([])
  expect(await statesOf(world)).toEqual(states)
  return { ...world, report, states }
}

const count = (what: string, imported: number, skipped = 0) => ({ what, imported, present: 0, skipped })

describe("importing AntennaPod's database", () => {
  test('includes subscriptions, history, favorites, queue and tags', async () => {
    const { ida, report, states } = await importTwice(bytesOf(antennaPod), 'AntennaPodBackup.db')
    expect(report).toMatchObject({ source: 'antennapod', name: 'AntennaPodBackup.db', state: 'done', error: '' })
    expect(report['counts']).toEqual([
      count('devices', 1),
      count('subscriptions', 2, 3),
      count('settings', 0, 1),
      count('favorites', 1),
      count('folders', 1),
      count('queue', 2),
      count('episode_actions', 4),
    ])
    expect(skippedOf(report)).toEqual([
      [1, 'the password of a podcast stays in AntennaPod'],
      [1, 'a folder on the phone'],
      [1, 'not subscribed to in AntennaPod'],
      [1, 'archived in AntennaPod; its history was imported'],
    ])
    expect((await ida.get('/api/2/devices/ida.json')).json).toMatchObject([
      { id: 'antennapod', caption: 'AntennaPod', type: 'mobile', subscriptions: 2 },
    ])
    expect((await ida.get('/subscriptions/ida/antennapod.json')).json).toEqual([NEWS, SHOW])
    const podcasts = (await ida.get('/subscriptions/ida.opml')).text
    for (const title of ['My show', 'News']) expect(podcasts).toContain(`title="${title}"`)
    const play = (podcast: string, day: number, fields: object) => ({
      ...{ podcast, device: 'antennapod', action: 'play', timestamp: `2024-05-0${day}T00:00:00` },
      ...fields,
    })
    const finished = { started: 1800, position: 1800, total: 1800 }
    expect(states).toEqual({
      [mediaUrl(1)]: play(SHOW, 3, { guid: 'one', ...finished }),
      [mediaUrl(2)]: play(SHOW, 2, { guid: 'two', started: 61, position: 61, total: 1800 }),
      // Marked as played, without a length or time.
      [mediaUrl(4)]: play(NEWS, 1, {}),
      [mediaUrl(5)]: play(FORMER, 4, finished),
    })
    const favorites = (await ida.get('/api/2/favorites/ida.json')).json
    expect(favorites).toMatchObject([{ url: mediaUrl(1), podcast_url: SHOW }])
    expect((await ida.get('/api/2/me/queue')).json).toMatchObject({
      items: [2, 1].map((n) => ({ podcast: { url: SHOW }, episode: { url: mediaUrl(n) } })),
    })
    expect((await ida.get('/api/2/me/folders')).json).toMatchObject({
      folders: [{ name: 'Commute', podcasts: [SHOW] }],
    })
  })

  test('of an early version works without its missing columns', async () => {
    const world = await openServer(dirs.make())
    const file = bytesOf((db) => {
      db.run('CREATE TABLE Feeds (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT, download_url TEXT)')
      db.run('CREATE TABLE FeedItems (id INTEGER PRIMARY KEY, pubDate INTEGER, read INTEGER, feed INTEGER)')
      db.run('CREATE TABLE FeedMedia (id INTEGER PRIMARY KEY, duration, download_url TEXT, position, feeditem)')
      db.run(`INSERT INTO Feeds VALUES (7, 'The Show', '${SHOW}')`)
      db.run('INSERT INTO FeedItems VALUES (9, 1714521600000, 1, 7)')
      db.run(`INSERT INTO FeedMedia VALUES (1, 60000, '${mediaUrl(1)}', 0, 9)`)
    })
    expect(await importFile(world, file)).toMatchObject({ state: 'done', skipped: [] })
    expect(await statesOf(world)).toMatchObject({ [mediaUrl(1)]: { timestamp: '2024-05-01T00:00:00', total: 60 } })
  })

  test('skips and reports invalid rows', async () => {
    const world = await openServer(dirs.make())
    const YEAR_2500 = 16_725_225_600_000
    const file = bytesOf((db) => {
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
    })
    const report = await importFile(world, file)
    expect(report).toMatchObject({ state: 'done', error: '' })
    expect(skippedOf(report)).toEqual([
      [2, 'not an http or https address'],
      [2, 'without a valid URL'],
      [2, 'without an http or https address of podcast and episode'],
      [2, 'of no podcast that the database has'],
    ])
    const states = await statesOf(world)
    expect(states).toMatchObject({
      [mediaUrl('marked')]: { action: 'play', timestamp: '2024-05-01T00:00:00' },
      [mediaUrl(2500)]: { timestamp: '1970-01-01T00:00:00' },
      [mediaUrl(1970)]: { timestamp: '1970-01-01T00:00:05' },
    })
    expect(states[mediaUrl('negative')]).toBeUndefined()
    expect((await world.ida.get('/subscriptions/ida.opml')).text).toContain('title="a b c"')
  })
})

test("importing gPodder's database includes subscriptions and history", async () => {
  const { ida, report, states } = await importTwice(bytesOf(gpodder), 'Database')
  expect(report).toMatchObject({ source: 'gpodder', name: 'Database', state: 'done' })
  expect(report['counts']).toEqual([
    count('devices', 1),
    count('subscriptions', 2),
    count('settings', 0, 1),
    count('episode_actions', 5, 1),
  ])
  expect((await ida.get('/subscriptions/ida/gpodder.json')).json).toEqual([NEWS, SHOW])
  const common = { podcast: SHOW, device: 'gpodder' }
  const played = (day: number, position: number, total?: number) => {
    const timestamp = `2024-05-0${day}T00:00:00`
    return { ...common, action: 'play', timestamp, started: position, position, ...(total && { total }) }
  }
  expect(states).toEqual({
    [mediaUrl('begun')]: played(2, 300, 1800),
    [mediaUrl('finished')]: played(3, 1800, 1800),
    [mediaUrl('elsewhere')]: played(4, 1800, 1800),
    [mediaUrl('unknown-length')]: played(5, 44),
    [mediaUrl('deleted')]: { ...common, action: 'delete', timestamp: '2024-05-01T00:00:00' },
  })
})

/** Has playlists, and podcasts with their episodes. */
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

test("importing Overcast's OPML includes subscriptions and history, but no episode pages as podcasts", async () => {
  const { ida, report, states } = await importTwice(OVERCAST, 'overcast.opml')
  expect(report).toMatchObject({ source: 'opml', state: 'done', error: '' })
  expect(report['counts']).toEqual([
    count('devices', 1),
    count('subscriptions', 1, 2),
    count('favorites', 2),
    count('episode_actions', 4, 2),
  ])
  expect((await ida.get('/subscriptions/ida/overcast.json')).json).toEqual([SHOW])
  expect((await ida.get('/subscriptions/ida.opml')).text).toContain('title="Fog &amp; Gulls"')
  const common = { podcast: SHOW, device: 'overcast', action: 'play' }
  expect(states).toEqual({
    [mediaUrl('played')]: { ...common, timestamp: '2024-05-02T00:00:00' },
    [mediaUrl('begun')]: { ...common, timestamp: '2024-05-03T00:00:00', started: 301, position: 301 },
    [mediaUrl('undated')]: { ...common, timestamp: '2024-05-01T00:00:00' },
    [mediaUrl('former')]: { ...common, podcast: FORMER, timestamp: '2024-05-01T00:00:00', started: 7, position: 7 },
  })
})
