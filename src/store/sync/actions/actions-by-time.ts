import type { UserId } from '../../../domain/shared/ids.ts'
import { slices } from '../../../domain/shared/lists.ts'
import { sortInTurns } from '../../../domain/shared/sort-in-turns.ts'
import { nextTurn } from '../../../platform/clock.ts'
import type { Database, Snapshot } from '../../engine.ts'

interface KeyRow {
  readonly at: number
  readonly hash: number
  readonly id: number
}

/** Keys per query, and row numbers per chunk. */
const CHUNK = 1000

const START: KeyRow = { at: Number.MIN_SAFE_INTEGER, hash: 0, id: 0 }
const END: KeyRow = { at: Number.POSITIVE_INFINITY, hash: 0, id: 0 }

/**
 * Yields row numbers of a user's actions from `first` to `last`, by event time and upload order, in chunks. The index
 * orders actions of the same second by hash, so the row numbers of each second are collected and sorted. Every key is
 * read once, and other work gets a turn in between.
 */
export function prepareActionsByTime(db: Database, snapshot: Snapshot) {
  const nextKeys = db.prepare<KeyRow, [UserId, number, number, number]>(
    `SELECT at, hash, id FROM episode_actions INDEXED BY episode_actions_time
      WHERE user_id = +?1 AND (at, hash, id) > (?2, ?3, ?4) ORDER BY at, hash, id LIMIT ${CHUNK}`,
  )

  return async function* actionsByTime(userId: UserId, first: number, last: number): AsyncGenerator<readonly number[]> {
    let key = START
    let second: number[] = []
    while (key !== END) {
      const { at, hash, id } = key
      const keys = await snapshot.read(() => nextKeys.all(userId, at, hash, id))
      if (keys.length < CHUNK) keys.push(END)
      let ready: number[] = []
      for (const next of keys) {
        if (next.at !== key.at) {
          if (second.length > 1) await sortInTurns(second, ascending)
          for (const ids of slices(second, CHUNK)) {
            if (ready.length + ids.length > CHUNK) {
              yield ready
              ready = []
            }
            ready.push(...ids)
          }
          second = []
        }
        if (next.id >= first && next.id <= last) second.push(next.id)
        key = next
      }
      if (ready.length > 0) yield ready
      else await nextTurn()
    }
  }
}

const ascending = (one: number, other: number) => one - other
