import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { longOldHistory } from './histories.ts'
import { startPodstep } from './processes.ts'
import { say, target } from './report.ts'
import type { Settings } from './settings.ts'

const PER_ACTION_WANTED = 80
const PER_SUBSCRIPTION_WANTED = 40
const MIGRATION_WANTED_SECONDS = 60

/** The first start on a database in the layout before the migration of stored actions, and how much room its rows take afterwards. */
export async function measureDisk(settings: Settings): Promise<void> {
  const { command, history, wants } = settings
  if (!wants('disk')) return
  const dataDir = await longOldHistory(settings)
  say(`\n## Disk and migration: ${history} actions of one user\n`)
  const server = await startPodstep(command, dataDir)
  const seconds = server.readyMs / 1000
  const { peak } = server.memory()
  await server.stop()
  rmSync(join(dataDir, 'backups'), { recursive: true, force: true })
  say(`  peak memory of the migration ${peak.toFixed(0)} MiB`)
  target(`first start, copy and migration of ${history} actions`, seconds, ' s', { atMost: MIGRATION_WANTED_SECONDS })

  const db = new Database(join(dataDir, 'podstep.db'), { readonly: true })
  const actions = bytesPerRow(db, 'episode_actions', ['episode_actions', 'action_uploads', 'action_devices'])
  const episodes = bytesPerRow(db, 'user_episodes', ['user_episodes'])
  const subscriptions = bytesPerRow(db, 'subscriptions', ['subscriptions'])
  const listeners = bytesPerRow(db, 'listeners', ['listeners'])
  db.close()
  say(`  an episode of a user: ${episodes.toFixed(0)} bytes; a subscriber of a podcast: ${listeners.toFixed(0)} bytes`)
  target('stored action, with its indexes and upload', actions, ' bytes', { atMost: PER_ACTION_WANTED })
  target('subscription, with its indexes', subscriptions, ' bytes', { atMost: PER_SUBSCRIPTION_WANTED })
}

/** Of the pages of `tables` and their indexes, for each row of `counted`. */
function bytesPerRow(db: Database, counted: string, tables: readonly string[]): number {
  const { bytes } = db
    .query<{ bytes: number }, [string]>(
      `SELECT SUM(pgsize) AS bytes FROM dbstat WHERE aggregate = TRUE
        AND name IN (SELECT s.name FROM sqlite_schema s JOIN json_each(?1) j ON s.tbl_name = j.value)`,
    )
    .get(JSON.stringify(tables)) ?? { bytes: Number.NaN }
  const { rows } = db.query<{ rows: number }, []>(`SELECT COUNT(*) AS rows FROM ${counted}`).get() ?? { rows: 0 }
  return bytes / rows
}
