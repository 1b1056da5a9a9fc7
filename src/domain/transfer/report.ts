import { COUNTED_KINDS, type CountedKind, type TargetDevice } from './records.ts'

export interface ImportCount {
  readonly imported: number
  readonly present: number
  readonly skipped: number
}

export interface SkippedItems {
  readonly what: CountedKind
  readonly reason: string
  readonly count: number
  readonly examples: readonly string[]
}

export interface ImportReport {
  readonly counts: Readonly<Partial<Record<CountedKind, ImportCount>>>
  readonly skipped: readonly SkippedItems[]
  readonly done: number
  readonly total: number | undefined
  /** Actual kind of the source, if its first bytes did not show it. */
  readonly source?: string | undefined
  readonly starts?: number | undefined
  /** Device for the podcasts of a list. */
  readonly device?: TargetDevice | undefined
}

/** Number of distinct reasons; all others are counted as one, so that a hostile source cannot fill the disk. */
const REASONS_MAX = 100
const REASON_MAX = 200
const EXAMPLES_MAX = 5
const EXAMPLE_MAX = 200

const NO_COUNTS: ImportCount = { imported: 0, present: 0, skipped: 0 }
const OTHER_REASONS = 'other reasons'

export type ImportTally = ReturnType<typeof beginTally>

export function beginTally(before?: ImportReport) {
  const counts = new Map<CountedKind, ImportCount>()
  for (const kind of COUNTED_KINDS) {
    const count = before?.counts[kind]
    if (count) counts.set(kind, count)
  }
  const skipped = new Map((before?.skipped ?? []).map((items) => [keyOf(items.what, items.reason), items]))
  let done = before?.done ?? 0
  let total = before?.total
  let source = before?.source
  const starts = before?.starts
  const device = before?.device

  const countOf = (kind: CountedKind) => counts.get(kind) ?? NO_COUNTS

  return {
    add(kind: CountedKind, imported: number, present: number): void {
      const count = countOf(kind)
      counts.set(kind, { ...count, imported: count.imported + imported, present: count.present + present })
    },

    skip(kind: CountedKind, longReason: string, examples: readonly string[], number = examples.length): void {
      if (number === 0) return
      const count = countOf(kind)
      counts.set(kind, { ...count, skipped: count.skipped + number })
      const shortReason = longReason.slice(0, REASON_MAX).toWellFormed()
      const isKnown = skipped.has(keyOf(kind, shortReason)) || skipped.size < REASONS_MAX
      const reason = isKnown ? shortReason : OTHER_REASONS
      const items = skipped.get(keyOf(kind, reason)) ?? { what: kind, reason, count: 0, examples: [] }
      const room = EXAMPLES_MAX - items.examples.length
      const added = examples.slice(0, room).map((text) => text.slice(0, EXAMPLE_MAX).toWellFormed())
      skipped.set(keyOf(kind, reason), {
        ...items,
        count: items.count + number,
        examples: [...items.examples, ...added],
      })
    },

    progress(nowDone: number, ofTotal: number | undefined): void {
      done = nowDone
      total = ofTotal
    },

    source(found: string): void {
      source = found
    },

    report: (): ImportReport => ({
      counts: Object.fromEntries(counts),
      skipped: [...skipped.values()],
      ...{ done, total, source, starts, device },
    }),
  }
}

function keyOf(kind: CountedKind, reason: string): string {
  return `${kind} ${reason}`
}
