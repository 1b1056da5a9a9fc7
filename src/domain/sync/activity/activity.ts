import type { Background } from '../../../platform/background.ts'
import type { Clock } from '../../../platform/clock.ts'
import { clientLabel } from '../../accounts/sessions.ts'
import { type ErrorCode, isUnavailable, unlessUnavailable } from '../../shared/errors.ts'
import type { UserId } from '../../shared/ids.ts'
import {
  absorb,
  isOneRow,
  isSameKey,
  KEPT_SECONDS,
  type Mutable,
  mergeActivity,
  PAUSE_SECONDS,
  pageOfActivity,
  ROW_SECONDS,
  roomOf,
} from './fold.ts'
import type { Activity, ActivityKind, ActivityStore, UserActivity } from './ports.ts'

export interface ActiveApp {
  readonly userId: UserId
  readonly userAgent: string
  readonly isBrowser: boolean
}

export interface NotedActivity {
  readonly kind: ActivityKind
  readonly reason?: ErrorCode
  readonly device?: string | undefined
  readonly added?: number
  readonly removed?: number
  readonly items?: number
}

export interface ListedActivity extends Activity {
  readonly caption: string
}

/**
 * Rows waiting to be saved. Enough for a few thousand users in the five minutes between two saves. Refusals have a
 * separate limit, so that password guessing does not push out other rows.
 */
const WAITING_MAX = { refused: 500, other: 10_000 }
/** Waiting rows per user. Beyond this limit, rows no longer tell devices and apps apart. */
const WAITING_PER_USER = { refused: 20, other: 100 }

const LABELS_MAX = 500
const USER_AGENT_MAX = 200

const SAVED_AT_ONCE = 100
const REMOVED_AT_ONCE = 500

interface WaitingActivity extends Mutable<UserActivity> {
  /** The last User-Agent of `app`, by which the row is found; undefined if the row stands for several apps. */
  userAgent: string | undefined
}

interface Waiting {
  readonly byUser: Map<UserId, WaitingActivity[]>
  readonly counts: { refused: number; other: number }
}

const noActivity = (): Waiting => ({ byUser: new Map(), counts: { refused: 0, other: 0 } })

export type ActivityLog = ReturnType<typeof createActivityLog>

