import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { requireBinary } from '../test/binary/support/binary.ts'
import { createUser, startScene } from '../test/binary/support/scene.ts'
import { basic } from '../test/support/client.ts'
import { recordAt } from '../test/support/openapi.ts'
import { childrenOf } from '../test/support/processes.ts'
import { bytesOf, createAntennaPodTables } from '../test/transfer/files/databases.ts'
import {
  bracketSchema,
  cyclicPages,
  endlessSchema,
  sameChildren,
  sharedOverflow,
} from '../test/transfer/files/hostile-databases.ts'

/**
 * Runs hostile imports on the compiled server (dist/podstep), from files and from servers on this machine, while
 * another user keeps asking for a delta. Takes ten minutes; needs Linux.
 *
 *   bun scripts/hostile-imports.ts --only brackets
 *   bun scripts/hostile-imports.ts --cgroup /sys/fs/cgroup/trial      # in a control group, with its memory limit
 */

const { values } = parseArgs({ options: { only: { type: 'string' }, cgroup: { type: 'string' } } })

const MIB = 1024 * 1024
const IMPORTS = '/api/2/me/import'
const DELTA = '/api/2/subscriptions/uma/phone.json?since=0'
const SAMPLE_INTERVAL_MS = 2
const POLL_MS = 5
/** Imports are cancelled after this time. */
const PATIENCE_MS = 60_000
/** Duration of the measurement without imports. */
const QUIET_MS = 10_000
/**
 * Limits on the memory of the process, the growth of the server, and the p99 wait of others. The longest wait has no
 * limit, since it depends on the machine's load.
 */
const LIMITS = { peakMib: 256, growthMib: 50, p99Ms: 100 }

let violations = 0
const print = (line: string): void => void process.stdout.write(`${line}\n`)

const repeated = (text: string, bytes: number) => Buffer.alloc(bytes, text)
const archive = (members: string) => `{"format":"podstep account","version":1,${members}}`
const archiveOf = (member: string, item: string, bytes: number) =>
  Buffer.concat([
    Buffer.from(`{"format":"podstep account","version":1,"${member}":[`),
    repeated(`${item},`, Math.floor(bytes / (item.length + 1)) * (item.length + 1)),
    Buffer.from(`${item}]}`),
  ])
const opml = (outlines: Uint8Array) =>
  Buffer.concat([Buffer.from('<opml version="2.0"><body>'), outlines, Buffer.from('</body></opml>')])

const numbers = `{"scope":"account","settings":{"a":[${'1.0,'.repeat(12_000)}1]}}`
const list = JSON.stringify({
  title: 'Fog',
  podcasts: Array.from({ length: 20_000 }, (_, n) => `https://feeds.example/${n}/${'x'.repeat(150)}`),
})

