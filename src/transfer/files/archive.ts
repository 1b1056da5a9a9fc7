import { statSync } from 'node:fs'
import { DomainError } from '../../domain/shared/errors.ts'
import { parseExactly } from '../../domain/shared/exact-json.ts'
import { ARCHIVE_FORMAT, ARCHIVE_VERSION } from '../../domain/sync/export.ts'
import {
  type ImportRecord,
  type ImportSource,
  ITEMS_PER_RECORD,
  type SourcedRecord,
} from '../../domain/transfer/records.ts'
import { COUNTED, DAMAGED, isType, readBatch, textOf, timeOf } from './archive-items.ts'
import { type JsonLeaf, type JsonPath, readJsonLeaves } from './json-stream.ts'
import { readPieces } from './pieces.ts'

/** Parts of an archive whose items come one by one. */
const ENTERED: ReadonlySet<string> = new Set([
  '',
  'devices',
  'devices/*',
  'devices/*/subscriptions',
  'devices/*/unsubscribed',
  'devices/*/replaced_addresses',
  'sync_groups',
  'settings',
  'favorites',
  'podcast_lists',
  'chapters',
  'titles',
  'episode_actions',
  'heard',
])

/** Those that are lists. */
const LISTS: ReadonlySet<string> = new Set([...ENTERED].filter((path) => path !== '' && path !== 'devices/*'))

/** Bytes between two words about how far it is. */
const PROGRESS_BYTES = 4 * 1024 * 1024

/**
 * Characters of one item, and of items that are told together: both are passed to the thread that serves everybody. A list
 * of podcasts may be longer, since it is known by then how many it has.
 */
const ITEM_MAX = 1024 * 1024

const HEAD = /^\ufeff?\s*\{\s*"format"\s*:\s*"podstep account"\s*(?:,\s*"version"\s*:\s*(\d{1,9}))?/

/** Whether this is the beginning of an archive. Throws `validation_failed` for one of a later version. */
export function isArchive(head: string): boolean {
  const match = HEAD.exec(head)
  if (match?.[1] !== undefined) checkVersion(Number(match[1]))
  return match !== null
}

function checkVersion(version: unknown): void {
  if (typeof version === 'number' && Number.isInteger(version) && version >= 1 && version <= ARCHIVE_VERSION) return
  const isLater = typeof version === 'number' && version > ARCHIVE_VERSION
  throw new DomainError(
    'validation_failed',
    isLater
      ? `this archive has version ${version}, of a later podstep; this server reads archives up to version ${ARCHIVE_VERSION}: update it first`
      : 'this archive does not say which version it has',
  )
}

/**
 * An archive of ours (docs/moving.md#the-archive). It is read twice, so that a damaged one is refused before anything of
 * it has been imported. Cursors are the bytes that have been read.
 */
export function openArchive(path: string, name: string): ImportSource {
  return {
    name,
    async *records(resumeFrom, signal) {
      const skipUntil = Number(resumeFrom ?? 0)
      if (skipUntil === 0) await check(path, signal)
      yield* read(path, skipUntil, signal)
    },
  }
}

const isEntered = (path: JsonPath) => ENTERED.has(path.join('/'))

/** Throws `validation_failed` or `invalid_json` for what cannot be read to its end. */
async function check(path: string, signal: AbortSignal): Promise<void> {
  let parts = 0
  let hasVersion = false
  for await (const leaf of readJsonLeaves(readPieces(path), { isEntered })) {
    signal.throwIfAborted()
    const value = leaf.text === '' || leaf.text === undefined ? undefined : parse(leaf, leaf.text)
    const [first = ''] = leaf.path
    if (parts === 0 && (first !== 'format' || value !== ARCHIVE_FORMAT))
      throw new DomainError('validation_failed', 'this is no archive of a podstep account')
    if (parts === 1) {
      checkVersion(first === 'version' ? value : undefined)
      hasVersion = true
    }
    const list = leaf.path.at(-1) === '*' ? '' : listAt(leaf.path)
    if (list !== '') throw new DomainError('validation_failed', `this archive is damaged: ${list} is no list`)
    parts++
  }
  if (!hasVersion) checkVersion(undefined)
}

/** Of a list of archives that this is, or should be an item of; '' for what is neither. */
function listAt(path: JsonPath): string {
  return [path, path.slice(0, -1)].map((each) => each.join('/')).find((each) => LISTS.has(each)) ?? ''
}

function parse({ end }: JsonLeaf, text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    throw new DomainError('invalid_json', `the file is damaged: what ends at byte ${end} is no JSON`)
  }
}

