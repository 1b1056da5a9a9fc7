import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { measureBackup } from './backup.ts'
import { CASES } from './cases.ts'
import { measureDisk } from './disk.ts'
import { measureFeeds } from './feeds.ts'
import { measureGrowth } from './growth.ts'
import { measureCases } from './http-cases.ts'
import { measureMarks } from './marks.ts'
import { measureMemory } from './memory.ts'
import { measureMix } from './mix.ts'
import { measureParsing } from './parsing.ts'
import { podstepCommand } from './processes.ts'
import { say, summary } from './report.ts'
import type { Settings } from './settings.ts'
import { measureSmallMachine } from './small.ts'
import { measureStalls } from './stalls.ts'
import { measureStart } from './start.ts'
import { measureStream } from './stream.ts'

const PARTS = [
  ...CASES.map(({ name }) => name),
  'mix',
  'disk',
  'growth',
  'stalls',
  'marks',
  'stream',
  'memory',
  'start',
  'small',
  'feeds',
  'parsing',
  'backup',
]

const HELP = `bun test/bench/run.ts [options]

  --quick            a fifth of everything, for a first look
  --only NAMES       comma-separated: ${PARTS.join(', ')}
  --rounds N         rounds per server and case
  --round-ms N       milliseconds per round
  --connections N,…  keep-alive connections of the table of requests (default 8,1,64)
  --history N        stored actions of the long history (default 5000000)
  --binary PATH      podstep's executable (default: dist/podstep if built, else src/main.ts)
  --dir PATH         where databases are made; the disk matters (default: the folder for temporary files)
`

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    rounds: { type: 'string' },
    'round-ms': { type: 'string' },
    connections: { type: 'string', default: '8,1,64' },
    history: { type: 'string' },
    binary: { type: 'string' },
    dir: { type: 'string', default: tmpdir() },
    help: { type: 'boolean', default: false },
  },
})

function settings(dir: string): Settings {
  const { quick } = values
  const only = values.only?.split(',')
  const unknown = only?.find((name) => !PARTS.includes(name))
  if (unknown !== undefined) throw new Error(`--only: no part is called ${unknown}; there are ${PARTS.join(', ')}`)
  return {
    command: podstepCommand(values.binary && resolve(values.binary)),
    dir,
    pace: {
      connections: 8,
      rounds: Number(values.rounds ?? (quick ? 5 : 9)),
      roundMs: Number(values['round-ms'] ?? (quick ? 400 : 1000)),
    },
    tableConnections: values.connections.split(',').map(Number),
    users: quick ? 200 : 1000,
    manyUsers: quick ? 10_000 : 100_000,
    history: Number(values.history ?? (quick ? 1_000_000 : 5_000_000)),
    streamed: quick ? 200_000 : 1_000_000,
    starts: quick ? 3 : 9,
    backupMegabytes: quick ? 200 : 1000,
    wants: (name) => only?.includes(name) ?? true,
  }
}

async function main(): Promise<void> {
  // Each server has a listener that ends it with this process.
  process.setMaxListeners(0)
  const dir = mkdtempSync(join(values.dir, 'podstep-bench-'))
  try {
    const plan = settings(dir)
    const [cpu] = cpus()
    say(
      `# podstep benchmark: ${plan.command.map((part) => basename(part)).join(' ')}, Bun ${Bun.version}, ${cpus().length} × ${cpu?.model ?? 'processor'}`,
    )
    await measureCases(plan)
    await measureMix(plan)
    await measureDisk(plan)
    await measureGrowth(plan)
    await measureStalls(plan)
    await measureMarks(plan)
    await measureStream(plan)
    await measureMemory(plan)
    await measureStart(plan)
    await measureSmallMachine(plan)
    await measureFeeds(plan)
    measureParsing(plan)
    await measureBackup(plan)
    summary()
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

if (values.help) process.stdout.write(HELP)
else await main()