const FILES: Readonly<Record<string, () => Uint8Array | string>> = {
  'database: 15,000 rows share their pages (0.9 MB)': () => sharedOverflow(15_000),
  'database: 1,000,000 rows share their pages (59 MB)': () => sharedOverflow(1_000_000),
  'database: pages in circles': cyclicPages,
  'database: 18 levels of the same page (11 KB)': () => sameChildren(18),
  'database: a schema without end (12 KB)': endlessSchema,
  'database: brackets in 100 definitions': () => bracketSchema(100),
  'database: brackets in 990 definitions (8 MB)': () => bracketSchema(990),
  'database: a million podcasts with addresses of 60 characters (70 MB)': manyPodcasts,
  'archive: `[],` by the megabyte in a list (47 MB)': () =>
    Buffer.concat([
      Buffer.from('{"format":"podstep account","version":1,"episode_actions":['),
      repeated('[],', 3 * Math.floor((47 * MIB) / 3)),
      Buffer.from('0]}'),
    ]),
  'archive: `[],` by the megabyte in one item (47 MB)': () =>
    archiveOf('episode_actions', `{"x":[${'[],'.repeat(300_000)}0]}`, 47 * MIB),
  'archive: numbers in settings (31 MB)': () => archiveOf('settings', numbers, 31 * MIB),
  'archive: settings of thousands of numbers each (31 MB)': () =>
    archiveOf('settings', `{"scope":"account","settings":{"a":[${'1.0,'.repeat(200_000)}1]}}`, 31 * MIB),
  'archive: lists of 20,000 podcasts (50 MB)': () => archiveOf('podcast_lists', list, 50 * MIB),
  'archive: one sync group of millions of devices (30 MB)': () =>
    Buffer.from(archive(`"sync_groups":[[${'"a",'.repeat(7_500_000)}"a"]]`)),
  'archive: open brackets (50 MB)': () =>
    Buffer.concat([Buffer.from('{"format":"podstep account","version":1,"devices":'), repeated('[', 50 * MIB)]),
  'archive: a text of 60 MB': () =>
    Buffer.concat([
      Buffer.from('{"format":"podstep account","version":1,"x":"'),
      repeated('x', 60 * MIB),
      Buffer.from('"}'),
    ]),
  'archive: members `__proto__`': () =>
    archive('"__proto__":[{"__proto__":{"a":1}}],"devices":[{"id":"__proto__","__proto__":{"caption":"x"}}]'),
  'OPML: `&#9;` by the megabyte in an attribute (63 MB)': () =>
    opml(
      Buffer.concat([
        Buffer.from('<outline xmlUrl="https://a.example" text="'),
        repeated('&#9;', 63 * MIB),
        Buffer.from('"/>'),
      ]),
    ),
  'OPML: `&#9;` by the megabyte as text (63 MB)': () => opml(repeated('&#9;', 63 * MIB)),
  'OPML: `<a>` by the megabyte (63 MB)': () => opml(repeated('<a>', 63 * MIB)),
  'OPML: attributes by the megabyte (63 MB)': () =>
    opml(Buffer.concat([Buffer.from('<outline '), repeated('a="" ', 63 * MIB), Buffer.from('/>')])),
  'OPML: 190,000 episodes of Overcast (60 MB)': () =>
    opml(
      Buffer.from(
        Array.from(
          { length: 190_000 },
          (_, n) =>
            `<outline type="podcast-episode" overcastId="1" enclosureUrl="https://a.example/${n}/${'x'.repeat(220)}" played="1"/>`,
        ).join(''),
      ),
    ),
}

function manyPodcasts(): Uint8Array {
  return bytesOf((db) => {
    createAntennaPodTables(db)
    db.run(`INSERT INTO Feeds (download_url, title) WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c
      WHERE n < 1000000) SELECT 'https://feeds.example/' || n || '/' || hex(randomblob(15)), 'Fog' FROM c`)
  })
}

/** An item of 180 KB that takes many times that in memory. */
const fat = (n: number) =>
  `{"id":"${n}","url":"https://feeds.example/${n}","name":"${n}","x":[${'[],'.repeat(60_000)}0]}`
const fatList = `[${Array.from({ length: 170 }, (_, n) => fat(n)).join(',')}]`
const devices = `[${Array.from({ length: 1000 }, (_, n) => `{"id":"d${n}"}`).join(',')}]`
const feeds = (tag: number) =>
  `[${Array.from({ length: 60_000 }, (_, n) => `"https://feeds.example/${tag}/${n}/${'x'.repeat(400)}"`).join(',')}]`

type Answer = (request: Request) => Response | Promise<Response>

const json = (text: string) => new Response(text, { headers: { 'content-type': 'application/json' } })
const packed = (text: string | Buffer) =>
  new Response(gzipSync(text), { headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } })

/** Sends the text, then a space every second, forever. */
const dripping = (text: string) =>
  new Response(
    new ReadableStream({
      async start(controller) {
        controller.enqueue(Buffer.from(text))
        for (;;) {
          await Bun.sleep(1000)
          controller.enqueue(Buffer.from(' '))
        }
      },
    }),
  )

