import { isFinished, listenStateOf } from '../../../domain/sync/episode-actions.ts'
import type { ActionKind } from '../../../domain/sync/ports/episode-actions.ts'

/** Append only: the database stores the index. */
export const ACTION_KINDS: readonly ActionKind[] = ['play', 'new', 'download', 'delete', 'flattr']

/**
 * Number of kinds that are a listening state, at the start of the list. Another kind is the state of an episode only if
 * it has no action of these kinds (docs/protocol.md#D45).
 */
export const STATE_KINDS = 2

export function kindOf(index: number): ActionKind {
  return ACTION_KINDS[index] ?? 'new'
}

/** Columns that decide which action holds the state of an episode. */
export interface StateAction {
  readonly kind: number
  readonly at: number
}

/** Whether an action replaces the earlier uploaded `current` as the state of its episode. */
export function tellsState({ kind, at }: StateAction, current: StateAction): boolean {
  const isState = kind < STATE_KINDS
  return isState === current.kind < STATE_KINDS ? at >= current.at : isState
}

export interface ProgressRow {
  readonly kind: number
  readonly position: number | null
  readonly total: number | null
}

export function isFinishedRow(row: ProgressRow): boolean {
  return isFinished(progressOf(row))
}

/** Event time of an action that leaves its episode in progress; null for any other. */
export function progressAt(row: ProgressRow & StateAction): number | null {
  return listenStateOf(progressOf(row)) === 'in_progress' ? row.at : null
}

function progressOf({ kind, position, total }: ProgressRow) {
  return { kind: kindOf(kind), position: position ?? undefined, total: total ?? undefined }
}
