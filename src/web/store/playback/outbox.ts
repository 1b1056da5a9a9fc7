import { ApiError } from '../../api/client.ts'
import type { Report } from './sitting.ts'

export interface OutboxParts {
  readonly storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  /** The name under which the reports of the present account are stored; undefined while nobody is signed in. */
  readonly key: () => string | undefined
  /** Sends reports to the server; rejects with `ApiError`. */
  readonly send: (reports: readonly Report[], isLast: boolean) => Promise<unknown>
}

/** Reports in one request. A request that outlives its page may have 64 KiB. */
const AT_ONCE = 100
/** Reports that are kept while there is no server, which is a day of listening. */
const KEPT = 2000

/** Errors after which the server would refuse the same reports for ever. */
const FINAL: readonly string[] = ['validation_failed', 'payload_too_large']

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Reports on their way to the server. They are stored, each account's own, until the server has them, so that they
 * outlive the page and the lack of a network. A report that is sent twice is stored once by the server.
 */
export function createOutbox({ storage, key, send }: OutboxParts) {
  let running: Promise<void> | undefined

  function read(): readonly Report[] {
    const name = key()
    const text = name === undefined ? null : storage.getItem(name)
    if (text === null) return []
    try {
      const list: unknown = JSON.parse(text)
      return Array.isArray(list) ? list : []
    } catch {
      return []
    }
  }

  function write(reports: readonly Report[]): void {
    const name = key()
    if (name === undefined) return
    if (reports.length === 0) storage.removeItem(name)
    else storage.setItem(name, JSON.stringify(reports))
  }

  /** Removes what was sent, which another tab may have done as well. */
  function remove(sent: readonly Report[]): void {
    const done = new Set(sent.map((report) => JSON.stringify(report)))
    write(read().filter((report) => !done.has(JSON.stringify(report))))
  }

  async function sendAll(): Promise<void> {
    const name = key()
    for (let next = read().slice(0, AT_ONCE); next.length > 0; next = read().slice(0, AT_ONCE)) {
      try {
        await send(next, false)
      } catch (error) {
        // Anything else may be better later: the network, the server, the session.
        if (!(error instanceof ApiError) || !FINAL.includes(error.code)) return
      }
      // Somebody else has signed in meanwhile.
      if (key() !== name) return
      remove(next)
    }
  }

  return {
    add(report: Report): void {
      write([...read(), report].slice(-KEPT))
    },

    /** Sends all that is stored. Never rejects: what cannot be sent stays. */
    flush(): Promise<void> {
      running ??= sendAll().finally(() => {
        running = undefined
      })
      return running
    },

    /**
     * Sends the latest reports when the page is about to go. Nobody may be there for the answer, so they stay stored, and are
     * sent again by the next page.
     */
    flushLast(): void {
      const latest = read().slice(-AT_ONCE)
      if (latest.length > 0) void send(latest, true).catch(() => undefined)
    },

    /** The latest report on an episode that the server does not have yet. */
    latest: (podcast: string, episode: string): Report | undefined =>
      read().findLast((report) => report.podcast === podcast && report.episode === episode),
  }
}
