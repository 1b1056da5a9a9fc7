import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import type { ImportRecord, ImportSource, SourcedRecord } from '../../../src/domain/transfer/records.ts'
import { openDatabase } from '../../../src/transfer/files/apps/open-database.ts'
import { openOpml } from '../../../src/transfer/files/apps/opml.ts'
import { databaseAt, fileOf } from './database-files.ts'
import {
  addEpisode,
  addFeed,
  addGpodderEpisode,
  antennaPod,
  bytesOf,
  createAntennaPodTables,
  createGpodderTables,
  gpodder,
  mediaUrl,
  SHOW,
} from './databases.ts'

const NOW = 1_735_689_600
const now = () => NOW
const never = new AbortController().signal

const recordsOf = (source: ImportSource, resumeFrom?: string, signal = never) =>
  Array.fromAsync(source.records(resumeFrom, signal))

const urlsOf = (records: readonly SourcedRecord[]) =>
  records.flatMap(({ record }) => (record.kind === 'actions' ? record.actions.map(({ episode }) => episode) : []))

const kindsOf = (records: readonly SourcedRecord[]): ImportRecord['kind'][] => records.map(({ record }) => record.kind)

/** 1,100 episodes in progress. */
function longHistory(db: Database): void {
  createAntennaPodTables(db)
  const feed = addFeed(db, { url: SHOW, title: 'The Show' })
  db.run('BEGIN')
  const items = Array.from({ length: 1100 }, (_, n) => addEpisode(db, { feed, url: mediaUrl(n), position: 5000 }))
  for (const item of [items[3], items[900]])
    for (const table of ['Favorites', 'Queue']) db.query(`INSERT INTO ${table} (feeditem) VALUES (?)`).run(item ?? 0)
  db.run('COMMIT')
}

function longGpodderHistory(db: Database): void {
  createGpodderTables(db)
  db.query("INSERT INTO podcast (url, title, auth_username) VALUES (?, 'The Show', 'ida')").run(SHOW)
  db.run('BEGIN')
  for (let n = 0; n < 1100; n++) addGpodderEpisode(db, { name: String(n), position: 5 })
  db.run('COMMIT')
}

const open = (path: string) => openDatabase(path, 'a file', now)

const APPS = [
  ['AntennaPod', antennaPod, longHistory],
  ['gPodder', gpodder, longGpodderHistory],
] as const

describe.each(APPS)('%s', (name, fill, fillLong) => {
  test('yields devices and subscriptions before the history, and the progress at the end', async () => {
    const records = await recordsOf(open(databaseAt(fill)))
    expect(records[0]?.record).toEqual({ kind: 'source', source: name.toLowerCase() })
    const kinds = kindsOf(records)
    expect(kinds.slice(1, 3)).toEqual(['device', 'feeds'])
    expect(kinds.indexOf('actions')).toBeGreaterThan(1)
    expect(kinds.at(-1)).toBe('progress')
  })

  test('resumes at each of its cursors', async () => {
    const source = open(databaseAt(fillLong))
    const records = await recordsOf(source)
    const all = urlsOf(records)
    expect(all).toEqual(Array.from({ length: 1100 }, (_, n) => mediaUrl(n)))
    const cursors = records.flatMap(({ cursor }, index) => (cursor === undefined ? [] : [{ cursor, index }]))
    expect(cursors).toHaveLength(3)
    for (const { cursor, index } of cursors) {
      const rest = await recordsOf(source, cursor)
      expect(urlsOf(rest)).toEqual(urlsOf(records.slice(index + 1)))
      expect(kindsOf(rest)).not.toContain('device')
      // The settings at the end are repeated, since they are not stored before.
      const settings = (list: readonly SourcedRecord[]) => list.filter(({ record }) => record.kind === 'settings')
      expect(settings(rest)).toEqual(settings(records))
    }
  })

  test('stops when the import is cancelled', async () => {
    const abort = new AbortController()
    abort.abort('enough')
    const reading = recordsOf(open(databaseAt(fill)), undefined, abort.signal)
    expect(await reading.catch((reason: unknown) => reason)).toBe('enough')
  })

  test('is distinguished from other databases', async () => {
    const other = databaseAt((db) => db.run('CREATE TABLE notes (a)'))
    await expect(recordsOf(open(other))).rejects.toThrow(/this file cannot be imported/)
  })

  test('yields nothing if it is damaged', async () => {
    const bytes = bytesOf(fillLong)
    // The history is in the last pages.
    bytes.fill(0xee, bytes.length - 8192)
    const kinds: string[] = []
    const reading = (async () => {
      for await (const { record } of open(fileOf(bytes).path).records(undefined, never)) kinds.push(record.kind)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'validation_failed' })
    expect(kinds).toEqual(['source'])
  })
})

