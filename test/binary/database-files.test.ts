import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { podstep } from './support/command.ts'
import type { Folder } from './support/folder.ts'
import { CHANGES, complaints, IDA, LIST, type Scene, startScene } from './support/scene.ts'
import { startServer } from './support/server.ts'

/*
 * What people and programs do to the files of a server that runs: nothing is acknowledged that would be lost with them, and
 * the log says what to do.
 */

const feed = (n: number) => `https://feeds.example/${n}`
const feeds = (count: number) => Array.from({ length: count }, (_, n) => feed(n))

const WAS_MOVED = /^a file of the database has been deleted, moved or replaced under the server, changes are refused: /
const WAS_OVERWRITTEN =
  /^a file of the database has been overwritten or emptied under the server, changes are refused: /

/** As `cp` writes into a file that is there. */
const overwrite = (path: string, from: string) => writeFileSync(path, readFileSync(from), { flag: 'r+' })

interface Case {
  readonly what: string
  readonly harm: (path: string, folder: Folder) => void
  readonly says: RegExp
  /** What the user has when the server has been started again; a text is why it cannot be. */
  readonly after: readonly string[] | RegExp
}

const CASES: readonly Case[] = [
  {
    what: 'a backup is copied over it',
    harm: (path, folder) => overwrite(path, folder.file('backup.db')),
    says: WAS_OVERWRITTEN,
    after: feeds(5),
  },
  {
    what: 'a copy from before the start is copied over it',
    harm: (path, folder) => overwrite(path, folder.file('copy.db')),
    says: WAS_OVERWRITTEN,
    after: [],
  },
  {
    what: 'its end is cut off',
    harm: (path) => truncateSync(path, 100_000),
    says: WAS_OVERWRITTEN,
    after: /is damaged/,
  },
  {
    what: 'the write-ahead log is emptied',
    harm: (path) => truncateSync(`${path}-wal`, 0),
    says: WAS_OVERWRITTEN,
    // What was in it is gone with it.
    after: [],
  },
  { what: 'the index of the log is deleted', harm: (path) => rmSync(`${path}-shm`), says: WAS_MOVED, after: feeds(50) },
]

/** A server with a backup of five subscriptions and a copy of none, that has 45 more since. */
async function openScene(): Promise<Scene & { readonly path: string }> {
  const first = await startScene()
  const { folder } = first
  const path = folder.file('data/podstep.db')
  await first.server.stop()
  writeFileSync(folder.file('copy.db'), readFileSync(path))
  const scene = await first.again()
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

test.each(CASES)('when $what, nothing is acknowledged into nothing', async ({ harm, says, after }) => {
  await using scene = await openScene()
  const { server, folder, ida, anyone, path } = scene
  harm(path, folder)
  for (let n = 0; n < 3; n++) {
    const refused = await ida.post(CHANGES, { add: [feed(1000 + n)] })
    expect([refused.status, refused.json]).toMatchObject([503, { error: 'unavailable' }])
  }
  expect((await anyone.get('/readyz')).status).toBe(503)
  expect((await anyone.get('/healthz')).status).toBe(200)
  expect(complaints(server).filter(({ msg }) => says.test(String(msg)))).toMatchObject([{ level: 'error' }])
  await server.stop()

  if (after instanceof RegExp) {
    await expect(startServer({ cwd: folder.path })).rejects.toThrow(after)
    return
  }
  await using again = await scene.again()
  await again.server.logged('the database has been checked and is sound')
  // A change may have been written before it was noticed, and refused. None that was acknowledged is missing.
  const list = (await again.ida.get('/subscriptions/ida.txt')).text.split('\n')
  expect(new Set(list.filter((url) => url !== '' && url !== feed(1000)))).toEqual(new Set(after))
  expect((await again.ida.post(CHANGES, { add: [feed(2000)] })).status).toBe(200)
  await again.server.stop()
  const db = new Database(path)
  expect(db.query('PRAGMA integrity_check').values()).toEqual([['ok']])
  db.close()
})

test('when files come back that were moved away, the server goes on with them', async () => {
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
  // Changes that were refused may have been written before that was noticed, and none that was acknowledged is missing.
  expect(json).toEqual(expect.arrayContaining([0, 2, 4, 6].map(feed)))
})

test.each([
  ['a byte', 1],
  ['a third of it', undefined],
])(
  'when the log has lost its end by %s at a start, the uploads before that are there as a whole',
  async (_what, cut) => {
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
  },
)

test('when the index of the log is cut off, the system ends the server, and the next one has all', async () => {
  await using scene = await startScene()
  const { folder, server, ida } = scene
  for (const add of feeds(10)) expect((await ida.post(CHANGES, { add: [add] })).status).toBe(200)
  truncateSync(folder.file('data/podstep.db-shm'), 0)
  await expect(ida.post(CHANGES, { add: [feed(1000)] })).rejects.toThrow()
  // As a signal, which `Restart=on-failure` of systemd is for.
  expect(await server.ended()).toBe(null)
  await using again = await scene.again()
  expect((await again.ida.get(LIST)).json).toEqual(expect.arrayContaining(feeds(10)))
  await again.server.logged('the database has been checked and is sound')
})
