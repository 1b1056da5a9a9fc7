import { ApiError } from '../../api/client.ts'
import type { Report } from './sitting.ts'

export interface OutboxParts {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>
  /** The present account; undefined while nobody is signed in. */
  readonly account: () => string | undefined
  /** The beginning of the names under which the reports of an account are stored. */
  readonly prefixOf: (account: string) => string
  /**
   * Sends reports of an account to the server. Resolves to those that it refuses and would refuse again; rejects, with
   * `ApiError` if the server has answered so.
   */
  readonly send: (account: string, reports: readonly Report[], isLast: boolean) => Promise<readonly Report[]>
  /** Tells the user what the server refuses for good. */
  readonly onRefused: (reports: readonly Report[]) => void
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  /** What tells this tab from the others of the browser. */
  readonly tab: string
}

/** Reports in one request. */
const AT_ONCE = 100
/** Bytes of the last request: browsers let requests that outlive their page have 64 KiB in all, with more around them. */
const LAST_BYTES = 40_000
/** Reports that are kept while there is no server, which is a day of listening. */
const KEPT = 2000
/** Milliseconds after which a draft is of a tab that has ended without a word: one that plays renews it all the time. */
export const ABANDONED = 20_000

/** Errors after which the server would refuse the same request for ever. */
const FINAL: readonly string[] = ['validation_failed', 'payload_too_large']

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Reports on their way to the server. They are stored, each account's own, until the server has them, so that they
 * outlive the page and the lack of a network. Each has an entry of its own in the storage, so that tabs that write at the
 * same time overwrite nothing. A report that is sent twice is stored once by the server.
 */
export function createOutbox({ storage, account, prefixOf, send, onRefused, now, tab }: OutboxParts) {
  let running: Promise<void> | undefined

  const reportsOf = (name: string) => `${prefixOf(name)} at `
  const draftsOf = (name: string) => `${prefixOf(name)} draft `
  const draftKey = (name: string) => draftsOf(name) + tab
  const reportKey = (name: string, { timestamp, started, position, podcast, episode }: Report) =>
    `${reportsOf(name)}${timestamp} ${started} ${position} ${podcast} ${episode}`

  /** The names of entries that begin like this. */
  function keysOf(prefix: string): string[] {
    const keys = Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '')
    return keys.filter((key) => key.startsWith(prefix))
  }

  function read(key: string): Report | undefined {
    try {
      return JSON.parse(storage.getItem(key) ?? '') as Report
    } catch {
      // Nothing that this page could have written; it would be in the way for ever.
      storage.removeItem(key)
      return undefined
    }
  }

  /** Oldest first. */
  function readAll(prefix: string): Report[] {
    const reports = keysOf(prefix).flatMap((key) => read(key) ?? [])
    return reports.sort(
      (one, other) => Number(one.timestamp > other.timestamp) - Number(one.timestamp < other.timestamp),
    )
  }

  const waiting = (name: string) => readAll(reportsOf(name))

  function store(name: string, report: Report): void {
    const excess = keysOf(reportsOf(name)).length + 1 - KEPT
    if (excess > 0) for (const oldest of waiting(name).slice(0, excess)) storage.removeItem(reportKey(name, oldest))
    storage.setItem(reportKey(name, report), JSON.stringify(report))
  }

  /** Turns drafts of other tabs that are at least `age` milliseconds old into reports. */
  function adoptDrafts(name: string, age: number): void {
    for (const key of keysOf(draftsOf(name))) {
      const draft = key === draftKey(name) ? undefined : read(key)
      if (!draft || Math.abs(now() - Date.parse(`${draft.timestamp}Z`)) < age) continue
      storage.removeItem(key)
      store(name, draft)
    }
  }

  /**
   * Sends reports, and removes what was sent. Where the server refuses them without saying which it means, they are sent
   * in smaller and smaller parts until it is alone. Returns whether to go on.
   */
  async function sendSome(name: string, reports: readonly Report[]): Promise<boolean> {
    let refused: readonly Report[]
    try {
      refused = await send(name, reports, false)
    } catch (error) {
      // Anything else may be better later: the network, the server, the session.
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
      if (!(await sendSome(name, next.slice(0, AT_ONCE)))) return
  }

  async function flush(): Promise<void> {
    // Another user may have signed in while earlier reports were sent.
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
     * Keeps what would be reported if this tab ended now, in place of what was kept before; undefined if that is nothing.
     * Only when the tab has gone it becomes a report.
     */
    keep(draft: Report | undefined): void {
      const name = account()
      if (name === undefined) return
      if (draft) storage.setItem(draftKey(name), JSON.stringify(draft))
      else storage.removeItem(draftKey(name))
    },

    /** Sends all that is stored. Never rejects: what cannot be sent stays. */
    flush,

    /**
     * Sends all that is stored, and what other tabs have not reported yet. Resolves to whether the server has it all.
     * Never rejects.
     */
    async finish(): Promise<boolean> {
      const name = account()
      if (name === undefined) return true
      adoptDrafts(name, 0)
      await flush()
      return waiting(name).length === 0
    },

    /**
     * Sends the latest reports when the page is about to go. Nobody may be there for the answer, so they stay stored, and are
     * sent again by the next page.
     */
    flushLast(): void {
      const name = account()
      if (name === undefined) return
      const latest: Report[] = []
      let bytes = 0
      for (const report of waiting(name).slice(-AT_ONCE).reverse()) {
        bytes += new TextEncoder().encode(JSON.stringify(report)).length
        if (bytes > LAST_BYTES) break
        latest.unshift(report)
      }
      if (latest.length > 0) void send(name, latest, true).catch(() => undefined)
    },

    /** The latest report on an episode that the server does not have yet. */
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
