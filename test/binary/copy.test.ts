import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { isRecord } from '../../src/platform/unknown.ts'
import { contentsOfPostgres, contentsOfSqlite, fillTables } from '../store/postgres/filled-tables.ts'
import { describePostgres, testDatabases } from '../support/postgres.ts'
import { seededRandom } from '../support/values.ts'
import { requireBinary } from './support/binary.ts'
import { podstep } from './support/command.ts'
import { emptyFolder } from './support/folder.ts'
import { CHANGES, IDA, startScene } from './support/scene.ts'
import { startServer } from './support/server.ts'

const NOWHERE = 'postgres://ida:seaglass@127.0.0.1:1/podstep'
const DONE = /^copied and compared \d+ rows of 49 tables; a server builds the search again when it is started\n$/

describe('podstep copy refuses', () => {
  const folder = emptyFolder()
  afterAll(() => folder[Symbol.dispose]())
  folder.file('text.db', 'no database')
  new Database(folder.file('empty.db')).close()
  mkdirSync(folder.file('good'))
  fillTables(folder.file('good'), [])

  test.each([
    ['', 2, 'copy: from where? Give --from SOURCE'],
    ['--from a.db', 2, 'copy: where to? Give --to TARGET'],
    [`--from a.db --to ${NOWHERE} ${NOWHERE}`, 2, 'copy: unexpected argument "postgres://…"'],
    ['--from a.db --to ./a.db', 1, '--from and --to are the same database'],
    [`--from ${NOWHERE} --to ${NOWHERE}`, 1, '--from and --to are the same database'],
    ['--from a.db --to b.db', 1, 'both are SQLite; copy a database with podstep backup'],
    [`--from ${NOWHERE} --to ${NOWHERE}2`, 1, 'both are PostgreSQL; copy a database with pg_dump and pg_restore'],
    ['--from a.db --to postgres://ida:seaglass@host', 1, 'expected a URL such as postgres://podstep@'],
    [`--from nothing.db --to ${NOWHERE}`, 1, 'there is no database '],
    [`--from nothing --to ${NOWHERE}`, 1, 'nothing/podstep.db. Nothing was copied'],
    [`--from empty.db --to ${NOWHERE}`, 1, 'empty.db is not a database of podstep. Nothing was copied'],
    [`--from text.db --to ${NOWHERE}`, 1, 'file is not a database'],
    [`--from good/podstep.db --to ${NOWHERE}`, 1, 'PostgreSQL at 127.0.0.1:1 does not answer'],
    [`--from ${NOWHERE} --to good/podstep.db`, 1, 'there is already a file '],
    [`--from ${NOWHERE} --to new`, 1, 'PostgreSQL at 127.0.0.1:1 does not answer'],
  ])('%s', async (args, code, message) => {
    const outcome = await podstep(['copy', ...args.split(' ').filter(Boolean)], { cwd: folder.path })
    expect(outcome).toMatchObject({ code, out: '' })
    expect(outcome.err).toContain(message)
    expect(outcome.err).not.toContain('seaglass')
  })
})

describePostgres('podstep copy', () => {
  const databases = testDatabases()

  test('moves a server to PostgreSQL and back; apps miss nothing after a restore of a backup from PostgreSQL', async () => {
    const first = await startScene()
    const { folder } = first
    const url = (n: number) => `https://feeds.example/${n}`
    await first.ida.post(CHANGES, { add: [url(1), url(2)] })
    await first.server.stop()
    const target = await databases.create({ isEmpty: true })
    const there = await podstep(['copy', '--from', 'data', '--to', target.url], { cwd: folder.path })
    expect(there).toMatchObject({ code: 0, out: expect.stringMatching(DONE) })
    expect(await target.sql`SELECT username FROM users`.values()).toEqual([['ida']])

    const env = { SVC_DATABASE: target.url }
    const saved = await podstep(['backup', 'saved.db'], { cwd: folder.path, env })
    expect(saved).toEqual({ code: 0, out: expect.stringMatching(/saved\.db: 0\.\d MB, checked\n$/), err: '' })
    expect((await podstep(['backup', 'saved.db'], { cwd: folder.path, env })).err).toContain('add --force')

    // The cursor of an app that has synced after the backup.
    const since = Math.floor(Date.now() / 1000) + 500
    const restored = await podstep(['restore', 'saved.db', '--yes', '--data-dir', 'other'], { cwd: folder.path })
    expect(restored.code).toBe(0)
    await using server = await startServer({ cwd: folder.path, args: ['--data-dir', 'other'] })
    const { json } = await server.client(IDA).get(`${CHANGES}?since=${since}`)
    expect(isRecord(json) && json['add']).toEqual([url(1), url(2)])
    await server.stop()

    const back = await podstep(['copy', '--from', target.url, '--to', 'back'], { cwd: folder.path })
    expect(back).toMatchObject({ code: 0, out: expect.stringMatching(DONE) })
    expect((await podstep(['user', 'list', '--data-dir', 'back'], { cwd: folder.path })).out).toContain('ida')
    folder[Symbol.dispose]()
  })

  /** Kills the copy after `tables` lines of progress; it prints one per table when copying, and one when comparing. */
  async function killAfter(tables: number, args: readonly string[], cwd: string): Promise<void> {
    const child = Bun.spawn([requireBinary(), 'copy', ...args], { cwd, env: {}, stdout: 'ignore', stderr: 'pipe' })
    let lines = 0
    for await (const piece of child.stderr) {
      lines += Buffer.from(piece).filter((byte) => byte === 10).length
      if (lines >= tables) child.kill('SIGKILL')
    }
    await child.exited
  }

  const random = seededRandom(7)
  const moments = [1, ...Array.from({ length: 3 }, () => 2 + ((random.bytes(1)[0] ?? 0) % 95)), 98]

  test(`killed after ${moments.join(', ')} tables leaves an empty or a complete target, and can be repeated`, async () => {
    using folder = emptyFolder()
    fillTables(folder.path, ['fog', 'tide'])
    const source = folder.file('podstep.db')
    const whole = contentsOfSqlite(source)
    const full = await databases.create()
    const toFull = ['copy', '--from', source, '--to', full.url]
    expect((await podstep(toFull, { cwd: folder.path })).code).toBe(0)

    for (const moment of moments) {
      const { url, sql } = await databases.create()
      await killAfter(moment, ['--from', source, '--to', url], folder.path)
      const again = await podstep(['copy', '--from', source, '--to', url], { cwd: folder.path })
      if (again.code !== 0) expect(again.err).toContain('is not empty')
      expect(await contentsOfPostgres(sql)).toEqual(whole)

      const target = folder.file(`folder${moment}`)
      await killAfter(moment, ['--from', full.url, '--to', target], folder.path)
      const isWhole = existsSync(`${target}/podstep.db`)
      if (!isWhole)
        expect((await podstep(['copy', '--from', full.url, '--to', target], { cwd: folder.path })).code).toBe(0)
      expect(contentsOfSqlite(`${target}/podstep.db`)).toEqual(whole)
      expect(readdirSync(target).toSorted()).toEqual(['podstep.db', 'podstep.lock'])
    }
  }, 120_000)
})
