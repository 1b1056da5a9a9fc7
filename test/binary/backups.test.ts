import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { basic } from '../support/client.ts'
import { podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { startServer } from './support/server.ts'

const BACKUPS = '/api/admin/backups'
const LIST = '/subscriptions/ida/phone.json'
const CHANGES = '/api/2/subscriptions/ida/phone.json'
const env = { SVC_RATE_LIMIT: 'false', SVC_BACKUP_KEEP: '2' }

async function start(folder: Folder, settings: Record<string, string> = {}) {
  const server = await startServer({ cwd: folder.path, env: { ...env, ...settings } })
  return { server, ida: server.client(basic('ida', 'seaglass')) }
}

async function withIda(folder: Folder): Promise<void> {
  await podstep(['user', 'create', 'ida', '--admin'], { cwd: folder.path, env, stdin: 'seaglass' })
}

const backupsIn = (folder: Folder) => readdirSync(`${folder.path}/data/backups`).toSorted()
const url = (n: number) => `https://feeds.example/${n}`

/** Megabytes that take their time to be copied. */
function weighDown(folder: Folder, megabytes: number): void {
  const db = new Database(`${folder.path}/data/podstep.db`)
  db.run('CREATE TABLE ballast (weight BLOB NOT NULL) STRICT')
  for (let n = 0; n < megabytes; n++) db.run('INSERT INTO ballast VALUES (randomblob(1048576))')
  db.close()
}

async function appears(folder: string, name: string): Promise<void> {
  for await (const { filename } of watch(folder)) if (filename === name) return
}

function fileOf(json: unknown): string {
  if (typeof json === 'object' && json !== null && 'backup' in json) {
    const { backup } = json
    if (typeof backup === 'object' && backup !== null && 'file' in backup) return String(backup.file)
  }
  throw new Error(`no backup: ${JSON.stringify(json)}`)
}

describe('the executable', () => {
  test('makes a backup while uploads go on, and a server that is started with it has what was there', async () => {
    using folder = emptyFolder()
    await withIda(folder)
    const { server, ida } = await start(folder)
    await using _ = server
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
    const file = fileOf(made.json)
    expect(backupsIn(folder)).toEqual(['last-backup.json', file])
    expect(statSync(`${folder.path}/data/backups/${file}`).mode & 0o777).toBe(0o600)
    expect(await server.logged('backup made')).toMatchObject({ file, level: 'info' })

    using other = emptyFolder()
    mkdirSync(`${other.path}/data`)
    copyFileSync(`${folder.path}/data/backups/${file}`, `${other.path}/data/podstep.db`)
    const restored = await start(other)
    await using __ = restored.server
    const { json } = await restored.ida.get(LIST)
    if (!Array.isArray(json)) throw new Error('no list')
    // What was acknowledged before it was asked for, and of the rest the beginning.
    expect(json.length).toBeWithin(before, acknowledged + 1)
    expect(new Set(json)).toEqual(new Set(json.map((_each, n) => url(n))))
    expect((await restored.ida.post(CHANGES, { add: [url(5000)] })).status).toBe(200)

    await server.stop()
    const again = await start(folder)
    await using ___ = again.server
    expect((await again.ida.get('/api/admin/server')).json).toMatchObject({ backup: { last: { ok: true, file } } })
    await again.server.stop()
  }, 30_000)

  test('says why there is no backup, and goes on', async () => {
    using folder = emptyFolder()
    await withIda(folder)
    writeFileSync(`${folder.path}/data/backups`, 'not a folder')
    const { server, ida } = await start(folder)
    await using _ = server
    const { status, json } = await ida.post(BACKUPS)
    expect([status, json]).toMatchObject([503, { error: 'backup_failed', message: expect.stringContaining('backups') }])
    expect(await server.logged('backup failed')).toMatchObject({ level: 'error' })
    expect((await ida.get('/api/admin/server')).json).toMatchObject({ backup: { last: { ok: false } } })
    expect((await ida.get('/readyz')).status).toBe(200)
    await server.stop()
  }, 30_000)

  test('breaks a backup off when it stops, and removes what one that was killed has left', async () => {
    using folder = emptyFolder()
    await withIda(folder)
    weighDown(folder, 20)
    const { server, ida } = await start(folder)
    await using _ = server
    const left = `${folder.path}/data/backups`
    const begun = appears(`${folder.path}/data`, 'backups')
    const asked = ida.post(BACKUPS)
    await begun
    server.signal('SIGTERM')
    const answer = await asked
    expect(await server.ended()).toBe(0)
    expect([200, 503]).toContain(answer.status)
    expect(readdirSync(left).filter((name) => name.includes('partial'))).toEqual([])
    expect(server.log.filter(({ level }) => level === 'error')).toEqual([])

    writeFileSync(`${left}/podstep-20250101T000000Z.db.partial`, 'half')
    const again = await start(folder)
    await using __ = again.server
    expect((await again.ida.post(BACKUPS)).status).toBe(200)
    expect(readdirSync(left).filter((name) => name.includes('partial'))).toEqual([])
    await again.server.stop()
  }, 30_000)
})
