import { FOLDERS_MAX, LISTED_FEEDS_PER_USER } from '../../../domain/shared/limits.ts'
import { actionRecords } from '../../../domain/transfer/action-records.ts'
import {
  type CountedKind,
  type FeedRecord,
  ITEMS_PER_RECORD,
  type SourcedRecord,
} from '../../../domain/transfer/records.ts'
import { exampleStart } from '../../texts.ts'

export interface Playback {
  readonly podcast: string
  readonly episode: string
  readonly guid?: string | undefined
  readonly isPlayed: boolean
  /** Seconds from the beginning; 0 or less if the app has none. */
  readonly position: number
  /** Length in seconds; 0 or less if unknown. */
  readonly total: number
  /** Unix seconds. */
  readonly at: number
}

/** Returns the episode action that the app would report (docs/apps.md); `undefined` for an unplayed episode. */
export function actionOf({ podcast, episode, guid, isPlayed, position, total, at }: Playback, device: string) {
  if (!isPlayed && position <= 0) return undefined
  const action = { podcast, episode, guid, device, action: 'play', timestamp: at }
  if (isPlayed) return total > 0 ? { ...action, started: total, position: total, total } : action
  return { ...action, started: position, position, ...(total > 0 && { total }) }
}

export function createActionBatch() {
  let items: unknown[] = []
  let cursor: string | undefined

  function* flush(): Generator<SourcedRecord> {
    const records = actionRecords(items, 0)
    const last = records.pop()
    for (const record of records) yield { record }
    if (last) yield { record: last, cursor }
    items = []
  }

  return {
    *add(item: unknown, behind?: string): Generator<SourcedRecord> {
      items.push(item)
      cursor = behind
      if (items.length === ITEMS_PER_RECORD) yield* flush()
    },
    flush,
  }
}

export function createFeedBatch(device: string) {
  let feeds: FeedRecord[] = []

  function* flush(): Generator<SourcedRecord> {
    if (feeds.length > 0) yield { record: { kind: 'feeds', device, feeds } }
    feeds = []
  }

  return {
    *add(feed: FeedRecord): Generator<SourcedRecord> {
      feeds.push(feed)
      if (feeds.length === ITEMS_PER_RECORD) yield* flush()
    },
    flush,
  }
}

export function createSkipped() {
  const skipped = new Map<string, { readonly what: CountedKind; count: number; readonly examples: string[] }>()
  return {
    add(what: CountedKind, reason: string, example?: string): void {
      const items = skipped.get(reason) ?? { what, count: 0, examples: [] }
      items.count++
      if (example !== undefined && items.examples.length < 5) items.examples.push(exampleStart(example))
      skipped.set(reason, items)
    },
    *records(): Generator<SourcedRecord> {
      for (const [reason, { what, count, examples }] of skipped)
        yield { record: { kind: 'skipped', what, reason, count, examples } }
    },
  }
}

/** The first plausible time, after 1970 and not in the future; 0 if there is none. */
export function firstTime(now: number, ...times: readonly number[]): number {
  return times.map(Math.floor).find((time) => time > 0 && time <= now) ?? 0
}

export function numberOf(cell: unknown): number {
  return typeof cell === 'number' && Number.isFinite(cell) ? cell : 0
}

export function textOf(cell: unknown): string {
  return typeof cell === 'string' ? cell : ''
}

/** Collects folders that a file names podcast by podcast, up to the limit of an account. */
export function createFolderBatch() {
  const folders = new Map<string, string[]>()
  let count = 0
  return {
    add(name: string, url: string): void {
      const existing = folders.get(name)
      if (count >= LISTED_FEEDS_PER_USER || (!existing && folders.size >= FOLDERS_MAX)) return
      count++
      if (existing) existing.push(url)
      else folders.set(name, [url])
    },
    /** Whether there is exactly one folder, and its name matches. */
    isOnly: (name: RegExp): boolean => folders.size === 1 && [...folders.keys()].every((each) => name.test(each)),
    *records(): Generator<SourcedRecord> {
      for (const [name, podcasts] of folders) yield { record: { kind: 'folder', name, podcasts } }
    },
  }
}