function gpodder(rest: Readonly<Record<string, Answer>>): Answer {
  return (request) => {
    const { pathname } = new URL(request.url)
    const found = Object.entries(rest).find(([path]) => pathname.startsWith(path))
    return found ? found[1](request) : json('[]')
  }
}

let count = 0
const bomb = gzipSync(Buffer.concat([Buffer.from('['), repeated('[],', 3 * 10 * MIB), Buffer.from('0]')]))

const SERVERS: Readonly<Record<string, Answer>> = {
  'server: fat lists everywhere': () => json(fatList),
  'server: 1,000 devices with 60,000 long addresses each': gpodder({
    '/api/2/devices/': () => json(devices),
    '/subscriptions/': () => json(feeds(count++)),
  }),
  'server: gzip bombs': () => new Response(bomb, { headers: { 'content-encoding': 'gzip' } }),
  'server: a history without end': gpodder({
    '/api/2/devices/': () => json('[{"id":"phone"}]'),
    '/api/2/episodes/': () => {
      const from = count
      count += 50_000
      const actions = Array.from({ length: 50_000 }, (_, n) => ({
        ...{ podcast: `https://feeds.example/${n}`, episode: `https://cdn.example/${from + n}`, action: 'play' },
        ...{ timestamp: '2025-01-01T00:00:00', position: n },
      }))
      return packed(JSON.stringify({ actions, timestamp: from }))
    },
  }),
  'server: settings that are as large as they may be': gpodder({
    '/api/2/devices/': () => json(devices),
    '/api/2/settings/': () => json(`{"a":[${'1.0,'.repeat(200_000)}1]}`),
  }),
  'server: a byte a second': gpodder({ '/api/2/devices/': () => dripping('[{"id":"phone"}') }),
  'server: Retry-After 800': () => new Response('', { status: 503, headers: { 'retry-after': '800' } }),
  'server: leads in circles': (request) => Response.redirect(request.url, 302),
  'server: a response that is shorter than it says': () =>
    new Response('[{"id":"phone"}', { headers: { 'content-length': '1000000' } }),
  'server: members `__proto__`': () => json('[{"__proto__":{"id":"x"},"id":"__proto__","url":"__proto__"}]'),
}

/** Memory figure of a process in MiB; 0 if the process has exited. */
function memoryOf(pid: number, figure: 'VmRSS' | 'VmHWM'): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`${figure}:\\s*(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

function isReader(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('read-imports')
  } catch {
    return false
  }
}

/** Samples the memory of the server and of the import process until the returned function is called. */
function watch(server: number) {
  const before = memoryOf(server, 'VmRSS')
  let [readerPeak, serverPeak] = [0, before]
  const timer = setInterval(() => {
    serverPeak = Math.max(serverPeak, memoryOf(server, 'VmRSS'))
    for (const pid of childrenOf(server)) if (isReader(pid)) readerPeak = Math.max(readerPeak, memoryOf(pid, 'VmHWM'))
  }, SAMPLE_INTERVAL_MS)
  return () => {
    clearInterval(timer)
    return { peak: Math.round(readerPeak), growth: Math.round(serverPeak - before) }
  }
}

/**
 * Requests a delta in a loop, on a thread, so that uploads do not delay it. The returned function stops it and returns
 * the durations in milliseconds, in ascending order.
 */
function askAlong(port: number) {
  const thread = new Worker(import.meta.path, { workerData: port })
  return (): Promise<number[]> =>
    new Promise((resolve) => {
      thread.once('message', (times: number[]) => {
        void thread.terminate()
        resolve(times.toSorted((one, other) => one - other))
      })
      thread.postMessage('enough')
    })
}

/** Body of the thread. */
async function ask(port: number): Promise<void> {
  const times: number[] = []
  let isOver = false
  parentPort?.once('message', () => {
    isOver = true
  })
  while (!isOver) {
    const started = performance.now()
    await (await fetch(`http://127.0.0.1:${port}${DELTA}`, { headers: basic('uma', 'seaglass') })).text()
    times.push(performance.now() - started)
    await Bun.sleep(POLL_MS)
  }
  parentPort?.postMessage(times)
}

