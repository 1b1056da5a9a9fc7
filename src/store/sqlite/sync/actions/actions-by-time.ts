import type { Database } from 'bun:sqlite'
import type { UserId } from '../../../../domain/shared/ids.ts'
import { slices } from '../../../../domain/shared/lists.ts'
import type { Snapshot } from '../../core/snapshot.ts'

interface KeyRow {
  readonly at: number
  readonly hash: number
  readonly id: number
}

/** Keys that are read at once, and row numbers in a piece. */
const CHUNK = 1000

/** Parts into which the row numbers of a crowded second are divided before they are sorted. */
const PARTS = 64

const START: KeyRow = { at: Number.MIN_SAFE_INTEGER, hash: 0, id: 0 }
const END: KeyRow = { at: Number.POSITIVE_INFINITY, hash: 0, id: 0 }

/**
 * Row numbers of a user's actions by event time and upload order, from `first` to `last`, in pieces. The index holds
 * the actions of one second by hash, so the row numbers of each second are collected and sorted. Every key is read once,
 * however many share a second. A piece may be empty: it is a pause for other work.
 */
export function prepareActionsByTime(db: Database, snapshot: Snapshot) {
  const nextKeys = db.prepare<KeyRow, [UserId, number, number, number]>(
    `SELECT at, hash, id FROM episode_actions INDEXED BY episode_actions_time
      WHERE user_id = +?1 AND (at, hash, id) > (?2, ?3, ?4) ORDER BY at, hash, id LIMIT ${CHUNK}`,
  )

  return function* actionsByTime(userId: UserId, first: number, last: number): Generator<readonly number[]> {
    let key = START
    let second: number[] = []
    while (key !== END) {
      snapshot.use()
      const keys = nextKeys.all(userId, key.at, key.hash, key.id)
      if (keys.length < CHUNK) keys.push(END)
      let ready: number[] = []
      for (const next of keys) {
        if (next.at !== key.at) {
          for (const ids of ascending(second, first, last)) {
            if (ids.length === 0 || ready.length + ids.length > CHUNK) {
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
      yield ready
    }
  }
}

/** Sorts distinct numbers from `first` to `last` into pieces, with empty pieces as pauses. */
function* ascending(ids: number[], first: number, last: number): Generator<readonly number[]> {
  if (ids.length <= CHUNK) {
    if (ids.length > 0) yield ids.sort((one, other) => one - other)
    return
  }
  const width = Math.ceil((last - first + 1) / PARTS)
  const parts = Array.from({ length: PARTS }, (): number[] => [])
  for (const some of slices(ids, CHUNK)) {
    for (const id of some) parts[Math.floor((id - first) / width)]?.push(id)
    yield []
  }
  for (const [index, part] of parts.entries())
    yield* ascending(part, first + index * width, first + (index + 1) * width - 1)
}
