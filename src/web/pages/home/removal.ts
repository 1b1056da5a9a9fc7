import type { Answer } from '../../api/client.ts'
import { isBrowser } from '../../locales/client-name.ts'

type Change = Pick<
  Answer<'listChanges'>['items'][number],
  'id' | 'time' | 'device' | 'app' | 'kind' | 'added_count' | 'removed_count' | 'can_undo'
>

/** A removal of podcasts by apps, and the restore that undoes it. */
export interface Removal {
  /** ID of the latest change. */
  readonly id: number
  /** Number of podcasts removed, minus those added. */
  readonly count: number
  /** Time of the latest removal, in the format of the API. */
  readonly time: string
  /** Arguments of the restore: the device (null for all) and a time in Unix seconds. */
  readonly before: { readonly device: string | null; readonly time: number }
  /** Whether that restore would also undo other changes. */
  readonly hasOthers: boolean
}

/** Seconds for which a removal is reported. */
const SHOWN_SECONDS = 7 * 86_400
/** Most seconds between changes of one removal. Apps may send a request per podcast, and several devices may follow. */
const GAP_SECONDS = 3600
/** Number of podcasts that users rarely remove on purpose within an hour. */
const MISTAKE_MIN = 5

/** Kinds of changes by which apps remove podcasts, and kinds that make earlier removals irrelevant. */
const APP_KINDS: readonly string[] = ['upload', 'replace']
const ENDING_KINDS: readonly string[] = ['restore', 'import']

/**
 * Returns the latest removal by apps that may be a mistake: many podcasts, at least a third of them, or all. `changes`
 * are sorted latest first, `remaining` is the number of podcasts left, and `now` is in Unix seconds.
 */
export function findRemoval(changes: readonly Change[], remaining: number, now: number): Removal | undefined {
  const effective = changes.filter(({ added_count, removed_count }) => added_count + removed_count > 0)
  return runsOf(effective, now)
    .map((run) => toRemoval(run, effective))
    .find((removal) => removal && (remaining === 0 || isSuspicious(removal.count, remaining)))
}

function isSuspicious(count: number, remaining: number): boolean {
  return count >= MISTAKE_MIN || (count > 1 && 3 * count >= remaining + count)
}

/** Groups removals by apps that follow one another closely, latest first. */
function runsOf(changes: readonly Change[], now: number): readonly (readonly Change[])[] {
  const runs: Change[][] = []
  for (const change of changes) {
    if (change.time < now - SHOWN_SECONDS || ENDING_KINDS.includes(change.kind)) break
    if (!APP_KINDS.includes(change.kind) || isBrowser(change.app) || change.removed_count <= change.added_count)
      continue
    const last = runs.at(-1)
    if (last && (last.at(-1)?.time ?? 0) - change.time <= GAP_SECONDS) last.push(change)
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
    // A restore has a resolution of one second, so it also undoes other changes in the same second.
    hasOthers: changes.some((change) => change.time >= first.time && !run.includes(change)),
  }
}