/** Activity of apps (docs/protocol.md#activity), saved every few minutes: a crash loses the last ones. */
export function createActivityLog(store: ActivityStore, clock: Clock, background: Background) {
  const labels = new Map<string, string | undefined>()
  let waiting = noActivity()
  let beingSaved: readonly WaitingActivity[] = []
  let saving: Promise<void> | undefined

  function labelOf(userAgent: string): string | undefined {
    const cached = labels.get(userAgent)
    if (cached !== undefined || labels.has(userAgent)) return cached
    if (labels.size >= LABELS_MAX) labels.clear()
    const label = clientLabel(userAgent)
    labels.set(userAgent, label)
    return label
  }

  function keep(row: WaitingActivity): void {
    const { byUser, counts } = waiting
    const own = byUser.get(row.userId) ?? []
    const existing = own.findLast((other) => isSameKey(other, row))
    if (existing && isOneRow(existing, row)) {
      absorb(existing, row)
      existing.userAgent = row.userAgent
      return
    }
    const room = roomOf(row.kind)
    const isKnownByName = row.app !== undefined || row.device !== undefined
    if (isKnownByName && own.filter(({ kind }) => roomOf(kind) === room).length >= WAITING_PER_USER[room]) {
      keep({ ...row, app: undefined, device: undefined, userAgent: undefined })
      return
    }
    if (counts[room] >= WAITING_MAX[room]) return
    own.push(row)
    byUser.set(row.userId, own)
    counts[room]++
    if (counts[room] === WAITING_MAX[room]) background.run(save)
  }

  async function saveWaiting(): Promise<void> {
    beingSaved = [...waiting.byUser.values()].flat()
    waiting = noActivity()
    try {
      while (beingSaved.length > 0) {
        await store.save(beingSaved.slice(0, SAVED_AT_ONCE))
        beingSaved = beingSaved.slice(SAVED_AT_ONCE)
      }
    } catch (error) {
      if (!isUnavailable(error)) throw error
      const newer = waiting
      waiting = noActivity()
      for (const row of beingSaved) keep(row)
      for (const rows of newer.byUser.values()) rows.forEach(keep)
    } finally {
      beingSaved = []
    }
  }

  function save(): Promise<void> {
    saving ??= saveWaiting().finally(() => {
      saving = undefined
    })
    return saving
  }

  function waitingOf(userId: UserId): Activity[] {
    return [...beingSaved.filter((row) => row.userId === userId), ...(waiting.byUser.get(userId) ?? [])]
  }

  const clean = (): Promise<void> => unlessUnavailable(removeOld(store, clock.seconds() - KEPT_SECONDS))

  return {
    /** Called for every poll: continuing a waiting row only counts, and allocates no row or text. */
    note(app: ActiveApp, noted: NotedActivity): void {
      const { userId, userAgent, isBrowser } = app
      const at = clock.seconds()
      const own = waiting.byUser.get(userId)
      if (own && continueRow(own, app, noted, at)) return
      const isLong = userAgent.length > USER_AGENT_MAX
      keep({
        userId,
        kind: noted.kind,
        reason: noted.reason,
        device: noted.device,
        app: labelOf(isLong ? userAgent.slice(0, USER_AGENT_MAX) : userAgent),
        isBrowser,
        firstAt: at,
        lastAt: at,
        count: 1,
        added: noted.added ?? 0,
        removed: noted.removed ?? 0,
        items: noted.items ?? 0,
        // A slice would keep the whole text in memory.
        userAgent: isLong ? undefined : userAgent,
      })
    },

    /** Newest first, including unsaved rows; `next` is the `before` of the next page, in Unix seconds. */
    async list(
      userId: UserId,
      before: number | undefined,
    ): Promise<{ readonly items: ListedActivity[]; readonly next: number | undefined }> {
      const since = clock.seconds() - KEPT_SECONDS
      // Read first, so that rows saved in the meantime are not missing.
      const own = waitingOf(userId)
      const { rows, captions, namesApps } = await store.list(userId, since)
      const merged = mergeActivity(namesApps ? rows : withoutApps(rows), namesApps ? own : withoutApps(own), since)
      const { items, next } = pageOfActivity(merged, before)
      return {
        items: items.map((row) => ({ ...row, caption: (row.device && captions.get(row.device)) ?? '' })),
        next,
      }
    },

    save,

    clean,

    jobs: [
      { name: 'activity', pattern: '*/5 * * * *', run: save },
      { name: 'old activity', pattern: '37 * * * *', run: clean },
    ],

    stop: (): void => background.run(save),
  }
}

/** Continues a waiting row of the same User-Agent, if there is one; `keep` handles all other cases. */
function continueRow(
  own: readonly WaitingActivity[],
  { userAgent, isBrowser }: ActiveApp,
  { kind, reason, device, added, removed, items }: NotedActivity,
  at: number,
): boolean {
  const row = own.findLast(
    (other) =>
      other.kind === kind &&
      other.device === device &&
      other.userAgent === userAgent &&
      other.reason === reason &&
      other.isBrowser === isBrowser,
  )
  if (!row || at < row.lastAt || at - row.lastAt > PAUSE_SECONDS || at - row.firstAt > ROW_SECONDS) return false
  row.lastAt = at
  row.count++
  row.added += added ?? 0
  row.removed += removed ?? 0
  row.items += items ?? 0
  return true
}

function withoutApps(rows: readonly Activity[]): Activity[] {
  return rows.map((row) => ({ ...row, app: undefined }))
}

async function removeOld(store: ActivityStore, before: number): Promise<void> {
  while ((await store.removeOld(before, REMOVED_AT_ONCE)) === REMOVED_AT_ONCE);
}
