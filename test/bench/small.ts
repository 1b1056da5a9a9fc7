import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { askUsersFirst, CASES } from './cases.ts'
import { type LoadResult, runLoad } from './load.ts'
import { startPodstep } from './processes.ts'
import { say } from './report.ts'
import { deltaGet, roundRobin } from './requests.ts'
import { seed } from './seed.ts'
import type { Settings } from './settings.ts'
import { both, type SmallMachine, slowCore, slowDisk } from './small-machine.ts'

const CONNECTIONS = 8
/** The compiler of a slow core takes its time. */
const WARM_UP = { maxRequests: 3000, maxMs: 8000 }
const READERS = 2
const READ_PAUSE_MS = 10

const HEAD =
  '| request | requests/s | p50 ms | p99 ms | reads meanwhile, p50 ms | p99 ms | longest |\n|---|--:|--:|--:|--:|--:|--:|'

/** The table of requests on a slower machine, with what somebody waits who reads at the same time. */
export async function measureSmallMachine(settings: Settings): Promise<void> {
  const { dir, users, wants } = settings
  if (!wants('small')) return
  const template = join(dir, 'small')
  await seed(template, { users, feeds: 60, actionsPerUser: 210 })
  const core = slowCore()
  const disk = slowDisk()
  try {
    const machines = disk ? [core, disk, both(core, disk)] : [core]
    if (!disk) say('\nNo slow disk: strace is not installed.')
    for (const [index, machine] of machines.entries()) {
      const dataDir = join(dir, `small-${index}`)
      cpSync(template, dataDir, { recursive: true })
      await measureOn(machine, dataDir, settings)
    }
  } finally {
    await core.close()
  }
}

async function measureOn(machine: SmallMachine, dataDir: string, { command, pace, users }: Settings): Promise<void> {
  say(`\n## Small machine: ${machine.title}; ${CONNECTIONS} connections\n`)
  say(HEAD)
  const server = await startPodstep([...machine.prefix, ...command], dataDir)
  const maxMs = Math.max(2000, pace.roundMs * 3)
  const load = (source: ReturnType<typeof roundRobin>, more: { pauseMs?: number } = {}) =>
    runLoad({
      port: server.port,
      connections: more.pauseMs === undefined ? CONNECTIONS : READERS,
      source,
      maxMs,
      ...more,
    })
  try {
    for (const each of CASES) {
      const source = each.podstep(CONNECTIONS, users)
      await askUsersFirst(each, server, users)
      await runLoad({ port: server.port, connections: CONNECTIONS, source, ...WARM_UP })
      const reads = roundRobin(READERS, users, (user) => deltaGet(user))
      const [asked, read] = await Promise.all([load(source), load(reads, { pauseMs: READ_PAUSE_MS })])
      say(lineOf(each.title, asked, read))
    }
  } finally {
    await server.stop()
  }
}

function lineOf(title: string, asked: LoadResult, read: LoadResult): string {
  const ms = (value: number) => value.toFixed(value < 10 ? 2 : 0)
  const cells = [Math.round(asked.perSecond), ms(asked.p50), ms(asked.p99), ms(read.p50), ms(read.p99), ms(read.max)]
  return `| ${[title, ...cells].join(' | ')} |`
}
