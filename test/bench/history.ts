import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expectActions, expectDelta } from './cases.ts'
import { compare } from './compare.ts'
import { startPodstep } from './processes.ts'
import { row, say, TABLE_HEAD, target } from './report.ts'
import { actionsGet, deltaGet, roundRobin } from './requests.ts'
import { seed } from './seed.ts'
import type { Settings } from './settings.ts'

const SHORT_HISTORY = 1000
const RATIO_WANTED = 1.3

/** Does a client that polls regularly notice how much lies in the database? */
export async function measureHistory({ command, dir, pace, history, wants }: Settings): Promise<void> {
  if (!wants('history')) return
  for (const [title, users] of [
    ['of one user', 1],
    ['of 100 users', 100],
  ] as const) {
    const short = join(dir, 'short')
    const long = join(dir, 'long')
    await seed(short, { users, feeds: 60, actionsPerUser: SHORT_HISTORY / users })
    const started = performance.now()
    await seed(long, { users, feeds: 60, actionsPerUser: history / users })
    const built = ((performance.now() - started) / 1000).toFixed(0)
    say(`\n## History ${title}: ${SHORT_HISTORY} against ${history} stored actions (made in ${built} s)\n`)
    say(TABLE_HEAD)
    const shortServer = await startPodstep(command, short)
    const longServer = await startPodstep(command, long)
    const ratios: { name: string; ratio: number }[] = []
    try {
      for (const { name, make, check } of [
        { name: 'delta GET', make: (user: number) => deltaGet(user), check: expectDelta },
        { name: 'actions GET, recent since', make: (user: number) => actionsGet(user), check: expectActions },
      ]) {
        const source = () => roundRobin(pace.connections, users, make)
        const contestant = (server: typeof shortServer) => ({ server, source: source(), check })
        const [few, many] = await compare([contestant(shortServer), contestant(longServer)], pace)
        if (!few || !many) continue
        const ratio = few.ratioTo(many)
        say(row(name, `${SHORT_HISTORY}`, few, shortServer.memory()))
        say(row('', `${history}`, many, longServer.memory(), ratio.toFixed(2)))
        ratios.push({ name, ratio })
      }
    } finally {
      await Promise.all([shortServer.stop(), longServer.stop()])
      for (const path of [short, long]) rmSync(path, { recursive: true, force: true })
    }
    say()
    for (const { name, ratio } of ratios)
      target(`${name} ${title}, cost long/short`, ratio, '', { atMost: RATIO_WANTED })
  }
}
