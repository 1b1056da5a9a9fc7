import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { DomainError, isUnavailable, outboundOff, refuseWhenStopped } from '../shared/errors.ts'
import type { UserId } from '../shared/ids.ts'
import type { createImporter } from './importer.ts'
import type { Import, ImportFiles, ImportSources, ImportState, ImportStore, NewImport, ServerRequest } from './ports.ts'
import type { ImportSource } from './records.ts'
import { beginTally } from './report.ts'

/** Imports that run at the same time, of all users: each takes its share of the disk and of the processor. */
const AT_ONCE = 2
const RETRY_SECONDS = 60
/** An interrupted import keeps its file so long. */
const FILE_DAYS = 30
const DAY = 24 * 3600
const LABEL_MAX = 100

export interface ImportsParts {
  readonly store: ImportStore
  readonly importer: ReturnType<typeof createImporter>
  readonly sources: ImportSources
  readonly files: ImportFiles
  readonly background: Background
  readonly clock: Clock
  readonly log: Log
  /** Other servers are not asked, by the setting `outbound`. */
  readonly isOff: boolean
}

/** Why a run is broken off. */
type Reason = 'cancelled' | 'stopped'

interface Run {
  readonly userId: UserId
  readonly abort: AbortController
  readonly over: Promise<unknown>
  /** The end is written; a file may still have to be removed. */
  hasEnded: boolean
}

/** A file as somebody sends it. */
export interface SentFile {
  readonly name: string
  readonly pieces: AsyncIterable<Uint8Array>
}

export type Imports = ReturnType<typeof createImports>