test('AntennaPod: progress is reported; favorites and queue come without orphaned and local episodes', async () => {
  const path = databaseAt((db) => {
    createAntennaPodTables(db)
    const feed = addFeed(db, { url: SHOW })
    const local = addFeed(db, { url: 'antennapod_local:x' })
    db.run('BEGIN')
    for (let n = 0; n < 20_500; n++) addEpisode(db, { feed: n === 7 ? local : feed, url: mediaUrl(n), position: 1 })
    db.run('COMMIT')
    db.run('INSERT INTO Queue (feeditem, feed) SELECT id, feed FROM FeedItems ORDER BY id LIMIT 400')
    db.run('INSERT INTO Favorites (feeditem) VALUES (4711)')
    // A deleted item whose media is left.
    db.run('DELETE FROM FeedItems WHERE id = 4711')
  })
  const records = (await recordsOf(open(path))).map(({ record }) => record)
  const done = records.flatMap((record) => (record.kind === 'progress' ? [record.done] : []))
  expect(done).toEqual([10_000, 20_000, 20_500])
  // Positions below one second do not count as played.
  expect(records.some(({ kind }) => kind === 'actions')).toBe(false)
  // Without the local one.
  const queue = records.find((record) => record.kind === 'queue')
  expect(queue?.episodes).toHaveLength(399)
  expect(records).toContainEqual({
    ...{ kind: 'skipped', what: 'episode_actions', reason: 'of no podcast that the database has', count: 1 },
    examples: [mediaUrl(4710)],
  })
})

test('gPodder: progress is reported', async () => {
  const path = databaseAt((db) => {
    createGpodderTables(db)
    db.run('BEGIN')
    for (let n = 0; n < 10_001; n++) addGpodderEpisode(db, { name: String(n) })
    db.run('COMMIT')
  })
  const records = (await recordsOf(open(path))).map(({ record }) => record)
  expect(records.filter(({ kind }) => kind === 'progress')).toEqual([
    { kind: 'progress', done: 10_000, total: 10_001 },
    { kind: 'progress', done: 10_001, total: 10_001 },
  ])
})

