import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { CHANGES, complaints, createUser, IDA, LIST, type Scene, startIn, startScene } from './support/scene.ts'
import { startServer } from './support/server.ts'

const feed = (n: number) => `https://feeds.example/${n}`
const feeds = (count: number) => Array.from({ length: count }, (_, n) => feed(n))

const WAS_MOVED = /^a file of the database has been deleted, moved or replaced under the server, changes are refused: /
const WAS_OVERWRITTEN =
  /^a file of the database has been overwritten or emptied under the server, changes are refused: /

/** Overwrites an existing file, as `cp` does. */
const overwrite = (path: string, from: string) => writeFileSync(path, readFileSync(from), { flag: 'r+' })

interface Case {
  readonly event: string
  readonly harm: (path: string, folder: Folder) => void
  readonly logs: RegExp
  /** Ida's subscriptions after the next start, or why the server does not start. */
  readonly after: readonly string[] | RegExp
}

const CASES: readonly Case[] = [
  {
    event: 'a backup is copied over the database',
    harm: (path, folder) => overwrite(path, folder.file('backup.db')),
    logs: WAS_OVERWRITTEN,
    after: feeds(5),
  },
  {
    event: 'a copy from before the start is copied over the database',
    harm: (path, folder) => overwrite(path, folder.file('copy.db')),
    logs: WAS_OVERWRITTEN,
    after: [],
  },
  {
    event: 'the database is truncated',
    harm: (path) => truncateSync(path, 100_000),
    logs: WAS_OVERWRITTEN,
    after: /is damaged/,
  },
  {
    event: 'the write-ahead log is emptied',
    harm: (path) => truncateSync(`${path}-wal`, 0),
    logs: WAS_OVERWRITTEN,
    // All subscriptions were in the log.
    after: [],
  },
  {
    event: 'the index of the log is deleted',
    harm: (path) => rmSync(`${path}-shm`),
    logs: WAS_MOVED,
    after: feeds(50),
  },
]

/** A folder with the database of ida. */
const made = emptyFolder()
afterAll(() => made[Symbol.dispose]())
await createUser(made, 'ida')

/** A server with 50 subscriptions, a backup with five of them, and a copy of the database from before. */
async function openScene(): Promise<Scene & { readonly path: string }> {
  const folder = emptyFolder()
  const path = folder.file('data/podstep.db')
  mkdirSync(folder.file('data'))
  for (const copy of [path, folder.file('copy.db')]) copyFileSync(made.file('data/podstep.db'), copy)
  const scene = await startIn(folder)
  expect((await scene.ida.post(CHANGES, { add: feeds(5) })).status).toBe(200)
  expect((await podstep(['backup', 'backup.db'], { cwd: folder.path })).code).toBe(0)
  for (let n = 5; n < 50; n++) expect((await scene.ida.post(CHANGES, { add: [feed(n)] })).status).toBe(200)
  return {
    ...scene,
    path,
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

test.each(CASES)('when $event, changes are refused until a restart', async ({ harm, logs, after }) => {
  await using scene = await openScene()
  const { server, folder, ida, anyone, path } = scene
  harm(path, folder)
  for (let n = 0; n < 3; n++) {
    const refused = await ida.post(CHANGES, { add: [feed(1000 + n)] })
    expect([refused.status, refused.json]).toMatchObject([503, { error: 'unavailable' }])
  }
  expect((await anyone.get('/readyz')).status).toBe(503)
  expect((await anyone.get('/healthz')).status).toBe(200)
  expect(complaints(server).filter(({ msg }) => logs.test(String(msg)))).toMatchObject([{ level: 'error' }])
  await server.stop()

  if (after instanceof RegExp) {
    await expect(startServer({ cwd: folder.path })).rejects.toThrow(after)
    return
  }
  await using again = await scene.again()
  await again.server.logged('the database has been checked and is sound')
  // The first refused change may have been written. No acknowledged change is missing.
  const list = (await again.ida.get('/subscriptions/ida.txt')).text.split('\n')
  expect(new Set(list.filter((url) => url !== '' && url !== feed(1000)))).toEqual(new Set(after))
  expect((await again.ida.post(CHANGES, { add: [feed(2000)] })).status).toBe(200)
  await again.server.stop()
  const db = new Database(path)
  expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  db.close()
})

test('a server continues when moved files come back', async () => {
  await using scene = await startScene()
  const { folder, ida, anyone } = scene
  let sent = 0
  const post = async () => (await ida.post(CHANGES, { add: [feed(sent++)] })).status
  expect(await post()).toBe(200)
  for (const name of ['data', 'data/podstep.db', 'data/podstep.db-wal']) {
    const path = folder.file(name)
    renameSync(path, `${path}.away`)
    expect([name, await post(), (await anyone.get('/readyz')).status]).toEqual([name, 503, 503])
    renameSync(`${path}.away`, path)
    expect([name, await post(), (await anyone.get('/readyz')).status]).toEqual([name, 200, 200])
  }
  await scene.server.stop()
  await using again = await startServer({ cwd: folder.path })
  const { json } = await again.client(IDA).get(LIST)
  // Refused changes may have been written. No acknowledged change is missing.
  expect(json).toEqual(expect.arrayContaining([0, 2, 4, 6].map(feed)))
})

test.each([
  ['a byte', 1],
  ['a third', undefined],
])('when the log has lost %s at its end before a start, the uploads before that are complete', async (_part, cut) => {
  await using scene = await startScene()
  const { folder, server } = scene
  const uploads = Array.from({ length: 10 }, (_, n) => [feed(3 * n), feed(3 * n + 1), feed(3 * n + 2)])
  for (const add of uploads) expect((await scene.ida.post(CHANGES, { add })).status).toBe(200)
  server.signal('SIGKILL')
  await server.ended()
  const log = folder.file('data/podstep.db-wal')
  const { size } = statSync(log)
  truncateSync(log, size - (cut ?? Math.floor(size / 3)))
  await using again = await scene.again()
  await again.server.logged('the database has been checked and is sound')
  const list = (await again.ida.get(LIST)).json as string[]
  expect(new Set(list)).toEqual(new Set(uploads.flat().slice(0, list.length)))
  expect(list.length % 3).toBe(0)
  expect((await again.ida.post(CHANGES, { add: [feed(1000)] })).status).toBe(200)
})

test('when the index of the log is truncated, the system kills the server, and the next one loses nothing', async () => {
  await using scene = await startScene()
  const { folder, server, ida } = scene
  for (const add of feeds(10)) expect((await ida.post(CHANGES, { add: [add] })).status).toBe(200)
  truncateSync(folder.file('data/podstep.db-shm'), 0)
  await expect(ida.post(CHANGES, { add: [feed(1000)] })).rejects.toThrow()
  // Killed by a signal, so `Restart=on-failure` of systemd restarts it.
  expect(await server.ended()).toBe(null)
  await using again = await scene.again()
  expect((await again.ida.get(LIST)).json).toEqual(expect.arrayContaining(feeds(10)))
  await again.server.logged('the database has been checked and is sound')
})
