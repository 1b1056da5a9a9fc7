import { type Clock, nextTurn } from '../../platform/clock.ts'
import { createSweeper } from '../../platform/garbage.ts'
import { isRecord } from '../../platform/unknown.ts'
import { parseDeviceId } from '../accounts/identifiers.ts'
import { DomainError, invalid } from '../shared/errors.ts'
import { createUrlRewriter, sanitizeUrl, type UrlRewriter } from '../shared/feed-url.ts'
import { ACTIONS_PER_REQUEST, tooManyActions } from '../shared/limits.ts'
import { parseActionTimestamp } from '../shared/time.ts'
import type { Cursors } from './cursors.ts'
import type {
  ActionKind,
  ActionQuery,
  Chunks,
  EpisodeAction,
  EpisodeActionStore,
  WrittenActions,
} from './ports/episode-actions.ts'
import type { SyncClient } from './subscriptions.ts'

export interface Uploaded {
  readonly timestamp: number
  readonly updateUrls: [string, string][]
  readonly rejected: RejectedItem[]
  readonly devices: readonly string[]
  /** Items that came, well-formed or not. */
  readonly count: number
}

export type EpisodeActions = ReturnType<typeof createEpisodeActions>

export function createEpisodeActions(store: EpisodeActionStore, cursors: Cursors, clock: Clock) {
  const streamOf = ({ userId }: SyncClient) => `actions ${userId}`

  async function write(
    syncClient: SyncClient,
    actions: Iterable<EpisodeAction>,
    context: { readonly at: number; readonly isHistory?: boolean },
  ): Promise<WrittenActions & { readonly timestamp: number }> {
    const stream = streamOf(syncClient)
    const seenUntil = cursors.seenUntil(syncClient.client, stream)
    const written = await store.applyUpload(syncClient.userId, actions, { ...context, seenUntil })
    return { ...written, timestamp: cursors.afterUpload(syncClient.client, stream, written, seenUntil) }
  }

  return {
    /** Actions uploaded since, by event time and upload order, read when needed (docs/protocol.md#fetching-actions). */
    async list(
      syncClient: SyncClient,
      query: ActionQuery,
    ): Promise<{ chunks: Chunks<EpisodeAction>; timestamp: number }> {
      // An invalid feed URL matches nothing, so the raw text will do.
      const podcast = query.podcast === undefined ? undefined : (sanitizeUrl(query.podcast) ?? query.podcast)
      const { chunks, clock } = await store.list(syncClient.userId, { ...query, podcast })
      return { chunks, timestamp: cursors.afterFetch(syncClient.client, streamOf(syncClient), clock) }
    },

    /**
     * Stores all well-formed items, which may come in pieces (docs/protocol.md#uploading-actions). Throws
     * `validation_failed` if there are items and all are malformed, `payload_too_large`, and errors from reading the
     * pieces. `device`, if given, overrides the device of each item. Several pieces are read twice, once to validate
     * and once to store, because the actions of the largest uploads would take 40 MB.
     */
    async upload(syncClient: SyncClient, pieces: Iterable<readonly unknown[]>, device?: string): Promise<Uploaded> {
      const now = clock.seconds()
      const planner = createActionPlanner(now, device)
      const sweep = createSweeper()
      let only: readonly EpisodeAction[] | undefined
      let isFirst = true
      for (const items of pieces) {
        if (!isFirst) {
          sweep()
          await nextTurn()
        }
        const actions = planner.read(items)
        only = isFirst ? actions : undefined
        isFirst = false
      }
      const { updateUrls, rejected, devices } = planner.finish()
      const actions = only ?? actionsOf(pieces, createActionPlanner(now, device))
      const { timestamp } = await write(syncClient, actions, { at: now })
      return { timestamp, updateUrls, rejected, devices, count: planner.count() }
    },

    /**
     * Stores an explicit request of the user, which never counts as an app repeating a known state
     * (docs/protocol.md#D86).
     */
    mark: (syncClient: SyncClient, actions: readonly EpisodeAction[]) =>
      write(syncClient, actions, { at: clock.seconds(), isHistory: true }),
  }
}

/** Parses the pieces a second time, lazily. */
function* actionsOf(pieces: Iterable<readonly unknown[]>, planner: ActionPlanner): Generator<EpisodeAction> {
  const sweep = createSweeper()
  for (const items of pieces) {
    yield* planner.read(items)
    sweep()
  }
}

