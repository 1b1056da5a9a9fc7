import { join } from 'node:path'
import { median } from './numbers.ts'
import { startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import { seed } from './seed.ts'
import type { Settings } from './settings.ts'

const WANTED_MS = 60

/** From the start of the process to its first answer. */
export async function measureStart({ command, dir, users, starts, wants }: Settings): Promise<void> {
  if (!wants('start')) return
  say(`\n## Start, median of ${starts}\n`)
  const existing = join(dir, 'start-existing')
  await seed(existing, { users, feeds: 60, actionsPerUser: 200 })
  // Once unmeasured: the first start reads a hundred megabytes of program from the disk.
  await firstAnswer(command, join(dir, 'start-0'))
  const empty: number[] = []
  const full: number[] = []
  for (let index = 1; index <= starts; index++) {
    empty.push(await firstAnswer(command, join(dir, `start-${index}`)))
    full.push(await firstAnswer(command, existing))
  }
  target('first answer, empty folder', median(empty), ' ms', { atMost: WANTED_MS })
  target(`first answer, database of ${users} users`, median(full), ' ms', { atMost: WANTED_MS })
}

async function firstAnswer(command: readonly string[], dataDir: string): Promise<number> {
  const server = await startPodstep(command, dataDir)
  try {
    const asked = performance.now()
    const response = await fetch(`http://127.0.0.1:${server.port}/readyz`)
    await response.text()
    if (!response.ok) throw new Error(`not ready: ${response.status}`)
    return server.readyMs + performance.now() - asked
  } finally {
    await server.stop()
  }
}
