import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { emptyFolder, type Folder } from './support/folder.ts'
import { CHANGES, IDA, LIST, startScene } from './support/scene.ts'
import { startServer } from './support/server.ts'

const BACKUPS = '/api/admin/backups'
const env = { SVC_RATE_LIMIT: 'false', SVC_BACKUP_KEEP: '2' }

const backupsIn = (folder: Folder) => readdirSync(folder.file('data/backups')).toSorted()
const url = (n: number) => `https://feeds.example/${n}`

/** Megabytes that take their time to be copied. */
function weighDown(folder: Folder, megabytes: number): void {
  const db = new Database(folder.file('data/podstep.db'))
  db.run('CREATE TABLE ballast (weight BLOB NOT NULL) STRICT')
  for (let n = 0; n < megabytes; n++) db.run('INSERT INTO ballast VALUES (randomblob(1048576))')
  db.close()
}

async function appears(folder: string, name: string): Promise<void> {
  for await (const { filename } of watch(folder)) if (filename === name) return
}

test('the executable makes a backup while uploads go on, and a server that is started with it has what was there', async () => {
  await using scene = await startScene({ env })
  const { ida, folder, server } = scene
  const before = 10
  for (let n = 0; n < before; n++) expect((await ida.post(CHANGES, { add: [url(n)] })).status).toBe(200)
  let acknowledged = before
  const enough = new AbortController()
  const uploading = (async () => {
    while (!enough.signal.aborted) {
      expect((await ida.post(CHANGES, { add: [url(acknowledged)] })).status).toBe(200)
      acknowledged++
    }
  })()
  const made = await ida.post(BACKUPS)
  enough.abort()
  await uploading
  expect([made.status, made.json]).toMatchObject([200, { status: 'ok', backup: { ok: true, cause: '' } }])
  const [result, file = ''] = backupsIn(folder)
  expect(result).toBe('last-backup.json')
  expect(statSync(folder.file(`data/backups/${file}`)).mode & 0o777).toBe(0o600)
  expect(await server.logged('backup made')).toMatchObject({ file, level: 'info' })

  using other = emptyFolder()
  mkdirSync(other.file('data'))
  copyFileSync(folder.file(`data/backups/${file}`), other.file('data/podstep.db'))
  await using restored = await startServer({ cwd: other.path, env })
  const client = restored.client(IDA)
  const { json } = await client.get(LIST)
  if (!Array.isArray(json)) throw new Error('no list')
  // What was acknowledged before it was asked for, and of the rest the beginning.
  expect(json.length).toBeWithin(before, acknowledged + 1)
  expect(new Set(json)).toEqual(new Set(json.map((_each, n) => url(n))))
  expect((await client.post(CHANGES, { add: [url(5000)] })).status).toBe(200)

  await server.stop()
  await using again = await scene.again()
  expect((await again.ida.get('/api/admin/server')).json).toMatchObject({ backup: { last: { ok: true, file } } })
}, 30_000)

test('the executable breaks a backup off when it stops, and removes what one that was killed has left', async () => {
  await using scene = await startScene({ env })
  const { ida, folder, server } = scene
  weighDown(folder, 20)
  const begun = appears(folder.file('data'), 'backups')
  const asked = ida.post(BACKUPS)
  await begun
  server.signal('SIGTERM')
  const answer = await asked
  expect(await server.ended()).toBe(0)
  expect([200, 503]).toContain(answer.status)
  const halves = () => backupsIn(folder).filter((name) => name.includes('partial'))
  expect(halves()).toEqual([])
  expect(server.log.filter(({ level }) => level === 'error')).toEqual([])

  writeFileSync(folder.file('data/backups/podstep-20250101T000000Z.db.partial'), 'half')
  await using again = await scene.again()
  expect((await again.ida.post(BACKUPS)).status).toBe(200)
  expect(halves()).toEqual([])
}, 30_000)
