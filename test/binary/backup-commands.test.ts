import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, statSync, truncateSync } from 'node:fs'
import { isRecord } from '../../src/platform/unknown.ts'
import { basic, type Client } from '../support/client.ts'
import { requireBinary } from './support/binary.ts'
import { podstep } from './support/command.ts'
import { emptyFolder, type Folder } from './support/folder.ts'
import { CHANGES, createUser, LIST, type Scene, startScene } from './support/scene.ts'

const USUAL_NAME = /^podstep-\d{8}T\d{6}Z\.db$/
const url = (n: number) => `https://feeds.example/${n}`

const run = (folder: Folder, words: string) => podstep(words.split(' '), { cwd: folder.path })

function usersIn(path: string): string[] {
  const db = new Database(path, { readonly: true })
  const rows = db.query<{ username: string }, []>('SELECT username FROM users ORDER BY username').all()
  db.close()
  return rows.map(({ username }) => username)
}

describe('podstep backup', () => {
  test('writes a file for the eyes of the owner only, and replaces one only with --force', async () => {
    using folder = emptyFolder()
    await createUser(folder, 'ida')
    const path = folder.file('copy.db')
    expect(await run(folder, 'backup copy.db')).toEqual({ code: 0, out: `${path}: 0.6 MB, checked\n`, err: '' })
    expect([usersIn(path), statSync(path).mode & 0o777]).toEqual([['ida'], 0o600])

    await createUser(folder, 'ole')
    const refused = await run(folder, 'backup copy.db')
    expect([refused.code, refused.err]).toEqual([
      1,
      `error: there is already a file ${path}; add --force to replace it\n`,
    ])
    expect(usersIn(path)).toEqual(['ida'])
    expect((await run(folder, 'backup copy.db --force')).code).toBe(0)
    expect(usersIn(path)).toEqual(['ida', 'ole'])

    mkdirSync(folder.file('shelf'))
    expect((await run(folder, 'backup shelf')).code).toBe(0)
    expect(readdirSync(folder.file('shelf'))).toEqual([expect.stringMatching(USUAL_NAME)])
    expect((await run(folder, 'backup')).code).toBe(0)
    expect(readdirSync(folder.file('data/backups'))).toEqual([expect.stringMatching(USUAL_NAME)])
  })

  test('explains why it cannot write a backup, and leaves no file', async () => {
    using folder = emptyFolder()
    await createUser(folder, 'ida')
    expect((await run(folder, 'backup nowhere/copy.db')).err).toContain(`there is no folder ${folder.file('nowhere')}`)
    expect((await run(folder, 'backup data/podstep.db --force')).err).toContain('is the database itself')
    truncateSync(folder.file('data/podstep.db'), 200_000)
    const { code, err } = await run(folder, 'backup copy.db')
    expect(code).toBe(1)
    expect(err).toMatch(/malformed|does not pass its check/)
    expect(readdirSync(folder.path)).toEqual(['data'])
  })

  test('beside a running server contains acknowledged changes, and can be written to a pipe', async () => {
    await using scene = await startScene()
    const { folder, ida } = scene
    expect((await ida.post(CHANGES, { add: [url(1)] })).status).toBe(200)
    const child = Bun.spawn(['sh', '-c', '"$0" backup - > piped.db', requireBinary()], { cwd: folder.path, env: {} })
    expect(await child.exited).toBe(0)
    expect(usersIn(folder.file('piped.db'))).toEqual(['ida'])
    expect(readdirSync(folder.file('data/backups'))).toEqual([])
    expect((await ida.post('/api/admin/backups')).json).toMatchObject({ status: 'ok', backup: { ok: true, cause: '' } })
    const [, backup = ''] = readdirSync(folder.file('data/backups')).toSorted()
    expect(usersIn(folder.file(`data/backups/${backup}`))).toEqual(['ida'])
    expect((await run(folder, 'restore piped.db --yes')).err).toContain('stop it first. Nothing was changed')
    expect((await ida.get(LIST)).json).toEqual([url(1)])
  })
})

/** An app that keeps its list in sync. */
function startApp(client: (scene: Scene) => Client, uid: string) {
  const path = `/api/2/subscriptions/ida/${uid}.json`
  const list = new Set<string>()
  let since = 0
  return {
    list,
    async upload(scene: Scene, changes: { add?: string[]; remove?: string[] }) {
      const { status, json } = await client(scene).post(path, changes)
      expect(status).toBe(200)
      for (const each of changes.add ?? []) list.add(each)
      for (const each of changes.remove ?? []) list.delete(each)
      if (isRecord(json)) since = Number(json['timestamp'])
    },
    async fetch(scene: Scene) {
      const { json } = await client(scene).get(`${path}?since=${since}`)
      if (!(isRecord(json) && Array.isArray(json['add']) && Array.isArray(json['remove'])))
        throw new Error('no changes')
      for (const each of json['add']) list.add(each)
      for (const each of json['remove']) list.delete(each)
      since = Number(json['timestamp'])
    },
  }
}

describe('after podstep restore', () => {
  test('the server has the data of the backup, and apps that are ahead of it miss no later change', async () => {
    const first = await startScene()
    const { folder } = first
    const phone = startApp(({ ida }) => ida, 'phone')
    const desk = startApp(({ server }) => server.client(basic('ida', 'seaglass')), 'desk')
    await phone.upload(first, { add: [url(1)] })
    await desk.upload(first, { add: [url(2)] })
    await first.ida.post('/api/2/sync-devices/ida.json', { synchronize: [['phone', 'desk']] })
    for (const app of [phone, desk]) await app.fetch(first)
    expect((await run(folder, 'backup saved.db')).code).toBe(0)
    // Many changes within a second, so that the user's clock runs ahead of the time.
    await phone.upload(first, { remove: [url(2)] })
    for (let n = 10; n < 60; n++) await phone.upload(first, { add: [url(n)] })
    for (const app of [phone, desk]) await app.fetch(first)
    await first.server.stop()

    const { code, out, err } = await run(folder, 'restore saved.db --yes')
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringMatching(/users +1\n +subscriptions +2\n/) })
    expect(out).toMatch(/^restored .*saved.db\nthe database until now is .*-before-restore\.db;/)
    await using again = await first.again()
    expect(new Set([(await again.ida.get(LIST)).json].flat())).toEqual(new Set([url(1), url(2)]))
    for (const app of [phone, desk]) {
      expect(app.list).not.toContain(url(2))
      await app.fetch(again)
      expect(app.list).toContain(url(2))
    }
    await phone.upload(again, { add: [url(100)] })
    await desk.fetch(again)
    expect(desk.list).toContain(url(100))
    await desk.upload(again, { add: [url(101)], remove: [url(1)] })
    await phone.fetch(again)
    await desk.fetch(again)
    expect(phone.list).toEqual(desk.list)
    expect(phone.list).not.toContain(url(1))
    await again.server.stop()
    folder[Symbol.dispose]()
  })
})
