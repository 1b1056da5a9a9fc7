import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { CASES } from './cases.ts'
import { compare } from './compare.ts'
import { startBare, startPodstep } from './processes.ts'
import { row, say, TABLE_HEAD, target } from './report.ts'
import { seed } from './seed.ts'
import type { Settings } from './settings.ts'

const RATIO_WANTED = 0.6

/** podstep beside two bare servers, case by case, each with processes and copies of the database of its own. */
export async function measureCases({ command, dir, pace, users, wants }: Settings): Promise<void> {
  const cases = CASES.filter(({ name }) => wants(name))
  if (cases.length === 0) return
  const template = join(dir, 'template')
  await seed(template, { users, feeds: 60, actionsPerUser: 200 })
  const { connections, rounds, roundMs } = pace
  say(`\n## Requests: ${users} users, ${connections} connections, ${rounds} rounds of ${roundMs} ms each\n`)
  say(TABLE_HEAD)
  const verdicts: (() => void)[] = []
  for (const { name, title, bareKind, podstep, bare, check } of cases) {
    const folder = (server: string) => {
      const path = join(dir, `${name}-${server}`)
      cpSync(template, path, { recursive: true })
      return path
    }
    const plainServer = await startBare(bareKind, folder('bare'), 'plain')
    const tunedServer = await startBare(bareKind, folder('tuned'), 'tuned')
    const podstepServer = await startPodstep(command, folder('podstep'))
    try {
      const [plain, tuned, ours] = await compare(
        [
          { server: plainServer, source: bare(connections, users) },
          { server: tunedServer, source: bare(connections, users) },
          { server: podstepServer, source: podstep(connections, users), check },
        ],
        pace,
      )
      if (!plain || !tuned || !ours) continue
      // The target is against the plain server; the tuned one shows what is left to gain.
      const [toPlain, toTuned] = [ours.ratioTo(plain), ours.ratioTo(tuned)]
      say(row(title, 'bare', plain, plainServer.memory()))
      say(row('', 'bare, tuned', tuned, tunedServer.memory(), tuned.ratioTo(plain).toFixed(2)))
      say(row('', 'podstep', ours, podstepServer.memory(), `${toPlain.toFixed(2)} / ${toTuned.toFixed(2)}`))
      verdicts.push(() => target(`${title}, podstep/bare`, toPlain, '', { atLeast: RATIO_WANTED }))
    } finally {
      await Promise.all([plainServer, tunedServer, podstepServer].map((server) => server.stop()))
    }
  }
  say()
  for (const verdict of verdicts) verdict()
}