const KINDS: readonly ActionKind[] = ['download', 'play', 'delete', 'new', 'flattr']

/** A malformed item, as the answer names it. */
interface RejectedItem {
  index: number
  error: 'validation_failed'
  message: string
}

/** Results of an upload other than its actions. */
interface ReadUpload {
  readonly updateUrls: [string, string][]
  /** Malformed items; only the first 1000 are listed. */
  readonly rejected: RejectedItem[]
  /** Distinct devices of the actions. */
  readonly devices: readonly string[]
}

export interface ActionPlan extends ReadUpload {
  readonly actions: readonly EpisodeAction[]
}

type ActionPlanner = ReturnType<typeof createActionPlanner>

/** The keys we look at, of any type; others are ignored. */
interface UploadedItem {
  readonly podcast?: unknown
  readonly episode?: unknown
  readonly action?: unknown
  readonly timestamp?: unknown
  readonly device?: unknown
  readonly guid?: unknown
  readonly started?: unknown
  readonly position?: unknown
  readonly total?: unknown
}

/** Keeps the response to a body of millions of tiny malformed items from growing to fifty times its size. */
const MAX_REPORTED = 1000

/** A longer guid is a mistake, not an identifier. */
const MAX_GUID = 2048

/**
 * What to store of an uploaded list (docs/protocol.md#uploading-actions): malformed items are left out and named, items
 * without a usable URL are skipped and their URLs reported, the rest is kept in order. `now` is the time of
 * items without a timestamp. `device` overrides the device of each item.
 */
export function createActionPlanner(now: number, device?: string) {
  const urls = createUrlRewriter()
  const rejected: RejectedItem[] = []
  const devices = new Set<string>()
  let count = 0
  let malformed = 0

  const summary = (): ReadUpload => ({ updateUrls: urls.updateUrls(), rejected, devices: [...devices] })

  return {
    /** The actions of the next items. Throws payload_too_large for more items than one request may hold. */
    read(items: readonly unknown[]): EpisodeAction[] {
      if (count + items.length > ACTIONS_PER_REQUEST) throw tooManyActions()
      const actions: EpisodeAction[] = []
      for (const item of items) {
        const index = count++
        try {
          const action = readAction(item, now, urls, device)
          if (action === undefined) continue
          actions.push(action)
          if (action.device !== undefined) devices.add(action.device)
        } catch (error) {
          if (!(error instanceof DomainError)) throw error
          malformed++
          if (rejected.length < MAX_REPORTED)
            rejected.push({ index, error: 'validation_failed', message: error.message })
        }
      }
      return actions
    },

    summary,
    /** Items so far. */
    count: () => count,

    /** Returns `summary()`. Throws validation_failed if there are items and every one is malformed. */
    finish(): ReadUpload {
      const [first] = rejected
      if (first && malformed === count)
        throw new DomainError('validation_failed', `no item is a valid episode action; the first: ${first.message}`)
      return summary()
    },
  }
}

/**
 * The plan of one list. Throws payload_too_large for more items than one request may hold, and for nothing else.
 */
export function planActions(items: readonly unknown[], now: number, device: string | undefined): ActionPlan {
  const planner = createActionPlanner(now, device)
  return { actions: planner.read(items), ...planner.summary() }
}

/** The action, or undefined if the item lacks a usable URL; throws validation_failed if it is malformed. */
function readAction(
  uploaded: unknown,
  now: number,
  urls: UrlRewriter,
  knownDevice: string | undefined,
): EpisodeAction | undefined {
  if (!isRecord(uploaded)) throw invalid('action', 'an episode action must be an object')
  const item: UploadedItem = uploaded
  // Validate everything else before the URLs: a rejected item must not report rewritten URLs.
  const kind = readKind(item.action)
  const at = parseActionTimestamp(item.timestamp, now)
  const device = knownDevice ?? readDevice(item.device)
  const progress = kind === 'play' ? readProgress(item) : undefined

  const podcast = readUrl(item.podcast, urls)
  const episode = readUrl(item.episode, urls)
  if (podcast === undefined || episode === undefined) return undefined
  return {
    podcast,
    episode,
    kind,
    at,
    device,
    guid: readGuid(item.guid),
    started: progress?.started,
    position: progress?.position,
    total: progress?.total,
  }
}

