import { describe, expect, test } from 'bun:test'
import { Secret } from '../../src/platform/secret.ts'
import { openMemoryDatabase } from '../../src/store/sqlite/core/open.ts'
import { createSqliteStore } from '../../src/store/sqlite/store.ts'
import { describeStore } from './contract/describe-store.ts'
import { succeed } from './contract/feeds/feeds.ts'
import {
  A,
  action,
  addAccount,
  addDevices,
  addUser,
  B,
  BY_COMMAND_LINE,
  C,
  change,
  feedDocument,
  feedEpisode,
  fingerprinted,
  newUser,
  report,
  startSession,
  T,
  tokenHash,
} from './contract/fixtures.ts'

describeStore('SQLite in memory', () => createSqliteStore(openMemoryDatabase()))

test('every statement of the store is valid', () => {
  expect(() => createSqliteStore(openMemoryDatabase(), { preparesAtOnce: true })).not.toThrow()
})

test('an invalid statement fails at once only if all statements are prepared at the start', () => {
  const withoutTable = () => {
    const db = openMemoryDatabase()
    db.run('DROP TABLE upkeep')
    return db
  }
  expect(() => createSqliteStore(withoutTable(), { preparesAtOnce: true })).toThrow('no such table')
  expect(() => createSqliteStore(withoutTable())).not.toThrow()
  // In memory there is no file to overwrite.
  expect(createSqliteStore(openMemoryDatabase()).isOverwritten()).toBe(false)
})

test('after its end the store refuses writes, and the database can be closed', async () => {
  const db = openMemoryDatabase()
  const store = createSqliteStore(db)
  const ida = await addUser(store)
  const read = await store.devices.list(ida)
  store.end()
  db.close(true)
  expect(read).toEqual([])
  await expect(change(store, ida, 'phone', { add: [A] })).rejects.toMatchObject({ code: 'unavailable' })
})

describe('removing a user', () => {
  /** Tables without personal data: feeds and episodes, the audit log, the state of the server. */
  const SHARED = [
    ...['address_claims', 'address_edges', 'address_guids', 'address_relations', 'audit_log', 'episode_changes'],
    ...['episode_details', 'episode_documents', 'episode_words', 'episodes', 'podcast_details', 'podcasts'],
    ...['schema_migrations', 'search_words', 'subscriber_history', 'upkeep'],
  ]

  test('leaves no row except in shared tables', async () => {
    const db = openMemoryDatabase()
    const store = createSqliteStore(db)
    const tables = db
      .query<{ name: string }, []>(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`,
      )
      .all()
      .map(({ name }) => name)
    const rows = () =>
      Object.fromEntries(tables.map((table) => [table, db.query(`SELECT * FROM "${table}"`).values().length]))

    await addAccount(store, 'admin', true)
    const before = rows()
    const ida = (await store.users.create(newUser('ida', 'ida@pods.example'), false, BY_COMMAND_LINE)).id
    const webhook = { url: 'https://hooks.example/', format: 'json', events: ['new_device'] } as const
    await store.webhooks.set(ida, webhook, new Secret('whsec_x'), false)
    await addDevices(store, ida, 'phone', 'desk')
    const message = { id: 'x', createdAt: T, username: 'ida', news: { event: 'test' } } as const
    await store.webhooks.enqueue({ userId: ida, event: 'new_device', lastId: 1 }, message, 10)
    await change(store, ida, 'phone', { add: [A] })
    await store.subscriptions.replace(ida, 'phone', [A, B], T, { titles: new Map([[B, 'Orbit']]) })
    await store.syncGroups.regroup(ida, { synchronize: [['phone', 'desk']], stop: [] }, T)
    const sameGuid = [1, 2].map((n) => action({ device: 'phone', episode: `https://cdn.example/${n}`, guid: 'fog' }))
    await report(store, ida, [action({ device: 'phone' }), ...sameGuid])
    const session = await startSession(store, ida, 1)
    await store.appPasswords.create(session, ida, { name: 'Phone', scope: 'sync', hash: tokenHash(1), at: T })
    const factor = { secret: tokenHash(1), lastStep: 1, at: T }
    await store.secondFactors.enable(ida, factor, [tokenHash(1)], { session }, session)
    const flow = { pollHash: tokenHash(3), pageHash: tokenHash(2), userAgent: 'AntennaPod', expiresAt: T + 100 }
    await store.loginFlows.begin(flow, 100, T)
    await store.loginFlows.grant(tokenHash(2), session, ida, T)
    const token = { userId: ida, purpose: 'password_reset', hash: tokenHash(1), expiresAt: T + 100 } as const
    await store.tokens.issue(token, true)
    await store.mails.request({ purpose: 'password_reset', emailKey: 'ida@pods.example', language: 'en' }, T)
    await store.identities.link(ida, { issuer: 'https://id.example', subject: '1' }, T)
    const feed = await store.feeds.find(A)
    if (!feed) throw new Error('the feed is not known')
    await store.feeds.saveDetails(feed.id, feedDocument())
    await store.feeds.saveEpisodes(feed.id, [fingerprinted(feedEpisode({ title: 'Harbour' }))], T)
    await store.indexStore.indexEpisodes(10)
    await store.feeds.saveEpisodes(feed.id, [fingerprinted(feedEpisode({ url: `${A}/2`, guid: 'tide' }))], T)
    await succeed(store, A, { newFeedUrl: C })
    await store.feeds.keepGuids(feed.id)
    await succeed(store, A, { leads: [C] })
    await change(store, ida, 'phone', { add: [C], remove: ['https://unknown.example/f'] })
    await store.listChanges.forget(ida, T + 1, 1)
    await store.settings.change(ida, { scope: 'account', target: '' }, { set: { a: 1 }, remove: [] }, T)
    await store.folders.fill(ida, await store.folders.ensure(ida, { name: 'Sea', key: 'sea' }), [A])
    await store.episodeQueue.update(ida, [{ podcast: A, episode: `${A}/1.mp3` }], T, (_queued, named) => named)
    await store.podcastLists.create(ida, { name: 'sea', title: 'Sea', urls: [A] }, T)
    const chapter = { start: 1, end: 2, label: '', isAdvertisement: false }
    const chapters = { add: [chapter], remove: [], device: undefined }
    await store.chapters.change(ida, A, chapters, { at: T, seenUntil: undefined })
    await store.indexStore.indexBatch(10)
    await store.indexStore.recordDailyStats(1)
    await store.indexStore.saveClassifierVersion(1)
    await store.feeds.saveDetails(feed.id, feedDocument({ title: 'Ebb' }))
    await store.imports.begin(ida, { source: 'archive', label: 'a file', key: 'file 1', hasFile: true }, T)
    const used = { userId: ida, kind: 'signed_in', reason: undefined, device: 'phone', app: 'AntennaPod' } as const
    const once = { isBrowser: false, firstAt: T, lastAt: T, count: 1, added: 0, removed: 0, items: 0 }
    await store.activity.save([{ ...used, ...once }])
    // Each table must have a row of the user: extend the lines above when a table is added.
    const during = rows()
    expect(tables.filter((table) => during[table] === before[table]).toSorted()).toEqual([
      'action_hash',
      'schema_migrations',
    ])

    await store.users.remove('ida', BY_COMMAND_LINE)
    await store.indexStore.indexBatch(10)
    const after = rows()
    expect(tables.filter((table) => after[table] !== before[table]).toSorted()).toEqual(
      SHARED.filter((table) => table !== 'schema_migrations'),
    )
    expect(db.query('PRAGMA foreign_key_check').all()).toEqual([])
  })
})
