import { ApiError } from '../../api/client.ts'
import type { Report } from './sitting.ts'

export interface OutboxParts {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
  /** Returns the name of the signed-in user, if any. */
  readonly account: () => string | undefined
  /** Returns the prefix of an account's storage keys. */
  readonly prefixOf: (account: string) => string
  /**
   * Sends an account's reports to the server. Resolves to those that were permanently rejected. Rejects with `ApiError`
   * if the whole request fails.
   */
  readonly send: (account: string, reports: readonly Report[], isLast: boolean) => Promise<readonly Report[]>
  /** Tells the user about permanently rejected reports. */
  readonly onRefused: (reports: readonly Report[]) => void
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** Unique ID of this tab within the browser. */
  readonly tab: string
}

/** Maximum number of reports in one request. */
const REPORTS_PER_REQUEST = 100
/** Bytes of reports in the last request. Browsers limit keepalive bodies to 64 KiB in total, envelope included. */
const LAST_BYTES = 40_000
/** Maximum number of stored reports: about a day of listening while offline. */
const STORED_MAX = 2000
/** Age in milliseconds at which a draft counts as abandoned: a tab that is playing renews its draft continually. */
export const ABANDONED = 20_000

/** Error codes for which a retry of the same request cannot succeed. */
const FINAL: readonly string[] = ['validation_failed', 'payload_too_large']

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Stores reports per account until the server has them, so that they survive a reload and time without a network. Each
 * report has its own storage entry, so concurrent tabs do not overwrite each other. The server ignores duplicates.
 */
export function createOutbox({ storage, account, prefixOf, send, onRefused, now, tab }: OutboxParts) {
  let running: Promise<void> | undefined

  const reportsOf = (name: string) => `${prefixOf(name)} at `
  const draftsOf = (name: string) => `${prefixOf(name)} draft `
  const draftKey = (name: string) => draftsOf(name) + tab
  const reportKey = (name: string, { timestamp, started, position, podcast, episode }: Report) =>
    `${reportsOf(name)}${timestamp} ${started} ${position} ${podcast} ${episode}`

  function keysOf(prefix: string): string[] {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
    return keys.filter((key) => key.startsWith(prefix))
  }

  function read(key: string): Report | undefined {
    try {
      return JSON.parse(storage.getItem(key) ?? '') as Report
    } catch {
      // This client did not write the entry; remove it so that it does not block the others.
      storage.removeItem(key)
      return undefined
    }
  }

  /** Returns the stored reports, oldest first. */
  function readAll(prefix: string): Report[] {
    const reports = keysOf(prefix).flatMap((key) => read(key) ?? [])
    return reports.sort(
      (one, other) => Number(one.timestamp > other.timestamp) - Number(one.timestamp < other.timestamp),
    )
  }

  const waiting = (name: string) => readAll(reportsOf(name))

  function store(name: string, report: Report): void {
    const excess = keysOf(reportsOf(name)).length + 1 - STORED_MAX
    if (excess > 0) for (const oldest of waiting(name).slice(0, excess)) storage.removeItem(reportKey(name, oldest))
    storage.setItem(reportKey(name, report), JSON.stringify(report))
  }

  /** Turns other tabs' drafts that are at least `age` milliseconds old into reports. */
  function adoptDrafts(name: string, age: number): void {
    for (const key of keysOf(draftsOf(name))) {
      const draft = key === draftKey(name) ? undefined : read(key)
      if (!draft || Math.abs(now() - Date.parse(`${draft.timestamp}Z`)) < age) continue
      storage.removeItem(key)
      store(name, draft)
    }
  }

  /**
   * Sends reports and removes them from storage. If the server rejects the whole request, bisects it to isolate the
   * report at fault. Returns whether to continue.
   */
  async function sendSome(name: string, reports: readonly Report[]): Promise<boolean> {
    let refused: readonly Report[]
    try {
      refused = await send(name, reports, false)
    } catch (error) {
      // Other errors (network, server, session) may be temporary.
      if (!isFinal(error) || account() !== name) return false
      const half = Math.ceil(reports.length / 2)
      if (reports.length > 1)
        return (await sendSome(name, reports.slice(0, half))) && (await sendSome(name, reports.slice(half)))
      refused = reports
    }
    for (const report of reports) storage.removeItem(reportKey(name, report))
    if (account() !== name) return false
    if (refused.length > 0) onRefused(refused)
    return true
  }

  async function sendAll(): Promise<void> {
    const name = account()
    if (name === undefined) return
    adoptDrafts(name, ABANDONED)
    for (let next = waiting(name); next.length > 0; next = waiting(name))
      if (!(await sendSome(name, next.slice(0, REPORTS_PER_REQUEST)))) return
  }

  async function flush(): Promise<void> {
    // Another user may have signed in during an earlier flush.
    const name = account()
    if (running) await running
    if (account() !== name) return
    running ??= sendAll().finally(() => {
      running = undefined
    })
    await running
  }

  return {
    add(report: Report): void {
      const name = account()
      if (name !== undefined) store(name, report)
    },

    /**
     * Replaces this tab's draft: the report to make if the tab ends now. `undefined` removes it. Another tab turns it
     * into a report once it is abandoned.
     */
    keep(draft: Report | undefined): void {
      const name = account()
      if (name === undefined) return
      if (draft) storage.setItem(draftKey(name), JSON.stringify(draft))
      else storage.removeItem(draftKey(name))
    },

    /** Sends all stored reports. Never rejects: unsent reports stay stored. */
    flush,

    /**
     * Sends all stored reports and the drafts of other tabs. Resolves to whether the server has everything. Never
     * rejects.
     */
    async finish(): Promise<boolean> {
      const name = account()
      if (name === undefined) return true
      adoptDrafts(name, 0)
      await flush()
      return waiting(name).length === 0
    },

    /**
     * Sends the latest reports before the page is unloaded. It may be gone before the answer arrives, so they stay
     * stored and the next page sends them again.
     */
    flushLast(): void {
      const name = account()
      if (name === undefined) return
      const latest: Report[] = []
      let bytes = 0
      for (const report of waiting(name).slice(-REPORTS_PER_REQUEST).reverse()) {
        bytes += new TextEncoder().encode(JSON.stringify(report)).length
        if (bytes > LAST_BYTES) break
        latest.unshift(report)
      }
      if (latest.length > 0) void send(name, latest, true).catch(() => undefined)
    },

    /** Returns the latest unsent report or draft for an episode. */
    latest(podcast: string, episode: string): Report | undefined {
      const name = account()
      if (name === undefined) return undefined
      return readAll(`${prefixOf(name)} `).findLast(
        (report) => report.podcast === podcast && report.episode === episode,
      )
    },
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof ApiError && (FINAL.includes(error.code) || error.status === 413)
}
