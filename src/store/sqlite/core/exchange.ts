import { existsSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { MARKER_FILE } from './files/run-marker.ts'
import { syncFolder } from './sync-folder.ts'

/* Replaces the database by one named `podstep.db.restored`. Each step can be repeated after a crash. */

const DATABASE_FILE = 'podstep.db'
const NEXT_FILE = `${DATABASE_FILE}.restored`
export const PREPARATION_FOLDER = 'restore.partial'

const LOGS = ['-wal', '-journal']

/** Exchanges the database for the complete one at `prepared`; returns the path of the old one. */
export function exchangeDatabase(dataDir: string, prepared: string, now: number): string | undefined {
  return toItsEnd(exchangeSteps(dataDir, prepared, now))
}

/** Finishes an interrupted exchange; returns the path of the database that was set aside. */
export function finishExchange(dataDir: string): string | undefined {
  return toItsEnd(remainingSteps(dataDir))
}

type Steps = Generator<undefined, string | undefined>

function toItsEnd(steps: Steps): string | undefined {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

export function* exchangeSteps(dataDir: string, prepared: string, now: number): Steps {
  // The name of the old database contains this time, also if the remaining steps are repeated.
  utimesSync(prepared, now, now)
  yield
  renameSync(prepared, join(dataDir, NEXT_FILE))
  yield
  syncFolder(dataDir)
  return yield* remainingSteps(dataDir)
}

function* remainingSteps(dataDir: string): Steps {
  const next = join(dataDir, NEXT_FILE)
  const startedAt = statSync(next, { throwIfNoEntry: false })?.mtimeMs
  if (startedAt === undefined) return undefined
  const path = join(dataDir, DATABASE_FILE)
  const stamp = new Date(Math.round(startedAt)).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const aside = join(dataDir, `podstep-${stamp}-before-restore.db`)
  for (const end of ['', ...LOGS]) {
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${aside}${end}`)
    yield
  }
  rmSync(`${path}-shm`, { force: true })
  // The marker refers to the old database. The new one has been checked.
  rmSync(join(dataDir, MARKER_FILE), { force: true })
  // SQLite would apply the log of the old database to the new one, and destroy it.
  syncFolder(dataDir)
  yield
  renameSync(next, path)
  yield
  syncFolder(dataDir)
  return existsSync(aside) ? aside : undefined
}
