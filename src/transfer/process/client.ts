import { DomainError } from '../../domain/shared/errors.ts'
import type { ImportSource, SourcedRecord } from '../../domain/transfer/records.ts'
import type { Timer } from '../../platform/clock.ts'
import { isOutOfFiles } from '../../platform/open-files.ts'
import type { StartChild } from '../../processes/start-process.ts'
import type { ImportRequest, ImportResponse, ReaderInput } from './protocol.ts'
import { receivedRecord } from './sent-record.ts'

export type StartReader = StartChild<ImportRequest, ImportResponse>

export interface ReadingLimits {
  /** Limit for one record in milliseconds; undefined for servers, which may ask for long pauses. */
  readonly recordMs: number | undefined
  readonly processorMs: number
  /** Limit for the whole import in milliseconds, including the time in which the server stores it. */
  readonly totalMs: number
}

interface Reading {
  readonly what: string
  readonly name: string
  readonly input: ReaderInput
  readonly limits: ReadingLimits
  readonly tooLate: () => DomainError
}

const CHECK_MS = 5000

type Answer = Extract<ImportResponse, { readonly isLast: boolean }>

export function createProcessSource(start: StartReader, timer: Timer, reading: Reading): ImportSource {
  return {
    name: reading.name,
    async *records(resumeFrom, signal): AsyncGenerator<SourcedRecord> {
      const reader = startReader(start, timer, reading, signal)
      try {
        let request: ImportRequest = { read: reading.input, resumeFrom }
        for (;;) {
          const answer = await reader.ask(request)
          if (answer.isLast) return
          yield { record: receivedRecord(answer.record), cursor: answer.cursor }
          request = 'next'
        }
      } finally {
        reader.end()
      }
    },
  }
}

function startReader(start: StartReader, timer: Timer, { what, limits, tooLate }: Reading, signal: AbortSignal) {
  signal.throwIfAborted()
  let answer: PromiseWithResolvers<Answer> | undefined
  let failure: unknown
  let totalMs = 0
  let recordMs = 0
  let cancelTimer = timer(CHECK_MS, check)
  const abort = () => fail(signal.reason)
  signal.addEventListener('abort', abort)
  const child = started()

  function started() {
    try {
      return start({ onResponse: receive, onEnd: (cause) => fail(endOf(cause)) })
    } catch (error) {
      cancelTimer()
      signal.removeEventListener('abort', abort)
      if (!isOutOfFiles(error)) throw error
      throw new DomainError('unavailable', 'the import cannot be started; try again later', {
        cause: error,
      })
    }
  }

  function fail(error: unknown): void {
    failure ??= error
    answer?.reject(failure)
  }

  function check(): void {
    totalMs += CHECK_MS
    recordMs += CHECK_MS
    const isRecordLate = answer !== undefined && limits.recordMs !== undefined && recordMs >= limits.recordMs
    const isLate = totalMs >= limits.totalMs || (child.processorMs() ?? 0) >= limits.processorMs
    if (!isLate && !isRecordLate) {
      cancelTimer = timer(CHECK_MS, check)
      return
    }
    fail(tooLate())
    child.kill()
  }

  function receive(response: ImportResponse): void {
    if ('isLast' in response) answer?.resolve(response)
    else if ('code' in response) fail(new DomainError(response.code, response.message))
    else fail('fault' in response ? new Error(`reading ${what} failed: ${response.fault}`) : tooLarge(what))
  }

  /** SIGKILL comes from the memory guard of the process or from the system. */
  const endOf = (cause: string) =>
    cause.startsWith('SIGKILL') ? tooLarge(what) : new Error(`the reader of an import ended: ${cause}`)

  return {
    async ask(request: ImportRequest): Promise<Answer> {
      if (failure !== undefined) throw failure
      answer = Promise.withResolvers()
      recordMs = 0
      child.send(request)
      try {
        return await answer.promise
      } finally {
        answer = undefined
      }
    },
    end(): void {
      cancelTimer()
      signal.removeEventListener('abort', abort)
      child.kill()
    },
  }
}

function tooLarge(what: string): DomainError {
  return new DomainError('validation_failed', `${what} needs too much memory to read`)
}
