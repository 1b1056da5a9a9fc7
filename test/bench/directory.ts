import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type BenchApp, openBenchApp } from './directory-app.ts'
import { createQueries } from './directory-queries.ts'
import { seedDirectory } from './directory-seed.ts'
import { createChance, createTexts } from './directory-text.ts'
import { median, percentile } from './numbers.ts'
import { say, summary, target } from './report.ts'
import { sessionToken } from './seed.ts'

const HELP = `bun test/bench/directory.ts [options]

  --podcasts N   podcasts of the large directory (default 100000)
  --rounds N     times that each query is asked (default 7)
  --dir PATH     where databases are made (default: the folder for temporary files)
`

const { values } = parseArgs({
  options: {
    podcasts: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '7' },
    dir: { type: 'string', default: tmpdir() },
    help: { type: 'boolean', default: false },
  },
})

/** So many that answers are as long as those of the large directory. */
const FEW_PODCASTS = 200
const FEW_USERS = 2
const ANSWERS = 300
const RATIO_WANTED = 1.3
const SUGGESTIONS_RATIO_WANTED = 2

async function main(): Promise<void> {
  const dir = mkdtempSync(join(values.dir, 'podstep-bench-'))
  try {
    const [cpu] = cpus()
    say(`# podstep benchmark of the directory: Bun ${Bun.version}, ${cpus().length} × ${cpu?.model ?? 'processor'}`)
    const large = join(dir, 'large')
    const small = join(dir, 'small')
    const podcasts = Number(values.podcasts)
    await build(large, podcasts, 2000)
    await build(small, FEW_PODCASTS, FEW_USERS)
    const app = openBenchApp(large)
    await measureSearch(app, podcasts)
    await measureLists(openBenchApp(small), app)
    summary()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function build(dir: string, podcasts: number, users: number): Promise<void> {
  const fame = Math.floor(podcasts / 2)
  const made = await seedDirectory(dir, { podcasts, users, fame }, createTexts())
  const megabytes = statSync(join(dir, 'podstep.db')).size / 2 ** 20
  const seconds = made.catchUpSeconds
  say(
    `${podcasts} podcasts, ${made.subscriptions} subscriptions: taken in within ${seconds.toFixed(0)} s, ${((seconds * 1000) / podcasts).toFixed(2)} ms each; ${megabytes.toFixed(0)} MB on disk, ${made.searchMegabytes.toFixed(0)} of them for the search`,
  )
}

/** Each query takes what the middle one of its rounds took: a busy machine hits some rounds, a hard query all. */
async function measureSearch(app: BenchApp, podcasts: number): Promise<void> {
  const groups = createQueries(createTexts(), podcasts, createChance(2))
  const times = new Map<string, number[]>()
  const found = new Map<string, number>()
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const { name, queries } of groups)
      for (const query of queries) {
        const { ms, json } = await app.ask(`/search.json?q=${encodeURIComponent(query)}`)
        const key = `${name} ${query}`
        found.set(key, Array.isArray(json) ? json.length : 0)
        // The first round warms up.
        if (round > 0) times.set(key, [...(times.get(key) ?? []), ms])
      }
  say('\n## Search\n\n| query | hits | p50 ms | p99 ms | hardest | wanted |\n|---|--:|--:|--:|---|--:|')
  for (const { name, queries, wanted } of groups) {
    const each = queries
      .map((query) => ({ query, ms: median(times.get(`${name} ${query}`) ?? []) }))
      .sort((a, b) => a.ms - b.ms)
    const ms = each.map((one) => one.ms)
    const hits = median(queries.map((query) => found.get(`${name} ${query}`) ?? 0))
    say(
      `| ${name} | ${hits} | ${percentile(ms, 0.5).toFixed(2)} | ${percentile(ms, 0.99).toFixed(2)} | ${each.at(-1)?.query.slice(0, 40)} | ${wanted} |`,
    )
  }
  say()
  for (const { name, queries, wanted } of groups) {
    const each = queries.map((query) => median(times.get(`${name} ${query}`) ?? [])).sort((a, b) => a - b)
    target(`search, ${name}, p99`, percentile(each, 0.99), ' ms', { atMost: wanted })
  }
}

async function measureLists(few: BenchApp, many: BenchApp): Promise<void> {
  const cookie = { cookie: `sessionid=${sessionToken(0)}` }
  say('\n## Lists: few against many podcasts and subscriptions\n')
  for (const path of ['/toplist/10.json', '/api/2/tags/10.json', '/api/2/tag/arts/10.json', '/suggestions/10.json']) {
    const times: [number[], number[]] = [[], []]
    for (let turn = 0; turn < ANSWERS; turn++) {
      times[0].push((await few.ask(path, cookie)).ms)
      times[1].push((await many.ask(path, cookie)).ms)
    }
    const [short = Number.NaN, long = Number.NaN] = times.map(median)
    say(`${path}: ${short.toFixed(3)} ms against ${long.toFixed(3)} ms`)
    // As many podcasts are looked at as there are, up to a number that the small directory has not.
    const atMost = path.startsWith('/suggestions') ? SUGGESTIONS_RATIO_WANTED : RATIO_WANTED
    target(`${path}, cost many/few`, long / short, '', { atMost })
  }
}

if (values.help) process.stdout.write(HELP)
else await main()
