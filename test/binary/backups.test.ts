import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { emptyFolder, type Folder } from './support/folder.ts'
import { CHANGES, IDA, LIST, startScene } from './support/scene.ts'
import { startServer } from './support/server.ts'

const BACKUPS = '/api/admin/backups'
const env = { SVC_RATE_LIMIT: 'false', SVC_BACKUP_KEEP: '2' }

const backupsIn = (folder: Folder) => readdirSync(folder.file('data/backups')).toSorted()
const url = (n: number) => `https://feeds.example/${n}`

test('a backup made during uploads contains everything acknowledged before it, and a server starts from it', async () => {
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
  // Everything acknowledged before the backup, and perhaps the first uploads during it.
  expect(json.length).toBeWithin(before, acknowledged + 1)
  expect(new Set(json)).toEqual(new Set(json.map((_each, n) => url(n))))
  expect((await client.post(CHANGES, { add: [url(5000)] })).status).toBe(200)

  await server.stop()
  await using again = await scene.again()
  expect((await again.ida.get('/api/admin/server')).json).toMatchObject({ backup: { last: { ok: true, file } } })
})