describe('OPML', () => {
  const list = (outlines: string) => `<opml version="2.0"><body>${outlines}</body></opml>`
  const open = (content: string | Uint8Array) => openOpml(fileOf(Buffer.from(content)).path, 'a file', now)
  const read = async (content: string | Uint8Array) => (await recordsOf(open(content))).map(({ record }) => record)
  const addressesOf = (records: readonly ImportRecord[]) =>
    records.flatMap((record) => (record.kind === 'feeds' ? record.feeds.map(({ url }) => url) : []))
  const skippedOf = (records: readonly ImportRecord[]) => records.filter(({ kind }) => kind === 'skipped')

  const episode = (n: number) =>
    `<outline type="podcast-episode" enclosureUrl="${mediaUrl(n)}" progress="9" pubDate="2024-05-01"/>`

  test('yields devices and subscriptions, and then the history in parts', async () => {
    const episodes = Array.from({ length: 700 }, (_, n) => episode(n)).join('')
    const many = list(`<outline overcastId="1" xmlUrl="${SHOW}" subscribed="1">${episodes}</outline>`)
    const records = await recordsOf(open(many))
    expect(kindsOf(records)).toEqual(['device', 'feeds', 'actions', 'actions', 'progress'])
    expect(urlsOf(records)).toEqual(Array.from({ length: 700 }, (_, n) => mediaUrl(n)))
  })

  test('of other programs belongs to a device for lists, and its "subscribed" is ignored', async () => {
    const records = await read(list(`<outline text="Ä" url="${SHOW}" subscribed="0"/>`))
    expect(records.slice(0, 2)).toEqual([
      { kind: 'device', id: 'opml', caption: 'OPML', type: 'other' },
      { kind: 'feeds', device: 'opml', feeds: [{ url: SHOW, title: 'Ä' }] },
    ])
  })

  const inCharset = (charset: string) =>
    `<?xml version="1.0" encoding="${charset}"?>${list(`<outline text="Äh €" url="${SHOW}"/>`)}`
  test.each<[string, Buffer]>([
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${inCharset('utf-8')}`)],
    ['UTF-16 without a byte order mark', Buffer.from(inCharset('utf-16'), 'utf16le')],
    ['Windows-1252, declared as UTF-8', Buffer.from(inCharset('utf-8').replace('€', '\x80'), 'latin1')],
  ])('in %s is read', async (_charset, bytes) => {
    expect((await read(bytes))[1]).toMatchObject({ kind: 'feeds', feeds: [{ url: SHOW, title: 'Äh €' }] })
  })

  test('yields records of 500 feeds', async () => {
    const outlines = Array.from({ length: 20_000 }, (_, n) => `<outline text="Möwe ${n} 🌊" url="${SHOW}/${n}"/>\r\n`)
    const records = await read(list(outlines.join('')))
    const feeds = records.flatMap((record) => (record.kind === 'feeds' ? [record.feeds] : []))
    expect(feeds.map(({ length }) => length)).toEqual(Array(40).fill(500))
    expect(feeds.flat()).toEqual(outlines.map((_, n) => ({ url: `${SHOW}/${n}`, title: `Möwe ${n} 🌊` })))
  })

  test('is imported without addresses that are too long', async () => {
    const long = `${SHOW}/${'x'.repeat(5000)}`
    const outlines = `<outline url="${long}"/><outline text="${'Fog '.repeat(2000)}" url="${SHOW}">
      <outline type="podcast-episode" enclosureUrl="${long}" played="1" userRecommendedDate="2024-05-01"/></outline>`
    const records = await read(list(outlines))
    expect(records.slice(1, -1)).toEqual([
      { kind: 'feeds', device: 'opml', feeds: [{ url: SHOW, title: 'Fog '.repeat(250) }] },
      {
        ...{ kind: 'skipped', what: 'subscriptions', reason: 'the address is too long', count: 1 },
        examples: [long.slice(0, 250)],
      },
      {
        ...{ kind: 'skipped', what: 'episode_actions', count: 1 },
        reason: 'without an http or https address of podcast and episode',
      },
    ] as ImportRecord[])
  })

  const longText = '&#9;'.repeat(100_000)
  test.each<[string, string | Uint8Array, RegExp]>([
    ['with a very long attribute', list(`<outline text="${longText}" url="${SHOW}"/>`), /262144 characters in one/],
    [
      'that is damaged and has no podcast',
      '<opml>\n<body>',
      /not well-formed XML.* in line 2, and no podcast could be/,
    ],
    ['that is another document', `<rss><outline url="${SHOW}"/></rss>`, /the file is not an OPML document/],
    ['of a million tags', `<opml version="2">${'<a/>'.repeat(200_001)}</opml>`, /more than 200000 tags/],
    ['that is too large', Buffer.alloc(64 * 1024 * 1024 + 1, 0x20), /larger than 64 MiB/],
  ])('%s is refused before the first record', async (_what, content, message) => {
    const read: unknown[] = []
    const reading = (async () => {
      for await (const record of open(content).records(undefined, never)) read.push(record)
    })()
    await expect(reading).rejects.toThrow(message)
    expect(read).toEqual([])
  })

  test('stops when the import is cancelled', async () => {
    const stopped = recordsOf(open(list('')), undefined, AbortSignal.abort('enough'))
    expect(await stopped.catch((reason: unknown) => reason)).toBe('enough')
  })

  const [a, b] = [`<outline text="A" xmlUrl="${SHOW}/a"/>`, `<outline text="B" xmlUrl="${SHOW}/b"/>`]
  test.each<[string, string, number, number]>([
    ['inner quotes', list(`\n<outline description="by <a href="http://x">X</a>" xmlUrl="${SHOW}/a"/>\n${b}`), 1, 2],
    ['later inner quotes', list(`<outline xmlUrl="${SHOW}/a" text="by "X" and "Y""/>\n${b}`), 1, 1],
    ['values without quotes', list(`<outline text=A xmlUrl = ${SHOW}/a/>\n${b}`), 1, 1],
    ['an unclosed quote', list(`\n<outline xmlUrl="${SHOW}/a" text="A/>\n${b}`), 1, 2],
    ['no end tag', list(`${a.replace('/>', '>')}\n${b.replace('/>', '>')}\n`), 1, 3],
    ['extra end tags', list(`${a}\n</outline>\n</group></outline>${b}`), 2, 2],
    ['< as text', list(`${a}\n<title>1 < 2</title>\n${b}`), 1, 2],
    ['two documents', `${list(a)}\n<?xml version="1.0"?>\n${list(b)}`, 2, 2],
    ['text outside the root', `x\n${list(a + b)}`, 1, 1],
    ['no end', `<opml><body>\n${a}\n${b}\n<outline text="C`, 1, 4],
    ['a cut address', `<opml><body>${a}\n${b}\n<outline xmlUrl="https://c`, 1, 3],
    ['a comment without an end', list(`${a}\n<!-- more\n${b}`), 1, 2],
    ['comments, the last without an end', `<!-- mine -->${list(`<!-- more -->${a}\n<!--\n<!--${b}`)}`, 2, 2],
    ['CDATA without an end', list(`${a}\n<![CDATA[ more\n${b}`), 1, 2],
    ['an instruction without an end', list(`${a}\n<?php\n${b}`), 1, 2],
    ['a DOCTYPE without an end', `<!DOCTYPE opml [\n${list(a + b)}`, 1, 1],
    ['all of these', `<?fog\n<!DOCTYPE opml [\n<!--\n${list(`${a}\n<![CDATA[ more\n${b}`)}`, 4, 1],
    ['two tags in one', list(`${a.replace('/>', '')}\n${b}`), 2, 1],
  ])('with %s is imported, and damaged lines are counted', async (_what, text, count, first) => {
    const records = await read(text)
    expect(addressesOf(records)).toEqual([`${SHOW}/a`, `${SHOW}/b`])
    expect(skippedOf(records)).toMatchObject([{ count, examples: [`line ${first}`] }])
  })

  const liferea = `<outline type="source" sourceType="fl_opml" xmlUrl="${SHOW}/list"/>`
  test.each([
    ['has no root', `${a}\n${b}`],
    ["contains Liferea's outlines of lists", list(`${a}${liferea}${b}`)],
  ])('is imported without a warning if it %s', async (_case, text) => {
    const records = await read(text)
    expect(addressesOf(records)).toEqual([`${SHOW}/a`, `${SHOW}/b`])
    expect(skippedOf(records)).toEqual([])
  })

  test('with many podcasts is imported even without end tags', async () => {
    const outlines = Array.from({ length: 400 }, (_, n) => `<outline url="${SHOW}/${n}">`)
    expect(addressesOf(await read(list(outlines.join('\n'))))).toHaveLength(400)
  })
})
