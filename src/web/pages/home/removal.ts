import type { Answer } from '../../api/client.ts'
import { isBrowser } from '../../locales/client-name.ts'

type Change = Pick<
  Answer<'listChanges'>['items'][number],
  'id' | 'time' | 'device' | 'app' | 'kind' | 'added_count' | 'removed_count' | 'can_undo'
>

/** Podcasts that apps have removed, and how to get them back. */
export interface Removal {
  /** The ID of the last of the changes. */
  readonly id: number
  /** How many podcasts. */
  readonly count: number
  /** Time of the last removal, in the form of the API. */
  readonly time: string
  /** The restore that undoes it: the list of a device, or of all with null, at a time in Unix seconds. */
  readonly before: { readonly device: string | null; readonly time: number }
  /** Whether that restore would undo other changes, too. */
  readonly hasOthers: boolean
}

/** Seconds for which a removal is worth a word. */
const SHOWN = 7 * 86_400
/** Seconds between changes that belong together: apps may send one request for each podcast, and each device its own. */
const GAP = 3600
/** A number of podcasts that users rarely remove on purpose within an hour. */
const MANY = 5

/** The kinds of changes by which apps remove podcasts, and those that put an end to what was before. */
const BY_APPS: readonly string[] = ['upload', 'replace']
const ENDS: readonly string[] = ['restore', 'import']

/**
 * The latest removal by apps that may be a mistake: of many podcasts, of a third of them, or of all. `changes` are the
 * latest first, `left` the podcasts that the user still has, `now` is in Unix seconds.
 */
export function findRemoval(changes: readonly Change[], left: number, now: number): Removal | undefined {
  const effective = changes.filter(({ added_count, removed_count }) => added_count + removed_count > 0)
  return runsOf(effective, now)
    .map((run) => toRemoval(run, effective))
    .find((removal) => removal && (left === 0 || isSuspicious(removal.count, left)))
}

function isSuspicious(count: number, left: number): boolean {
  return count >= MANY || (count > 1 && 3 * count >= left + count)
}

/** Removals by apps that follow one another closely, the latest first. */
function runsOf(changes: readonly Change[], now: number): readonly (readonly Change[])[] {
  const runs: Change[][] = []
  for (const change of changes) {
    if (change.time < now - SHOWN || ENDS.includes(change.kind)) break
    if (!BY_APPS.includes(change.kind) || isBrowser(change.app) || change.removed_count <= change.added_count) continue
    const last = runs.at(-1)
    if (last && (last.at(-1)?.time ?? 0) - change.time <= GAP) last.push(change)
    else runs.push([change])
  }
  return runs
}

function toRemoval(run: readonly Change[], changes: readonly Change[]): Removal | undefined {
  const [last, first] = [run[0], run.at(-1)]
  if (!last || !first || !run.every(({ can_undo }) => can_undo)) return undefined
  const devices = new Set(run.map(({ device }) => device))
  return {
    id: last.id,
    count: run.reduce((sum, { added_count, removed_count }) => sum + removed_count - added_count, 0),
    time: new Date(last.time * 1000).toISOString().slice(0, 19),
    before: { device: devices.size === 1 ? last.device : null, time: first.time - 1 },
    // A restore knows seconds, so that what happened in the same one goes back as well.
    hasOthers: changes.some((change) => change.time >= first.time && !run.includes(change)),
  }
}
