import { isFinished, listenStateOf } from '../../../domain/sync/episode-actions.ts'
import type { ActionKind } from '../../../domain/sync/ports/episode-actions.ts'

/** The database keeps the index. Append only. */
export const ACTION_KINDS: readonly ActionKind[] = ['play', 'new', 'download', 'delete', 'flattr']

/**
 * The first kinds tell how far somebody is; another one tells the state of an episode only if it has none of these
 * (docs/protocol.md#D45).
 */
export const STATE_KINDS = 2

export function kindOf(index: number): ActionKind {
  return ACTION_KINDS[index] ?? 'new'
}

/** Of an action that tells the state of an episode. */
export interface StateAction {
  readonly kind: number
  readonly at: number
}

/** Whether the action tells the state from now on, although `current` was uploaded before it. */
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

/** When an action that tells the state of an episode says that somebody is in the middle of it; null otherwise. */
export function progressAt(row: ProgressRow & StateAction): number | null {
  return listenStateOf(progressOf(row)) === 'in_progress' ? row.at : null
}

function progressOf({ kind, position, total }: ProgressRow) {
  return { kind: kindOf(kind), position: position ?? undefined, total: total ?? undefined }
}
