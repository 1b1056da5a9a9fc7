import { statSync } from 'node:fs'
import { DomainError } from '../../domain/shared/errors.ts'
import { parseExactly } from '../../domain/shared/exact-json.ts'
import { LISTED_FEEDS_PER_USER } from '../../domain/shared/limits.ts'
import { ARCHIVE_FORMAT, ARCHIVE_VERSION } from '../../domain/sync/export.ts'
import {
  type ImportRecord,
  type ImportSource,
  ITEMS_PER_RECORD,
  type SourcedRecord,
} from '../../domain/transfer/records.ts'
import { SETTINGS_JSON_LIMITS } from '../settings-record.ts'
import { COUNTED, DAMAGED, isType, readBatch, textOf, timeOf } from './archive-items.ts'
import { type JsonLeaf, type JsonPath, readJsonLeaves, VALUE_LIMITS, type ValueLimits } from './json-stream.ts'
import { readPieces } from './pieces.ts'

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
  'folders',
  'queue',
  'podcast_lists',
  'chapters',
  'titles',
  'episode_actions',
])

const LISTS: ReadonlySet<string> = new Set([...ENTERED].filter((path) => path !== '' && path !== 'devices/*'))

/** Bytes between two progress records. */
const PROGRESS_BYTES = 4 * 1024 * 1024

const BATCH_CHARACTERS = 256 * 1024

const LEAVES_MAX = 10_000_000
const SINGLES_MAX = 1_000_000

const BATCHED: ReadonlySet<string> = new Set([
  ...['subscriptions', 'unsubscribed', 'replaced_addresses'].map((list) => `devices/*/${list}/*`),
  ...['queue/*', 'chapters/*', 'episode_actions/*'],
])

const LIST_LIMITS: ValueLimits = { bytes: 4 * 1024 * 1024, values: 2 * LISTED_FEEDS_PER_USER }
const MEMBER_LIMITS: ValueLimits = { bytes: 8 * 1024, values: 1 }

const DEVICE_MEMBERS: ReadonlySet<string> = new Set(
  ['id', 'caption', 'type', 'last_contact'].map((name) => `devices/*/${name}`),
)

function limitsOf(path: JsonPath): ValueLimits {
  const place = placeOf(path)
  if (place === 'podcast_lists/*' || place === 'folders/*') return LIST_LIMITS
  if (place === 'settings/*') return SETTINGS_JSON_LIMITS
  return DEVICE_MEMBERS.has(place) ? MEMBER_LIMITS : VALUE_LIMITS
}

function placeOf(path: JsonPath): string {
  return path.map((name) => (name === null ? '*' : /[*/]/.test(name) ? '?' : name)).join('/')
}

const HEAD = /^\ufeff?\s*\{\s*"format"\s*:\s*"podstep account"\s*(?:,\s*"version"\s*:\s*(\d{1,9}))?/

/** Whether a file that starts like this is an archive. Throws `validation_failed` if its version is too new. */
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
      : 'this archive has no version',
  )
}

/** Opens a podstep archive (docs/moving.md#the-archive). Reads it twice, so that a damaged one changes nothing. */
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

const isEntered = (path: JsonPath) => ENTERED.has(placeOf(path))
const isDeviceMember = (path: JsonPath) => DEVICE_MEMBERS.has(placeOf(path))

/** Reads the whole archive. Throws `validation_failed` or `invalid_json`. */
async function check(path: string, signal: AbortSignal): Promise<void> {
  let leaves = 0
  let singles = 0
  let hasVersion = false
  for await (const leaf of readJsonLeaves(readPieces(path), { isEntered, limitsOf })) {
    signal.throwIfAborted()
    const value = leaf.text === '' || leaf.text === undefined ? undefined : parse(leaf, leaf.text, JSON.parse)
    const [first = ''] = leaf.path
    if (leaves === 0 && (first !== 'format' || value !== ARCHIVE_FORMAT))
      throw new DomainError('validation_failed', 'this is not an archive of a podstep account')
    if (leaves === 1) {
      checkVersion(first === 'version' ? value : undefined)
      hasVersion = true
    }
    const list = leaf.path.at(-1) === null ? '' : listAt(leaf.path)
    if (list !== '') throw new DomainError('validation_failed', `this archive is damaged: ${list} is not a list`)
    leaves++
    if (!BATCHED.has(placeOf(leaf.path))) singles++
    if (leaves > LEAVES_MAX || singles > SINGLES_MAX)
      throw new DomainError('validation_failed', 'this archive contains more than any account has')
  }
  if (!hasVersion) checkVersion(undefined)
}

