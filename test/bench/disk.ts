import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { longHistory } from './histories.ts'
import { say, target } from './report.ts'
import type { Settings } from './settings.ts'

const PER_ACTION_WANTED = 80
const PER_SUBSCRIPTION_WANTED = 40

/** How much room the rows of a long history take. */
export async function measureDisk(settings: Settings): Promise<void> {
  const { history, wants } = settings
  if (!wants('disk')) return
  const dataDir = await longHistory(settings)
  say(`\n## Disk: ${history} actions of one user\n`)
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