/** Moves what users have elsewhere into their accounts: one import of a user at a time. */
export function createImports(parts: ImportsParts) {
  const { store, importer, sources, files, background, clock, log, isOff } = parts
  const runs = new Map<number, Run>()
  /** Users whose files are being received. */
  const receiving = new Set<UserId>()
  const stopping = new AbortController()

  /** Before something is received or begun. */
  function refuseBusy(userId: UserId): void {
    refuseWhenStopped(stopping.signal)
    const running = [...runs.values()].filter(({ hasEnded }) => !hasEnded)
    const isRunning = running.some((run) => run.userId === userId)
    if (isRunning || receiving.has(userId))
      throw new DomainError(
        'import_running',
        'an import into this account is running; wait until it is done, or cancel it',
      )
    if (running.length + receiving.size >= AT_ONCE)
      throw new DomainError('unavailable', 'others are importing at the moment; try again in a few minutes', {
        retryAfter: RETRY_SECONDS,
      })
  }

  async function apply(begun: Import, source: ImportSource, signal: AbortSignal): Promise<void> {
    const { id, userId } = begun
    const tally = beginTally(begun.report)
    const run = importer.begin(userId, tally)
    let { cursor } = begun
    let saved: Promise<void> = Promise.resolve()
    try {
      for await (const { record, cursor: next } of source.records(cursor, signal)) {
        signal.throwIfAborted()
        await run.apply(record)
        cursor = next ?? cursor
        // Written with what comes next, in the same commit: a report costs no wait of its own.
        await saved
        saved = store.save(id, { cursor, report: tally.report() })
        // Waited for later; a failure must not be taken for one that nobody handles.
        saved.catch(() => undefined)
      }
      await run.finish()
    } finally {
      await saved
      await store.save(id, { cursor, report: tally.report() })
    }
  }

  /** How it ended, in the states of imports. */
  function endOf(error: unknown, hasFile: boolean, reason: unknown): { state: ImportState; error: string } {
    if (reason === 'cancelled') return { state: 'cancelled', error: '' }
    // What has its file goes on by itself at the next start.
    if (reason === 'stopped') return hasFile ? { state: 'running', error: '' } : stoppedByServer()
    if (!(error instanceof DomainError)) {
      log.error('an import failed', { error })
      return { state: 'failed', error: 'internal error, noted in the log of the server' }
    }
    return { state: isUnavailable(error) ? 'interrupted' : 'failed', error: error.message }
  }

  async function carryOut(begun: Import, source: ImportSource, { signal }: AbortController): Promise<void> {
    const { id, hasFile } = begun
    let end: { state: ImportState; error: string } = { state: 'done', error: '' }
    try {
      await apply(begun, source, signal)
    } catch (error) {
      end = endOf(error, hasFile, signal.aborted ? signal.reason : undefined)
    }
    if (end.state === 'running') return
    await store.end(id, { ...end, at: clock.seconds() })
    // A user who reads that it has ended may begin the next one.
    const run = runs.get(id)
    if (run) run.hasEnded = true
    if (hasFile && end.state !== 'interrupted') await files.remove(id)
  }

  function start(begun: Import, source: ImportSource): void {
    const { id, userId } = begun
    const abort = new AbortController()
    const over = carryOut(begun, source, abort)
      .catch((error: unknown) => {
        // The disk is full, or the server stops: the row says "running", and the next start goes on with it.
        if (!isUnavailable(error)) throw error
      })
      .finally(() => runs.delete(id))
    runs.set(id, { userId, abort, over, hasEnded: false })
    background.run(() => over)
  }

  async function beginFile(userId: UserId, file: SentFile): Promise<number> {
    const { path, digest } = await files.receive(file.pieces)
    let isKept = false
    try {
      const label = labelOf(file.name)
      const { kind } = await sources.file(path, label)
      refuseWhenStopped(stopping.signal)
      const newImport: NewImport = { source: kind, label, key: `file ${digest}`, hasFile: true }
      const begun = await store.begin(userId, newImport, clock.seconds())
      const kept = await files.keep(path, begun.id)
      isKept = true
      const { source } = await sources.file(kept, label)
      start(begun, source)
      return begun.id
    } finally {
      if (!isKept) await files.remove(path)
    }
  }

  /** Goes on with what has its file; the rest needs a password again. */
  async function goOn(left: Import): Promise<void> {
    const path = left.hasFile ? await files.find(left.id) : undefined
    if (path === undefined) {
      await store.end(left.id, { ...stoppedByServer(), at: clock.seconds() })
      return
    }
    try {
      const { source } = await sources.file(path, left.label)
      start(left, source)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      await store.end(left.id, { state: 'failed', error: error.message, at: clock.seconds() })
      await files.remove(left.id)
    }
  }

  function interrupt(): void {
    for (const { abort } of runs.values()) abort.abort('stopped' satisfies Reason)
  }

  async function get(userId: UserId, id: number): Promise<Import> {
    const found = await store.find(userId, id)
    if (!found) throw new DomainError('not_found', 'no such import')
    return found
  }

  return {
    /**
     * Receives the file and begins to import it; tells the number of the import. Throws `import_running`,
     * `validation_failed` for what is no file of a kind that is known, `payload_too_large`, `unavailable`.
     */
    async importFile(userId: UserId, file: SentFile): Promise<number> {
      refuseBusy(userId)
      receiving.add(userId)
      try {
        return await beginFile(userId, file)
      } finally {
        receiving.delete(userId)
      }
    },

    /** Begins to import an account on another server, or goes on with it. Throws as `importFile`, and `outbound_off`. */
    async importServer(userId: UserId, request: ServerRequest): Promise<number> {
      if (isOff) throw outboundOff()
      refuseBusy(userId)
      const { kind, key, source } = sources.server(request)
      receiving.add(userId)
      try {
        const newImport: NewImport = { source: kind, label: labelOf(source.name), key, hasFile: false }
        const begun = await store.begin(userId, newImport, clock.seconds())
        start(begun, source)
        return begun.id
      } finally {
        receiving.delete(userId)
      }
    },

    /** Throws `not_found`. */
    get,
    /** Newest first. */
    list: (userId: UserId): Promise<Import[]> => store.list(userId),

    /** Breaks off what runs, whose report stays; forgets what has ended. Throws `not_found`. */
    async remove(userId: UserId, id: number): Promise<void> {
      const found = await get(userId, id)
      const run = runs.get(id)
      if (run) {
        run.abort.abort('cancelled' satisfies Reason)
        await run.over
        return
      }
      await store.remove(id)
      if (found.hasFile) await files.remove(id)
    },

    /** Settles when the import runs no longer. */
    ended: async (id: number): Promise<void> => void (await runs.get(id)?.over),

    /** Has all that runs end where it can be gone on with. */
    interrupt,

    /** Goes on with what the last process has left. */
    async recover(): Promise<void> {
      for (const left of await store.listIn(['running'])) await goOn(left)
    },

    /** Removes files that nobody needs any more. */
    async sweep(): Promise<void> {
      const old = clock.seconds() - FILE_DAYS * DAY
      const waiting = await store.listIn(['running', 'interrupted'])
      const needed = waiting.filter(({ state, startedAt }) => state === 'running' || startedAt > old)
      await files.sweep(new Set(needed.map(({ id }) => id)))
    },

    /** Begins nothing any more. */
    stop(): void {
      stopping.abort()
      interrupt()
    },
  }
}

function stoppedByServer() {
  return { state: 'interrupted', error: 'the server was stopped; start the same import again, and it goes on' } as const
}

/** The last part of a path, without what a terminal or a page might take for something else. */
function labelOf(name: string): string {
  const last = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, '').trim()
  return last.slice(0, LABEL_MAX).toWellFormed()
}