function listAt(path: JsonPath): string {
  return [path, path.slice(0, -1)].map(placeOf).find((each) => LISTS.has(each)) ?? ''
}

function parse({ end }: JsonLeaf, text: string, read: (text: string) => unknown): unknown {
  try {
    return read(text)
  } catch {
    throw new DomainError('invalid_json', `the file is damaged: the text before byte ${end} is not JSON`)
  }
}

async function* read(path: string, skipUntil: number, signal: AbortSignal): AsyncGenerator<SourcedRecord> {
  const total = statSync(path).size
  const device = createDeviceReader()
  let batch: Batch | undefined
  let reported = 0
  const options = { isEntered, limitsOf, skipUntil, isNeeded: isDeviceMember }
  for await (const leaf of readJsonLeaves(readPieces(path), options)) {
    signal.throwIfAborted()
    const where = placeOf(leaf.path)
    if (
      batch &&
      (batch.where !== where || batch.items.length === ITEMS_PER_RECORD || batch.length > BATCH_CHARACTERS)
    ) {
      yield* recordsOf(batch)
      batch = undefined
    }
    if (leaf.end - reported > PROGRESS_BYTES) {
      reported = leaf.end
      yield { record: { kind: 'progress', done: reported, total } }
    }
    const kind = COUNTED.get(where)
    const isNew = leaf.end > skipUntil
    if (where === 'devices/*') {
      const record = device.begin()
      if (record && isNew) yield { record }
    } else if (isDeviceMember(leaf.path)) device.read(leaf)
    else if (kind && !isNew) device.noteTold()
    else if (kind && leaf.text === undefined) yield { record: { kind: 'skipped', what: kind, reason: 'too long' } }
    else if (kind && leaf.text !== undefined) {
      const record = device.take()
      if (record) yield { record }
      batch ??= { where, device: device.id(), items: [], length: 0, end: 0 }
      // Settings keep numbers exactly as written.
      batch.items.push(parse(leaf, leaf.text, where === 'settings/*' ? parseExactly : JSON.parse))
      batch.length += leaf.text.length
      batch.end = leaf.end
    }
  }
  if (batch) yield* recordsOf(batch)
  const last = device.take()
  if (last) yield { record: last }
  yield { record: { kind: 'progress', done: total, total } }
}

function createDeviceReader() {
  let members: Map<string, unknown> | undefined
  let isEmitted = true

  function take(): ImportRecord | undefined {
    if (isEmitted || !members) return undefined
    isEmitted = true
    const [id, caption, type, lastSeen] = ['id', 'caption', 'type', 'last_contact'].map((name) => members?.get(name))
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
    take,
    begin(): ImportRecord | undefined {
      const before = take()
      members = new Map()
      isEmitted = false
      return before
    },
    read(leaf: JsonLeaf): void {
      if (leaf.text !== undefined) members?.set(leaf.path.at(-1) ?? '', parse(leaf, leaf.text, JSON.parse))
    },
    noteTold(): void {
      isEmitted = true
    },
    id: () => textOf(members?.get('id')),
  }
}

interface Batch {
  readonly where: string
  readonly device: string | undefined
  readonly items: unknown[]
  length: number
  end: number
}

function* recordsOf({ where, device, items, end }: Batch): Generator<SourcedRecord> {
  const records = [...readBatch(where, device, items)]
  const last = records.pop()
  for (const record of records) yield { record }
  if (last) yield { record: last, cursor: String(end) }
}
