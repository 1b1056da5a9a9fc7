import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { basic, type Client, clientOf } from '../support/client.ts'
import { type ServerProcess, startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import type { Settings } from './settings.ts'

const FEEDS = 50
const MEGABYTE = 1_000_000
/** Between two requests of the one who waits. */
const PAUSE_MS = 2
const IDLE_MS = 10_000
const RATIO_WANTED = 3

const IDA = basic('ida', 'seaglass')
const CHANGES = '/api/2/subscriptions/ida/phone.json'

/** How long a fetch of changes takes while a large database is backed up, by the server and by `podstep backup`. */
export async function measureBackup(settings: Settings): Promise<void> {
  const { command, dir, backupMegabytes, wants } = settings
  if (!wants('backup')) return
  const dataDir = join(dir, 'backup')
  say(`\n## Backup: a database of ${backupMegabytes} MB\n`)
  await fill(command, dataDir, backupMegabytes)
  const server = await startPodstep(command, dataDir, { SVC_RATE_LIMIT: 'false', SVC_BACKUP_KEEP: '1' })
  try {
    // What is due at a start is not what is measured.
    await clientTo(server, IDA).post('/api/admin/backups')
    const idle = await waits(server, () => Bun.sleep(IDLE_MS))
    say(`  idle: ${inWords(idle)}`)
    const ways: readonly (readonly [name: string, make: () => Promise<void>])[] = [
      ['backup by the server', () => byServer(server)],
      ['podstep backup', () => byCommand(command, dataDir)],
    ]
    for (const [name, make] of ways) {
      const busy = await waits(server, make)
      say(`  during ${name}: ${inWords(busy)}`)
      target(`p99 during ${name}, of idle`, p99(busy) / p99(idle), ' times', { atMost: RATIO_WANTED })
    }
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function clientTo({ port }: ServerProcess, headers: Record<string, string> = {}): Client {
  const fetchFrom = (request: Request) => fetch(request.url.replace('//localhost/', `//127.0.0.1:${port}/`), request)
  return clientOf({ fetch: fetchFrom }, headers)
}

/** A user with a short list, and much of something else. */
async function fill(command: readonly string[], dataDir: string, megabytes: number): Promise<void> {
  const server = await startPodstep(command, dataDir)
  const client = clientTo(server)
  await client.post('/api/2/register', { username: 'ida', password: 'seaglass' })
  const add = Array.from({ length: FEEDS }, (_, n) => `https://feeds.example/${n}`)
  await clientTo(server, IDA).post(CHANGES, { add })
  await server.stop()
  const db = new Database(join(dataDir, 'podstep.db'))
  db.run('PRAGMA synchronous = OFF')
  db.run('CREATE TABLE ballast (id INTEGER PRIMARY KEY, weight BLOB NOT NULL) STRICT')
  const insert = db.prepare<undefined, [number]>('INSERT INTO ballast (weight) VALUES (randomblob(?1))')
  for (let n = 0; n < megabytes; n++) insert.run(MEGABYTE)
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

/** Milliseconds that each fetch of changes takes until `work` is done. */
async function waits(server: ServerProcess, work: () => Promise<unknown>): Promise<number[]> {
  const client = clientTo(server, IDA)
  const { json } = await client.get(`${CHANGES}?since=0`)
  const since = Number(Object(json).timestamp)
  const all: number[] = []
  let isDone = false
  const done = work().finally(() => {
    isDone = true
  })
  while (!isDone) {
    const start = performance.now()
    const { status } = await client.get(`${CHANGES}?since=${since}`)
    if (status !== 200) throw new Error(`a fetch of changes was answered with ${status}`)
    all.push(performance.now() - start)
    await Bun.sleep(PAUSE_MS)
  }
  await done
  return all.toSorted((one, other) => one - other)
}

async function byServer(server: ServerProcess): Promise<void> {
  const client = clientTo(server, IDA)
  await client.post('/api/admin/backups')
  for (;;) {
    const { json } = await client.get('/api/admin/backups')
    const { running, last } = Object(json)
    if (!running && last?.ok) return
    if (!running) throw new Error(`there is no backup: ${last?.cause}`)
    await Bun.sleep(200)
  }
}

async function byCommand(command: readonly string[], dataDir: string): Promise<void> {
  const copy = join(dataDir, 'copy.db')
  const child = Bun.spawn([...command, 'backup', '--data-dir', dataDir, copy], { stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error('podstep backup has failed')
  rmSync(copy)
}

function p99(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
}

function inWords(sorted: readonly number[]): string {
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const longest = sorted.at(-1) ?? Number.NaN
  const figures = [median, p99(sorted), longest].map((ms) => ms.toFixed(2))
  return `${sorted.length} fetches, median ${figures[0]} ms, p99 ${figures[1]} ms, longest ${figures[2]} ms`
}