type Scene = Awaited<ReturnType<typeof startScene>>

async function trial(
  { server, ida }: Scene,
  name: string,
  begin: () => Promise<{ readonly json: unknown }>,
): Promise<void> {
  const stopWatching = watch(server.pid)
  const stopAsking = askAlong(server.port)
  const started = performance.now()
  const path = `${IMPORTS}/${recordAt((await begin()).json)['id']}`
  let report = recordAt((await ida.get(path)).json)
  while (report['state'] === 'running') {
    if (performance.now() - started > PATIENCE_MS) await ida.delete(path)
    await Bun.sleep(20)
    report = recordAt((await ida.get(path)).json)
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  const { peak, growth } = stopWatching()
  const times = await stopAsking()
  await ida.delete(path)
  print(
    `| ${name} | ${peak} | ${growth} | ${waits(times)} | ${seconds} s | ${report['state']}${words(report['error'])} |`,
  )
  const isGood = peak <= LIMITS.peakMib && growth <= LIMITS.growthMib && p99Of(times) <= LIMITS.p99Ms
  if (isGood) return
  violations++
  print(`  BROKEN: at most ${LIMITS.peakMib} MiB, ${LIMITS.growthMib} MiB more of the server, ${LIMITS.p99Ms} ms`)
}

const p99Of = (ascending: readonly number[]) => ascending[Math.floor(ascending.length * 0.99)] ?? 0
const waits = (ascending: readonly number[]) => [p99Of(ascending), ascending.at(-1) ?? 0].map(Math.round).join(' / ')
const words = (error: unknown) => (typeof error === 'string' && error !== '' ? `: ${error.slice(0, 80)}` : '')
const isWanted = (name: string) => values.only === undefined || name.includes(values.only)

/** Command that starts the server in the control group of `--cgroup`, if given. */
const PROGRAM =
  values.cgroup === undefined
    ? undefined
    : ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', values.cgroup, requireBinary()]

async function main(): Promise<void> {
  await using scene = await startScene({
    env: { SVC_IMPORT_ALLOW_PRIVATE: '127.0.0.1', SVC_RATE_LIMIT: 'false', SVC_BACKUP_KEEP: '0' },
    ...(PROGRAM && { program: PROGRAM }),
  })
  await createUser(scene.folder, 'uma')
  const uma = scene.server.client(basic('uma', 'seaglass'))
  await uma.put(
    '/subscriptions/uma/phone.json',
    Array.from({ length: 50 }, (_, n) => `https://feeds.example/${n}`),
  )
  print('| what | peak of the process, MiB | growth of the server, MiB | others wait p99 / worst, ms | time | end |')
  print('|---|--:|--:|--:|--:|---|')
  const stopAsking = askAlong(scene.server.port)
  await Bun.sleep(QUIET_MS)
  print(`| nothing | | | ${waits(await stopAsking())} | ${QUIET_MS / 1000} s | |`)
  for (const [name, make] of Object.entries(FILES)) {
    if (!isWanted(name)) continue
    const content = make()
    const headers = { 'content-type': 'application/octet-stream' }
    await trial(scene, name, () => scene.ida.post(`${IMPORTS}?name=hostile`, content, { headers }))
  }
  for (const [name, answer] of Object.entries(SERVERS)) {
    if (!isWanted(name)) continue
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 0, fetch: answer })
    const request = { from: `http://127.0.0.1:${other.port}`, username: 'ida', password: 'seaglass' }
    await trial(scene, name, () => scene.ida.post(IMPORTS, request))
    await other.stop(true)
  }
  const errors = scene.server.log.filter(({ level }) => level === 'error')
  print(`errors in the log: ${errors.length}`)
  for (const error of errors) print(JSON.stringify(error).slice(0, 300))
  print(violations === 0 ? 'nothing broken' : `broken: ${violations}`)
  process.exitCode = violations === 0 ? 0 : 1
}

await (isMainThread ? main() : ask(Number(workerData)))