async function* read(path: string, skipUntil: number, signal: AbortSignal): AsyncGenerator<SourcedRecord> {
  const total = statSync(path).size
  const isNeeded = (at: JsonPath) => at[0] === 'devices' && at.length === 3
  const device = createDeviceReader()
  let batch: Batch | undefined
  let told = 0
  for await (const leaf of readJsonLeaves(readPieces(path), { isEntered, skipUntil, isNeeded })) {
    signal.throwIfAborted()
    const where = leaf.path.join('/')
    if (batch && (batch.where !== where || batch.items.length === ITEMS_PER_RECORD || batch.length > ITEM_MAX)) {
      yield* recordsOf(batch)
      batch = undefined
    }
    if (leaf.end - told > PROGRESS_BYTES) {
      told = leaf.end
      yield { record: { kind: 'progress', done: told, total } }
    }
    const kind = COUNTED[where]
    const isNew = leaf.end > skipUntil
    if (where === 'devices/*') {
      const record = device.begin()
      if (record && isNew) yield { record }
    } else if (isNeeded(leaf.path)) device.read(leaf)
    else if (kind && !isNew) device.noteTold()
    else if (kind && (leaf.text === undefined || isTooLong(where, leaf.text)))
      yield { record: { kind: 'skipped', what: kind, reason: 'too long' } }
    else if (kind && leaf.text !== undefined) {
      const record = device.take()
      if (record) yield { record }
      batch ??= { where, device: device.id(), items: [], length: 0, end: 0 }
      batch.items.push(parse(leaf, leaf.text))
      batch.length += leaf.text.length
      batch.end = leaf.end
    }
  }
  if (batch) yield* recordsOf(batch)
  const last = device.take()
  if (last) yield { record: last }
  yield { record: { kind: 'progress', done: total, total } }
}

function isTooLong(where: string, text: string): boolean {
  return text.length > ITEM_MAX && where !== 'podcast_lists/*'
}

/** What an archive says of one device after the other. */
function createDeviceReader() {
  let members: Record<string, unknown> | undefined
  let isTold = true

  function take(): ImportRecord | undefined {
    if (isTold || !members) return undefined
    isTold = true
    const { id, caption, type, last_contact: lastSeen } = members
    if (typeof id !== 'string') return { kind: 'skipped', what: 'devices', reason: DAMAGED }
    return {
      kind: 'device',
      id,
      caption: textOf(caption),
      type: isType(type) ? type : undefined,
      lastSeenAt: timeOf(lastSeen),
    }
  }

  return {
    /** The device that has been read; undefined if it has been told. */
    take,
    /** Another device; tells the one before it. */
    begin(): ImportRecord | undefined {
      const before = take()
      members = {}
      isTold = false
      return before
    },
    read(leaf: JsonLeaf): void {
      const name = leaf.path[2] ?? ''
      if (members && leaf.text !== undefined && leaf.text.length <= ITEM_MAX) members[name] = parse(leaf, leaf.text)
    },
    /** An earlier run has got further than this device. */
    noteTold(): void {
      isTold = true
    },
    id: () => textOf(members?.['id']),
  }
}

/** Items of one list, in their order. */
interface Batch {
  readonly where: string
  readonly device: string | undefined
  readonly items: unknown[]
  /** Characters of all of them. */
  length: number
  /** Of the byte after the last one. */
  end: number
}

function* recordsOf({ where, device, items, end }: Batch): Generator<SourcedRecord> {
  const records = [...readBatch(where, device, items)]
  const last = records.pop()
  for (const record of records) yield { record }
  if (last) yield { record: last, cursor: String(end) }
}