function readKind(value: unknown): ActionKind {
  const word = typeof value === 'string' ? value.toLowerCase() : undefined
  const kind = KINDS.find((known) => known === word)
  if (kind === undefined) throw invalid('action', `action must be one of ${KINDS.join(', ')}`)
  return kind
}

/** Clients send null or '' for an unknown device. */
function readDevice(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw invalid('device', 'device must be a string')
  return parseDeviceId(value)
}

/**
 * A guid only travels along: an unusable one is forgotten rather than costing the client its action, and never cut,
 * since a cut guid would name something else.
 */
export function readGuid(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > MAX_GUID) return undefined
  return value.toWellFormed()
}

function readUrl(value: unknown, urls: UrlRewriter): string | undefined {
  return typeof value === 'string' ? urls.rewrite(value) : undefined
}

/** docs/protocol.md#D43: without a position the other two mean nothing, and mygpoclient refuses them in a download. */
function readProgress(item: UploadedItem) {
  const said = parseSeconds(item.started, 'started')
  const position = parseSeconds(item.position, 'position')
  const total = parseSeconds(item.total, 'total')
  if (position === undefined) return undefined
  // docs/protocol.md#D87: cliamp sends a Unix time, and AntennaPod takes no position without a start.
  const isOdd = said !== undefined && (said > position || (total !== undefined && said > total))
  return { started: isOdd ? position : said, position, total }
}

/** Playback progress reported by an action. */
type Progress = Pick<EpisodeAction, 'kind' | 'started' | 'position' | 'total'>

/** Whether the action says that the episode has been heard to its end. */
export function isFinished({ kind, position = 0, total = 0 }: Omit<Progress, 'started'>): boolean {
  return kind === 'play' && total > 0 && position >= total
}

/** What a user's latest state of an episode (docs/protocol.md#D45) says of listening to it. */
export type ListenState = 'new' | 'in_progress' | 'played'

/**
 * An episode was begun if its latest state is a play at a position after its beginning (docs/protocol.md#D90). gPodder
 * reports plays in other programs without a position: those were heard, and there is nothing to go on from.
 */
export function listenStateOf(state: Omit<Progress, 'started'> | undefined): ListenState {
  if (state?.kind !== 'play' || state.position === 0) return 'new'
  return state.position === undefined || isFinished(state) ? 'played' : 'in_progress'
}

/**
 * Whether the action only repeats that an episode is finished (docs/protocol.md#D86): a play at the end of an episode
 * whose state is finished, or a mark from a device whose own last play or new was finished. AntennaPod marks episodes of
 * an unknown length with zero of zero.
 */
export function isRepeatedFinish(
  action: Progress,
  isStateFinished: boolean,
  wasLastOfDeviceFinished: () => boolean,
): boolean {
  const { kind, started, position, total } = action
  if (kind !== 'play' || position === undefined || position !== total) return false
  if (started !== undefined && started !== position) return false
  return isStateFinished || (started !== undefined && wasLastOfDeviceFinished())
}

const DECIMAL = /^-?\d+(?:\.\d*)?$/

/** `HH:MM:SS` or `MM:SS`, as API version 1 wrote positions. */
const CLOCK = /^(?:(\d{1,6}):)?(\d{1,6}):(\d\d?)$/

/**
 * A position or length in whole seconds (docs/protocol.md#D43); undefined if absent: missing, null, blank or negative
 * (AntennaPod's -1). Decimals are floored. Throws validation_failed on `field` for other types, unreadable text and
 * unsafe integers.
 */
function parseSeconds(value: unknown, field: string): number | undefined {
  if (value === undefined || value === null) return undefined
  const seconds = typeof value === 'string' ? fromText(value.trim()) : value
  if (seconds === undefined) return undefined
  if (typeof seconds !== 'number') throw badSeconds(field)
  if (seconds < 0) return undefined
  const whole = Math.floor(seconds) + 0 // turns -0 into 0
  if (!Number.isSafeInteger(whole)) throw badSeconds(field)
  return whole
}

/** Returns NaN for unreadable text, which then fails the safe integer check. */
function fromText(text: string): number | undefined {
  if (text === '') return undefined
  if (DECIMAL.test(text)) return Number(text)
  const match = CLOCK.exec(text)
  if (match === null) return Number.NaN
  const [, hours = 0, minutes, seconds] = match
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}

function badSeconds(field: string) {
  return invalid(field, `${field} must be a number of seconds`)
}
