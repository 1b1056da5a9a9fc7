import type { Background } from '../../platform/background.ts'
import type { Clock } from '../../platform/clock.ts'
import { createSweeper } from '../../platform/garbage.ts'
import type { Log } from '../../platform/log.ts'
import { createSlots } from '../shared/concurrency.ts'
import { DomainError, isUnavailable, outboundOff, refuseWhenStopped } from '../shared/errors.ts'
import type { UserId } from '../shared/ids.ts'
import type { SubscriptionStore } from '../sync/ports/subscriptions.ts'
import type { createImporter } from './importer.ts'
import type { Import, ImportFiles, ImportSources, ImportState, ImportStore, NewImport, ServerRequest } from './ports.ts'
import { type ImportPreview, previewFeeds } from './preview.ts'
import { type ImportSource, LIST_DEVICE, retarget, type TargetDevice } from './records.ts'
import { beginTally } from './report.ts'

/** Concurrent imports of all users. Each takes its share of disk and processor. */
const IMPORTS_AT_ONCE = 2
/** Files of all users received at the same time. Each takes up to a gigabyte of disk space. */
const RECEIVED_AT_ONCE = 10
const TURN_MS = 15 * 60_000
const RETRY_SECONDS = 60
/** Number of unclean server stops during an import after which it is not started again. */
const STARTS_MAX = 2
const FILE_DAYS = 30
const DAY = 24 * 3600
const LABEL_MAX = 100

type Reason = 'cancelled' | 'stopped' | 'displaced'

interface Run {
  readonly userId: UserId
  readonly hasFile: boolean
  readonly abort: AbortController
  readonly ended: Promise<unknown>
  /** Start of its turn on the monotonic clock; undefined while waiting. */
  startedAt: number | undefined
  hasEnded: boolean
}

export interface SentFile {
  readonly name: string
  readonly pieces: AsyncIterable<Uint8Array>
}

export interface PreviewOfFile extends ImportPreview {
  readonly source: string
}

