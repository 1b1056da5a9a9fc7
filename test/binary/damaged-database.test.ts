import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, rmSync, statSync } from 'node:fs'
import { corrupt, rootPages } from '../support/database.ts'
import { seededRandom } from '../support/values.ts'
import { CHANGES, IDA, LIST, type Scene, startScene } from './support/scene.ts'
import { type Server, startServer } from './support/server.ts'

const ACTIONS = '/api/2/episodes/ida.json'
const PAGE = 4096
const ROUNDS = 12

const feed = (n: number) => `https://feeds.example/${n}`

/** A server that was stopped cleanly. Ida has 300 subscriptions and 3,000 actions. */
async function openHistory(): Promise<Scene> {
  const scene = await startScene()
  const add = Array.from({ length: 300 }, (_, n) => feed(n))
  expect((await scene.ida.post(CHANGES, { add })).status).toBe(200)
  const actions = add.flatMap((podcast) =>
    Array.from({ length: 10 }, (_, n) => ({ podcast, episode: `${podcast}/${n}.mp3`, action: 'download' })),
  )
  expect((await scene.ida.post(ACTIONS, actions)).status).toBe(200)
  await scene.server.stop()
  return scene
}

/** Requests that read all parts of the database, twice, since an error must not affect later requests. */
async function askForEverything(server: Server): Promise<Set<number>> {
  const ida = server.client(IDA)
  const paths = [
    ...['/subscriptions/ida.json', '/subscriptions/ida/phone.opml', `${CHANGES}?since=0`, `${ACTIONS}?since=0`],
    ...['/api/2/devices/ida.json', '/api/2/me', '/api/2/me/podcasts', '/toplist/50.json', '/search.json?q=feeds'],
  ]
  const statuses = new Set<number>()
  for (let turn = 0; turn < 2; turn++) {
    const answers = await Promise.allSettled(paths.map((path) => ida.get(path)))
    for (const answer of answers) statuses.add(answer.status === 'fulfilled' ? answer.value.status : 0)
    statuses.add((await ida.post(CHANGES, { add: [`https://new.example/${turn}`], remove: [feed(turn)] })).status)
  }
  return statuses
}

describe('a damaged database', () => {
  test(`does not end the server, in ${ROUNDS} rounds with three damaged pages each`, async () => {
    await using history = await openHistory()
    const { folder } = history
    const path = folder.file('data/podstep.db')
    const sound = folder.file('sound.db')
    copyFileSync(path, sound)
    const pages = statSync(path).size / PAGE
    const random = seededRandom(26)
    const pick = () => 2 + (Buffer.from(random.bytes(4)).readUInt32LE() % (pages - 1))
    let served = 0
    for (let round = 0; round < ROUNDS; round++) {
      copyFileSync(sound, path)
      const spoiled = [pick(), pick(), pick()]
      corrupt(path, spoiled)
      const context = `round ${round}, pages ${spoiled}`
      let server: Server
      try {
        server = await startServer({ cwd: folder.path })
      } catch (error) {
        // Not even the tables can be read: the server explains that and exits.
        expect(`${context}: ${error}`).toContain('is damaged')
        continue
      }
      await using _ = server
      served++
      const statuses = await askForEverything(server)
      expect([context, statuses.has(500)]).toEqual([context, false])
      expect((await server.client().get('/healthz')).status).toBe(200)
      const told = server.log.filter(({ msg }) => String(msg).startsWith('the database is damaged')).length
      const ready = (await server.client().get('/readyz')).status
      // Damage in pages that were not read goes unnoticed.
      const wanted = statuses.has(503) || told > 0 ? [1, 503] : [0, 200]
      expect([context, told, ready]).toEqual([context, ...wanted])
      server.signal('SIGTERM')
      expect([context, await server.ended()]).toEqual([context, 0])
    }
    expect(served).toBeGreaterThan(ROUNDS / 2)
  })

  test('is detected after a crash, and at every start until a backup is restored', async () => {
    await using history = await openHistory()
    const { folder } = history
    const path = folder.file('data/podstep.db')
    const backup = folder.file('backup.db')
    copyFileSync(path, backup)
    const marker = folder.file('data/podstep.running')
    for (const isAfterKill of [false, true]) {
      await using server = await startServer({ cwd: folder.path })
      expect(existsSync(marker)).toBe(true)
      if (isAfterKill) await server.logged('the database has been checked and is sound')
      expect((await server.client().get('/readyz')).status).toBe(200)
      server.signal('SIGKILL')
      await server.ended()
    }
    corrupt(path, rootPages(path, 'audit_log'))
    for (let start = 0; start < 2; start++) {
      await using server = await startServer({ cwd: folder.path })
      const line = await server.logged(
        'the database is damaged, changes are refused: stop the server and restore the latest good backup',
      )
      expect(line).toMatchObject({ level: 'error', database: path, backups: folder.file('data/backups') })
      const ready = await server.client().get('/readyz')
      expect([ready.status, ready.json]).toMatchObject([503, { error: 'unavailable' }])
      const ida = server.client(IDA)
      expect((await ida.get(LIST)).status).toBe(200)
      expect((await ida.post(CHANGES, { add: [feed(999)] })).status).toBe(503)
      await server.stop()
    }
    copyFileSync(backup, path)
    rmSync(`${path}-wal`, { force: true })
    {
      await using server = await startServer({ cwd: folder.path })
      await server.logged('the database has been checked and is sound')
      expect((await server.client(IDA).post(CHANGES, { add: [feed(999)] })).status).toBe(200)
      await server.stop()
    }
    expect(existsSync(marker)).toBe(false)
  })
})
