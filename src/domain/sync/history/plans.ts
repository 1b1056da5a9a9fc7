import type { Heard, HistoryAction, HistoryPlan } from '../ports/history.ts'
import { heardStretch } from './heard.ts'

/*
 * What of a history may go without anybody noticing (docs/protocol.md#D92, D93). Both plans look at the actions of one
 * media URL. For each action that goes, one of the same device and kind stays that came later and was uploaded later: so
 * the state of the episode is the same, whatever filters somebody asks with, and so is what a client makes of the history
 * that applies it action by action. What was heard by actions that go is put aside for statistics.
 */

/** Apps report every few minutes at the least; after a longer pause it is another sitting. */
const PAUSE_MAX = 3600
/** Of a sitting, from its first report to the last one. */
export const SITTING_MAX = 12 * 3600
/**
 * Midnight is at such a moment wherever somebody lives, since clocks differ from UTC by quarters of an hour. Within one
 * it does not matter when something was heard.
 */
const QUARTER = 900

/** Folds the reports of each sitting into its last one, which then begins where the first one did. */
export const planFolding: HistoryPlan = (piece) => {
  const removed = new Set<number>()
  const changed = new Map<number, HistoryAction>()
  const heard: Heard[] = []
  const ofDevices = Map.groupBy(piece, ({ deviceId }) => deviceId)
  for (const actions of ofDevices.values()) {
    let last: HistoryAction | undefined
    for (const action of actions.toSorted(byTime)) {
      const folded = last && isSameSitting(last, action) ? fold(last, action) : undefined
      if (last && folded) {
        removed.add(last.id)
        changed.delete(last.id)
        changed.set(action.id, folded.action)
        heard.push(...folded.heard)
      }
      last = folded?.action ?? action
    }
  }
  return { removed, changed, heard }
}

/** Whether the second one, which comes later, goes on where the first one has stopped. */
function isSameSitting(one: HistoryAction, other: HistoryAction): boolean {
  return (
    one.kind === 'play' &&
    other.kind === 'play' &&
    one.position !== undefined &&
    other.position !== undefined &&
    other.position >= one.position &&
    other.id > one.id &&
    (other.foldedSince ?? other.at) - one.at <= PAUSE_MAX &&
    other.at - (one.foldedSince ?? one.at) <= SITTING_MAX
  )
}

/** The second one in the place of both. What was heard stays the same on each day of any calendar. */
function fold(one: HistoryAction, other: HistoryAction): { action: HistoryAction; heard: Heard[] } {
  const { position = 0, total } = other
  const before = heardOf(one)
  const own = heardOf(other)
  const starts = [one.started, other.started].filter((each) => each !== undefined)
  const started = starts.length > 0 ? Math.min(...starts) : undefined
  const action = { ...other, started, foldedSince: one.foldedSince ?? one.at }
  // What says nothing of listening by itself still does not.
  const ownFrom = own?.from ?? position
  const isOneStretch =
    before !== undefined &&
    own !== undefined &&
    Math.floor(one.at / QUARTER) === Math.floor(other.at / QUARTER) &&
    before.from <= own.from &&
    own.from <= before.to &&
    heardStretch(before.from, position, total) !== undefined
  if (isOneStretch) return { action: withHeardFrom(action, before.from), heard: [] }
  return { action: withHeardFrom(action, ownFrom), heard: before ? [{ at: one.at, ...before }] : [] }
}

function withHeardFrom(action: HistoryAction, from: number): HistoryAction {
  return { ...action, heardFrom: action.started === from ? undefined : from }
}

/** What the action itself says that was heard, at its time. */
function heardOf({ kind, started, position, total, heardFrom }: HistoryAction) {
  const from = heardFrom ?? started
  if (kind !== 'play' || from === undefined || position === undefined) return undefined
  return heardStretch(from, position, total)
}

/**
 * Removes what an action of the same device and kind has superseded that came both later and with a later upload: a
 * client that would be told the one is told the other after it.
 */
export function beginRemovalPlan(): HistoryPlan {
  /** The latest event time of what has been uploaded later, by device and kind. */
  const latest = new Map<string, number>()
  let lookedAt = Number.POSITIVE_INFINITY

  return (piece) => {
    const removed = new Set<number>()
    const heard: Heard[] = []
    for (const action of piece.toSorted((one, other) => other.id - one.id)) {
      // Pieces overlap by an action.
      if (action.id >= lookedAt) continue
      lookedAt = action.id
      const group = `${action.deviceId} ${action.kind}`
      if (action.at > (latest.get(group) ?? Number.NEGATIVE_INFINITY)) {
        latest.set(group, action.at)
        continue
      }
      removed.add(action.id)
      const stretch = heardOf(action)
      if (stretch) heard.push({ at: action.at, ...stretch })
    }
    return { removed, changed: new Map(), heard }
  }
}

/** The order in which actions tell the state: by event time, then upload. */
function byTime(one: HistoryAction, other: HistoryAction): number {
  return one.at - other.at || one.id - other.id
}