export function createImports(parts: {
  readonly store: ImportStore
  readonly importer: ReturnType<typeof createImporter>
  readonly sources: ImportSources
  readonly files: ImportFiles
  readonly background: Background
  readonly clock: Clock
  readonly log: Log
  readonly isOff: boolean
  readonly heldOf: SubscriptionStore['heldOf']
}) {
  const { heldOf } = parts
  const { store, importer, sources, files, background, clock, log, isOff } = parts
  const runs = new Map<number, Run>()
  const slots = createSlots(IMPORTS_AT_ONCE)
  const arriving = new Set<UserId>()
  const stopping = new AbortController()

  const running = () => [...runs.values()].filter(({ hasEnded }) => !hasEnded)

  function refuseSecond(userId: UserId): void {
    refuseWhenStopped(stopping.signal)
    if (running().some((run) => run.userId === userId) || arriving.has(userId))
      throw new DomainError(
        'import_running',
        'an import into this account is running; wait until it is done, or cancel it',
      )
  }

  async function displaceOne(): Promise<void> {
    const now = clock.monotonic()
    const run = running().find(({ hasFile, startedAt }) => !hasFile && now - (startedAt ?? now) >= TURN_MS)
    run?.abort.abort('displaced' satisfies Reason)
    await run?.ended
  }

  async function arrive<T>(userId: UserId, hasFile: boolean, begin: () => Promise<T>): Promise<T> {
    refuseSecond(userId)
    if (running().length >= IMPORTS_AT_ONCE) await displaceOne()
    // Another request of the user may have been faster.
    refuseSecond(userId)
    if (running().length >= IMPORTS_AT_ONCE || (hasFile && arriving.size >= RECEIVED_AT_ONCE))
      throw new DomainError('unavailable', 'other imports are running; try again in a few minutes', {
        retryAfter: RETRY_SECONDS,
      })
    arriving.add(userId)
    try {
      return await begin()
    } finally {
      arriving.delete(userId)
    }
  }

  async function apply(pending: Import, source: ImportSource, signal: AbortSignal): Promise<void> {
    const { id, userId, report } = pending
    const starts = (report.starts ?? 0) + 1
    const tally = beginTally({ ...report, starts })
    const run = importer.begin(userId, tally)
    let { cursor } = pending
    await store.save(id, { cursor, report: tally.report() })
    let saving: Promise<void> | undefined
    const sweep = createSweeper()
    try {
      for await (const { record, cursor: next } of source.records(cursor, signal)) {
        signal.throwIfAborted()
        await run.apply(retarget(record, report.device))
        cursor = next ?? cursor
        sweep()
        // Saves progress without waiting, one save at a time. If saving fails, the last save reports it.
        saving ??= store
          .save(id, { cursor, report: tally.report() })
          .catch(() => undefined)
          .finally(() => {
            saving = undefined
          })
      }
      await run.finish()
    } finally {
      await saving
      const isOrderly = signal.reason === ('stopped' satisfies Reason)
      await store.save(id, { cursor, report: { ...tally.report(), starts: isOrderly ? starts - 1 : starts } })
    }
  }

  function endOf(error: unknown, hasFile: boolean, reason: unknown): { state: ImportState; error: string } {
    if (reason === 'cancelled') return { state: 'cancelled', error: '' }
    // An import that has its file resumes at the next start.
    if (reason === 'stopped') return hasFile ? { state: 'running', error: '' } : stoppedByServer()
    if (reason === 'displaced') return displaced()
    if (!(error instanceof DomainError)) {
      log.error('an import failed', { error })
      return { state: 'failed', error: 'internal error, noted in the log of the server' }
    }
    return { state: isUnavailable(error) ? 'interrupted' : 'failed', error: error.message }
  }

  async function takeTurn(pending: Import, source: ImportSource, signal: AbortSignal): Promise<void> {
    const giveBack = await slots.take(signal)
    const run = runs.get(pending.id)
    if (run) run.startedAt = clock.monotonic()
    try {
      await apply(pending, source, signal)
    } finally {
      giveBack()
    }
  }

  async function runToEnd(pending: Import, source: ImportSource, { signal }: AbortController): Promise<void> {
    const { id, hasFile } = pending
    let end: { state: ImportState; error: string } = { state: 'done', error: '' }
    try {
      await takeTurn(pending, source, signal)
    } catch (error) {
      end = endOf(error, hasFile, signal.aborted ? signal.reason : undefined)
    }
    if (end.state === 'running') return
    await store.save(id, undefined, { ...end, at: clock.seconds() })
    // Users who see that the import has ended may start the next one.
    const run = runs.get(id)
    if (run) run.hasEnded = true
    if (hasFile && end.state !== 'interrupted') await files.remove(id)
  }

  function start(pending: Import, source: ImportSource): void {
    const { id, userId, hasFile } = pending
    const abort = new AbortController()
    const ended = runToEnd(pending, source, abort)
      .catch((error: unknown) => {
        // The disk is full, or the server is stopping. The row stays `running`, and the next start resumes the import.
        if (!isUnavailable(error)) throw error
      })
      .finally(() => runs.delete(id))
    runs.set(id, { userId, hasFile, abort, ended, startedAt: undefined, hasEnded: false })
    background.run(() => ended)
  }

  async function begin(userId: UserId, newImport: NewImport): Promise<Import> {
    const stored = await store.begin(userId, newImport, clock.seconds())
    return { ...stored, report: { ...stored.report, starts: 0 } }
  }

  async function beginFile(userId: UserId, file: SentFile, device: TargetDevice | undefined): Promise<number> {
    const { path, digest } = await files.receive(file.pieces)
    let isKept = false
    try {
      const label = labelOf(file.name)
      const { kind } = await sources.file(path, label)
      refuseWhenStopped(stopping.signal)
      const key = device ? `file ${digest} ${device.id}` : `file ${digest}`
      const stored = await begin(userId, { source: kind, label, key, hasFile: true })
      const pending = { ...stored, report: { ...stored.report, device } }
      const keptPath = await files.keep(path, pending.id)
      isKept = true
      const { source } = await sources.file(keptPath, label)
      start(pending, source)
      return pending.id
    } finally {
      if (!isKept) await files.remove(path)
    }
  }

  async function readPreview(userId: UserId, file: SentFile, device: string): Promise<PreviewOfFile> {
    const { path } = await files.receive(file.pieces)
    try {
      const { kind, source } = await sources.file(path, labelOf(file.name))
      const giveBack = await slots.take(stopping.signal)
      try {
        const findSubscribed = (urls: readonly string[]) => heldOf(userId, device, urls, true)
        return { source: kind, ...(await previewFeeds(source.records(undefined, stopping.signal), findSubscribed)) }
      } finally {
        giveBack()
      }
    } finally {
      await files.remove(path)
    }
  }

  /** Resumes an import that has its file, unless it may crash the server. Others need a password again. */
  async function resume(unfinished: Import): Promise<void> {
    const path = unfinished.hasFile ? await files.find(unfinished.id) : undefined
    const isSuspect = unfinished.hasFile && (unfinished.report.starts ?? 0) >= STARTS_MAX
    if (path === undefined || isSuspect) {
      await store.save(unfinished.id, undefined, {
        ...(isSuspect ? suspected() : stoppedByServer()),
        at: clock.seconds(),
      })
      return
    }
    try {
      const { source } = await sources.file(path, unfinished.label)
      start(unfinished, source)
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      await store.save(unfinished.id, undefined, { state: 'failed', error: error.message, at: clock.seconds() })
      await files.remove(unfinished.id)
    }
  }

  async function sweep(): Promise<void> {
    const old = clock.seconds() - FILE_DAYS * DAY
    const waiting = await store.listIn(['running', 'interrupted'])
    const needed = waiting.filter(({ state, startedAt }) => state === 'running' || startedAt > old)
    await files.sweep(new Set(needed.map(({ id }) => id)))
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
     * Receives a file and starts its import. Throws `import_running`, `validation_failed`, `payload_too_large`,
     * `unavailable`.
     */
    importFile: (userId: UserId, file: SentFile, device?: TargetDevice): Promise<number> =>
      arrive(userId, true, () => beginFile(userId, file, device)),

    /** Lists what `importFile` would do with the podcasts of a file. Throws the same errors. */
    previewFile: (userId: UserId, file: SentFile, device = LIST_DEVICE): Promise<PreviewOfFile> =>
      arrive(userId, true, () => readPreview(userId, file, device)),

    /** Starts or resumes the import of an account on another server. Throws like `importFile`, and `outbound_off`. */
    async importServer(userId: UserId, request: ServerRequest): Promise<number> {
      if (isOff) throw outboundOff()
      const { kind, key, source } = sources.server(request)
      return arrive(userId, false, async () => {
        const newImport: NewImport = { source: kind, label: labelOf(source.name), key, hasFile: false }
        const stored = await begin(userId, newImport)
        start(stored, source)
        return stored.id
      })
    },

    /** Throws `not_found`. */
    get,
    list: (userId: UserId): Promise<Import[]> => store.list(userId),

    /** Cancels a running import but keeps its report, or deletes an import that has ended. Throws `not_found`. */
    async remove(userId: UserId, id: number): Promise<void> {
      const found = await get(userId, id)
      const run = runs.get(id)
      if (run) {
        run.abort.abort('cancelled' satisfies Reason)
        await run.ended
        return
      }
      await store.remove(id)
      if (found.hasFile) await files.remove(id)
    },

    ended: async (id: number): Promise<void> => void (await runs.get(id)?.ended),

    interrupt,

    async recover(): Promise<void> {
      for (const unfinished of await store.listIn(['running'])) await resume(unfinished)
    },

    sweep,

    jobs: [{ name: 'files of imports', pattern: '23 * * * *', run: sweep }],

    stop(): void {
      stopping.abort()
      interrupt()
    },
  }
}

function stoppedByServer() {
  return { state: 'interrupted', error: 'the server was stopped; start the same import again to resume it' } as const
}

function displaced() {
  return {
    state: 'interrupted',
    error: 'other imports were waiting; start the same import again to resume it',
  } as const
}

function suspected() {
  return {
    state: 'interrupted',
    error:
      'the server crashed twice during this import, so it was not resumed; start the same import again to resume it',
  } as const
}

function labelOf(name: string): string {
  const last = name.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, '').trim()
  return last.slice(0, LABEL_MAX).toWellFormed()
}
