import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ACTIONS_PER_UPLOAD, seed } from './seed.ts'
import type { Settings } from './settings.ts'

/** An even number of uploads, and more than the answers that are sorted at once hold. */
export const SHORT_HISTORY = 1200
const USERS = 10

/** A database whose first user has a long history; made once per run. */
export async function longHistory({ dir, history }: Settings): Promise<string> {
  const path = join(dir, 'long')
  if (!existsSync(path)) await seed(path, sizeOf(history))
  return path
}

export async function shortHistory({ dir }: Settings): Promise<string> {
  const path = join(dir, 'short')
  if (!existsSync(path)) await seed(path, sizeOf(SHORT_HISTORY))
  return path
}

/** Whole uploads only, so that the newest holds as many actions as the others. */
const sizeOf = (history: number) => ({
  users: USERS,
  feeds: 60,
  actionsPerUser: SHORT_HISTORY,
  longHistory: history - (history % ACTIONS_PER_UPLOAD),
})
