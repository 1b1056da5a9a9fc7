import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireBinary } from '../binary/support/binary.ts'
import { podstep } from '../binary/support/command.ts'
import { startServer } from '../binary/support/server.ts'
import { basic } from '../support/client.ts'
import { recordAt } from '../support/openapi.ts'

/**
 * How long the import of an archive with 1,000 podcasts on two devices and 500,000 episode actions takes, what memory,
 * and how long another user waits meanwhile for a delta and for an upload. `bun test/bench/import.ts [ACTIONS]`
 */

const ACTIONS = Number(process.argv[2] ?? 500_000)
const PODCASTS = 1000

const feed = (n: number) => `https://feeds.publisher${n % 40}.example/shows/${n}/podcast.xml`

function writeArchive(path: string): void {
  const file = openSync(path, 'w')
  const feeds = Array.from({ length: PODCASTS }, (_, n) => ({ url: feed(n), added: '2025-03-01T10:00:00' }))
  const devices = ['phone', 'laptop'].map((id) => ({ id, caption: id, type: 'mobile', subscriptions: feeds }))
  const head = { format: 'podstep account', version: 1, devices, sync_groups: [['phone', 'laptop']] }
  writeSync(file, `${JSON.stringify(head).slice(0, -1)},"episode_actions":[\n`)
  let text = ''
  for (let n = 0; n < ACTIONS; n++) {
    const podcast = n % PODCASTS
    const episode = Math.floor(n / (5 * PODCASTS))
    const item = {
      podcast: feed(podcast),
      episode: `https://cdn.publisher${podcast % 40}.example/shows/${podcast}/episodes/${episode}-a-long-name.mp3`,
      guid: `urn:uuid:${podcast}-${episode}-1f2e3d4c`,
      device: n % 3 === 0 ? 'laptop' : 'phone',
      action: 'play',
      timestamp: new Date(1_600_000_000_000 + n * 300_000).toISOString().slice(0, 19),
      ...{ started: 0, position: n % 3600, total: 3600 },
    }
    text += `${n === 0 ? '' : ',\n'}${JSON.stringify(item)}`
    if (text.length > 1_000_000) {
      writeSync(file, text)
      text = ''
    }
  }
  writeSync(file, `${text}\n]}\n`)
  closeSync(file)
}

/** Milliseconds that a request takes, again and again until `isOver`. */
async function measure(isOver: () => boolean, ask: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  while (!isOver()) {
    const start = performance.now()
    await ask()
    times.push(performance.now() - start)
    await Bun.sleep(5)
  }
  return times.toSorted((one, other) => one - other)
}

function at(times: readonly number[], share: number): string {
  return (times[Math.floor(share * (times.length - 1))] ?? 0).toFixed(1)
}

const folder = mkdtempSync(join(tmpdir(), 'podstep-bench-'))
try {
  const archive = join(folder, 'archive.json')
  writeArchive(archive)
  for (const name of ['ida', 'ole']) await podstep(['user', 'create', name], { cwd: folder, stdin: 'seaglass\n' })
  await using server = await startServer({ cwd: folder, program: [requireBinary()], env: { SVC_ACCESS_LOG: 'false' } })
  const ole = server.client(basic('ole', 'seaglass'))
  await ole.put('/subscriptions/ole/phone.json', [feed(1)])
  const peak = () => Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024
  const before = peak()

  const start = performance.now()
  const words = ['import', '--from', archive, '--to', 'ida']
  let isOver = false
  const importing = podstep(words, { cwd: folder, env: { SVC_PORT: String(server.port) }, seconds: 1200 }).finally(
    () => {
      isOver = true
    },
  )
  let n = 0
  const [outcome, deltas, uploads] = await Promise.all([
    importing,
    measure(
      () => isOver,
      () => ole.get('/api/2/subscriptions/ole/phone.json?since=0'),
    ),
    measure(
      () => isOver,
      () => ole.post('/api/2/subscriptions/ole/phone.json', { add: [feed(n++ % 50)] }),
    ),
  ])
  const seconds = (performance.now() - start) / 1000
  const [report] = (await server.client(basic('ida', 'seaglass')).get('/api/2/me/import')).json as unknown[]
  process.stdout.write(`${outcome.out}${recordAt(report)['state']}, ${(Bun.file(archive).size / 1e6).toFixed(0)} MB
${seconds.toFixed(1)} s, ${Math.round(ACTIONS / seconds)} actions a second
peak memory ${peak().toFixed(0)} MiB, ${before.toFixed(0)} MiB before
delta of another user: p50 ${at(deltas, 0.5)} ms, p99 ${at(deltas, 0.99)} ms, max ${at(deltas, 1)} ms of ${deltas.length}
upload of another user: p50 ${at(uploads, 0.5)} ms, p99 ${at(uploads, 0.99)} ms, max ${at(uploads, 1)} ms of ${uploads.length}
`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
