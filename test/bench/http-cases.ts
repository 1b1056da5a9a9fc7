import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { askUsersFirst, bareSource, CASES, type Case } from './cases.ts'
import { compare, type Figures } from './compare.ts'
import { type ServerProcess, startBare, startPodstep } from './processes.ts'
import { isShort, say, target } from './report.ts'
import { seed } from './seed.ts'
import type { Settings } from './settings.ts'

/** The nearest peer on the same runtime, measured on two virtual x64 cores on 2026-11-22, without an fsync. */
const PEER_UPLOADS_PER_SECOND = 2021

const HEAD = [
  '| request | connections | bare /s | bare FULL /s | podstep /s | ratio | to FULL | wanted | CPU µs bare | CPU µs | wanted | p50 ms | p99 ms | generator CPU | short |',
  '|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|',
].join('\n')

/** podstep beside the bare server, row by row, each with processes and a copy of the database of its own. */
export async function measureCases({ command, dir, pace, tableConnections, users, wants }: Settings): Promise<void> {
  const cases = CASES.filter(({ name }) => wants(name))
  if (cases.length === 0) return
  const template = join(dir, 'template')
  await seed(template, { users, feeds: 60, actionsPerUser: 210 })
  say(`\n## Requests: ${users} users, ${pace.rounds} rounds of ${pace.roundMs} ms each\n`)
  say(HEAD)
  const verdicts: (() => void)[] = []
  for (const each of cases) {
    const ours = join(dir, `${each.name}-podstep`)
    cpSync(template, ours, { recursive: true })
    const durabilities = each.bareKind === 'read' ? (['NORMAL'] as const) : (['NORMAL', 'FULL'] as const)
    const bares = await Promise.all(
      durabilities.map((synchronous) =>
        startBare(each.bareKind, join(dir, `${each.name}-bare-${synchronous}`), synchronous),
      ),
    )
    const podstep = await startPodstep(command, ours)
    try {
      await askUsersFirst(each, podstep, users)
      for (const connections of tableConnections) {
        const source = each.podstep(connections, users)
        const bare = (server: ServerProcess) => ({ server, source: bareSource(each.bareKind, connections, users) })
        const [figures, normal, full = normal] = await compare(
          [{ server: podstep, source, check: each.check }, ...bares.map(bare)],
          { ...pace, connections },
        )
        if (!figures || !normal || !full) continue
        say(lineOf(each, connections, { podstep: figures, normal, full }))
        verdicts.push(() => judge(each, connections, figures, normal))
      }
    } finally {
      await Promise.all([podstep, ...bares].map((server) => server.stop()))
      rmSync(ours, { recursive: true })
    }
  }
  say()
  for (const verdict of verdicts) verdict()
}

function lineOf(
  { title, bareKind, ratioWanted, cpuWanted }: Case,
  connections: number,
  { podstep, normal, full }: Readonly<Record<'podstep' | 'normal' | 'full', Figures>>,
): string {
  const writes = bareKind !== 'read'
  const ratio = podstep.ratioTo(normal)
  const short = [
    ...(isShort(ratio, { atLeast: ratioWanted }) ? ['ratio'] : []),
    ...(cpuWanted !== undefined && isShort(podstep.cpuMicros, { atMost: cpuWanted }) ? ['CPU'] : []),
  ]
  const cells = [
    ...[title, connections, Math.round(normal.perSecond), writes ? Math.round(full.perSecond) : ''],
    ...[Math.round(podstep.perSecond), ratio.toFixed(2), writes ? podstep.ratioTo(full).toFixed(2) : ''],
    ...[`≥ ${ratioWanted.toFixed(2)}`, normal.cpuMicros.toFixed(0), podstep.cpuMicros.toFixed(0)],
    ...[cpuWanted === undefined ? '' : `≤ ${cpuWanted}`, podstep.p50.toFixed(2), podstep.p99.toFixed(2)],
    ...[`${Math.round(podstep.generatorCpu * 100)} %`, short.join(', ')],
  ]
  return `| ${cells.join(' | ')} |`
}

function judge(
  { name, title, ratioWanted, cpuWanted }: Case,
  connections: number,
  podstep: Figures,
  bare: Figures,
): void {
  const row = `${title}, ${connections} connection${connections === 1 ? '' : 's'}`
  target(`${row}: podstep/bare`, podstep.ratioTo(bare), '', { atLeast: ratioWanted })
  if (cpuWanted !== undefined) target(`${row}: server CPU`, podstep.cpuMicros, ' µs', { atMost: cpuWanted })
  if (name === 'actions30' && connections <= 8)
    target(`${row}: beside the nearest peer`, podstep.perSecond, '/s', { atLeast: PEER_UPLOADS_PER_SECOND })
}
