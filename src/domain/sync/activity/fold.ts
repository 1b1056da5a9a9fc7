import type { Activity, ActivityKey, ActivityKind } from './ports.ts'

/**
 * Limits per user (docs/protocol.md#activity): 1,000 rows in total. Refusals are limited separately, so that a guesser
 * cannot push out the rest.
 */
export const KEPT_SECONDS = 30 * 24 * 3600
export const GRANTED_MAX = 800
export const REFUSED_MAX = 200

export const PAUSE_SECONDS = 3600
export const ROW_SECONDS = 24 * 3600

export function isOneRow(one: Activity, other: Activity): boolean {
  const [first, second] = one.firstAt <= other.firstAt ? [one, other] : [other, one]
  return (
    second.firstAt - first.lastAt <= PAUSE_SECONDS &&
    Math.max(first.lastAt, second.lastAt) - first.firstAt <= ROW_SECONDS
  )
}

export type Mutable<T> = { -readonly [K in keyof T]: T[K] }

export function absorb(row: Mutable<Activity>, other: Activity): void {
  row.firstAt = Math.min(row.firstAt, other.firstAt)
  row.lastAt = Math.max(row.lastAt, other.lastAt)
  row.count += other.count
  row.added += other.added
  row.removed += other.removed
  row.items += other.items
}

export function isSameKey(one: ActivityKey, other: ActivityKey): boolean {
  return (
    one.kind === other.kind &&
    one.device === other.device &&
    one.app === other.app &&
    one.reason === other.reason &&
    one.isBrowser === other.isBrowser
  )
}

export function mergeActivity(stored: readonly Activity[], waiting: readonly Activity[], since: number): Activity[] {
  const rows: Mutable<Activity>[] = stored.map((row) => ({ ...row }))
  for (const row of waiting) {
    const before = rows.find((other) => isSameKey(other, row) && isOneRow(other, row))
    if (before) absorb(before, row)
    else rows.push({ ...row })
  }
  rows.sort((one, other) => other.lastAt - one.lastAt)
  const room = { refused: REFUSED_MAX, other: GRANTED_MAX }
  return rows.filter(({ kind, lastAt }) => lastAt >= since && room[roomOf(kind)]-- > 0)
}

export function roomOf(kind: ActivityKind): 'refused' | 'other' {
  return kind === 'refused' ? 'refused' : 'other'
}

const PAGE = 100

export interface ActivityPage {
  readonly items: readonly Activity[]
  readonly next: number | undefined
}

export function pageOfActivity(rows: readonly Activity[], before: number | undefined): ActivityPage {
  const rest = before === undefined ? rows : rows.filter(({ lastAt }) => lastAt < before)
  const last = rest[PAGE - 1]
  // Pages never split a second, so its rows need no order among themselves.
  const items = last ? rest.filter(({ lastAt }) => lastAt >= last.lastAt) : rest
  return { items, next: items.length < rest.length ? last?.lastAt : undefined }
}
