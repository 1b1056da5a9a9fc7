import { describe, expect, test } from 'bun:test'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { basic, cookieOf } from '../support/client.ts'
import { fill, mountSmallDisk, type SmallDisk } from '../support/small-disk.ts'
import { podstep } from './support/command.ts'
import { CHANGES, IDA, LIST } from './support/scene.ts'
import { startServer } from './support/server.ts'

const canMount = (() => {
  using disk = mountSmallDisk()
  return disk !== undefined
})()
if (!canMount) process.stderr.write('skipped the tests of a full disk: they need the right to mount one\n')

async function diskWithUsers(): Promise<SmallDisk> {
  const disk = mountSmallDisk()
  if (!disk) throw new Error('cannot mount any more')
  for (const name of ['ida', 'olaf'])
    await podstep(['user', 'create', name], { cwd: disk.path, env: disk.env, stdin: 'seaglass' })
  return disk
}

const urls = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `https://${prefix}.example/${'long'.repeat(100)}/${n}`)

describe.skipIf(!canMount)('on a full disk, the server', () => {
  test('refuses changes with 503 without writing parts of them, serves reads, and recovers without a restart', async () => {
    using disk = await diskWithUsers()
    const { path: cwd, env } = disk
    await using server = await startServer({ cwd, env })
    const anonymous = server.client()
    const client = server.client(cookieOf(await server.client(IDA).post('/api/2/auth/ida/login.json')))
    const path = CHANGES
    const first = urls('first', 10)
    expect((await client.post(path, { add: first })).status).toBe(200)

    const free = fill(disk)
    const refused = await client.post(path, { add: urls('second', 500) })
    expect([refused.status, refused.json]).toMatchObject([503, { code: 503, error: 'unavailable' }])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await anonymous.get('/readyz')).status).toBe(503)
    expect((await client.post(path, { add: urls('little', 1) })).status).toBe(503)
    expect((await anonymous.get('/healthz')).status).toBe(200)
    expect((await client.get(LIST)).json).toEqual(first)
    expect((await client.get(`${path}?since=0`)).json).toMatchObject({ add: first })
    const args = ['healthcheck', '--host', '127.0.0.1', '--port', String(server.port)]
    expect((await podstep(args, { cwd, env })).code).toBe(1)

    // Olaf has not signed in since the start. He can read, although no session can be created.
    expect((await server.client(basic('olaf', 'seaglass')).get('/api/2/me')).status).toBe(200)

    free()
    expect((await client.post(path, { add: urls('third', 500) })).status).toBe(200)
    expect((await anonymous.get('/readyz')).status).toBe(200)
    const lines = (await client.get('/subscriptions/ida/phone.txt')).text.trimEnd().split('\n')
    expect(new Set(lines)).toEqual(new Set([...first, ...urls('third', 500)]))
    await server.stop()
  })

  test('makes no backup that would fill the disk, keeps the existing one, and makes one when there is room', async () => {
    using disk = await diskWithUsers()
    const { path: cwd, env } = disk
    await podstep(['user', 'set-role', 'ida', 'admin'], { cwd, env })
    await using server = await startServer({ cwd, env: { ...env, SVC_BACKUP_KEEP: '1' } })
    const ida = server.client(IDA)
    const path = '/api/admin/backups'
    expect((await ida.post(path)).status).toBe(200)
    const { json: before } = await ida.get(path)

    // Leave room for the audit log.
    const filler = join(cwd, 'filler')
    const { bavail, bsize } = statfsSync(cwd)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - 300_000))
    const { status, json } = await ida.post(path)
    expect([status, json]).toMatchObject([
      503,
      { error: 'backup_failed', message: expect.stringMatching(/not enough room in .*: .* are needed, .* are free/) },
    ])
    expect((await ida.get('/readyz')).status).toBe(200)
    expect((await ida.get(path)).json).toEqual({
      ...(typeof before === 'object' && before),
      last: expect.objectContaining({ ok: false, cause: expect.stringContaining('not enough room') }),
    })
    rmSync(filler)
    expect((await ida.post(path)).status).toBe(200)
    await server.stop()
  })

  test('stops cleanly, and explains why it cannot start', async () => {
    using disk = await diskWithUsers()
    const { path: cwd, env } = disk
    await using server = await startServer({ cwd, env })
    await server.client(IDA).post(CHANGES, { add: urls('fourth', 9) })
    const free = fill(disk)
    try {
      server.signal('SIGTERM')
      expect(await server.ended()).toBe(0)
      expect(server.log.at(-1)?.['msg']).toBe('stopped')
      const other = join(cwd, 'other')
      const next = await podstep(['--host', '127.0.0.1', '--port', '0', '--data-dir', other], { cwd })
      expect(next.code).toBe(1)
      expect(next.err).toContain(`cannot use the data folder ${other}`)
    } finally {
      free()
    }
    await using again = await startServer({ cwd, env })
    const list = await again.client(IDA).get(LIST)
    expect(list.json).toEqual(expect.arrayContaining(urls('fourth', 9)))
  })
})
