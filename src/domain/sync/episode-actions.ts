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
  /** Number of items received, well-formed or not. */
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
    /** Actions since `since` by event time, then upload order, read lazily (docs/protocol.md#fetching-actions). */
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
     * `validation_failed` if every item is malformed, `payload_too_large`, and errors from reading the pieces. `device`
     * overrides the device of each item. Several pieces are read twice, once to validate and once to store, because the
     * actions of the largest uploads would take 40 MB.
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

/** A malformed item, as reported in the response. */
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

/** Keys that are read, of any type; all others are ignored. */
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

/** Otherwise the response to millions of tiny malformed items would be fifty times the size of the request. */
const MAX_REPORTED = 1000

/** A longer guid is a mistake, not an identifier. */
const MAX_GUID = 2048

/**
 * Plans what to store of an upload (docs/protocol.md#uploading-actions). Malformed items are left out and reported,
 * items without a usable URL are skipped and their URLs reported; the rest keeps its order. `now` is the time of items
 * without a timestamp. `device` overrides the device of each item.
 */
export function createActionPlanner(now: number, device?: string) {
  const urls = createUrlRewriter()
  const rejected: RejectedItem[] = []
  const devices = new Set<string>()
  let count = 0
  let malformed = 0

  const summary = (): ReadUpload => ({ updateUrls: urls.updateUrls(), rejected, devices: [...devices] })

  return {
    /** Returns the actions of the next items. Throws `payload_too_large` beyond `ACTIONS_PER_REQUEST` items. */
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
    /** Number of items read so far. */
    count: () => count,

    /** Returns `summary()`. Throws `validation_failed` if items were read and every one is malformed. */
    finish(): ReadUpload {
      const [first] = rejected
      if (first && malformed === count)
        throw new DomainError('validation_failed', `no item is a valid episode action; the first: ${first.message}`)
      return summary()
    },
  }
}

/** Plans one list. Throws only `payload_too_large`, for more than `ACTIONS_PER_REQUEST` items. */
export function planActions(items: readonly unknown[], now: number, device: string | undefined): ActionPlan {
  const planner = createActionPlanner(now, device)
  return { actions: planner.read(items), ...planner.summary() }
}

/** Returns undefined for an item without a usable URL. Throws `validation_failed` for a malformed item. */
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
  const kind = KINDS.find((candidate) => candidate === word)
  if (kind === undefined) throw invalid('action', `action must be one of ${KINDS.join(', ')}`)
  return kind
}

/** Clients send null or '' for an unknown device. */
function readDevice(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw invalid('device', 'device must be a string')
  return parseDeviceId(value)
}

/** Drops an unusable guid rather than reject its action. A guid is never cut, since it would name something else. */
export function readGuid(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > MAX_GUID) return undefined
  return value.toWellFormed()
}

function readUrl(value: unknown, urls: UrlRewriter): string | undefined {
  return typeof value === 'string' ? urls.rewrite(value) : undefined
}

/** Without a position, the other two mean nothing, and mygpoclient rejects them in downloads (docs/protocol.md#D43). */
function readProgress(item: UploadedItem) {
  const started = parseSeconds(item.started, 'started')
  const position = parseSeconds(item.position, 'position')
  const total = parseSeconds(item.total, 'total')
  if (position === undefined) return undefined
  // cliamp sends a Unix time as the start, and AntennaPod ignores a position without one (docs/protocol.md#D87).
  const isOdd = started !== undefined && (started > position || (total !== undefined && started > total))
  return { started: isOdd ? position : started, position, total }
}

/** Playback progress reported by an action. */
type Progress = Pick<EpisodeAction, 'kind' | 'started' | 'position' | 'total'>

/** Whether the action reports that the episode was played to its end. */
export function isFinished({ kind, position = 0, total = 0 }: Omit<Progress, 'started'>): boolean {
  return kind === 'play' && total > 0 && position >= total
}

/** A user's progress in an episode, according to its latest state (docs/protocol.md#D45). */
export type ListenState = 'new' | 'in_progress' | 'played'

/**
 * An episode is in progress if its latest state is a play at a position after its beginning (docs/protocol.md#D90).
 * gPodder reports plays in external players without a position. They count as played, since playback cannot resume.
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
 * Parses a position or length in whole seconds (docs/protocol.md#D43). Missing, null, blank and negative values
 * (AntennaPod's -1) are undefined; decimals are rounded down. Throws `validation_failed` on `field` for other types,
 * unreadable text and unsafe integers.
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
