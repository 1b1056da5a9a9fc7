import { DomainError } from '../../domain/shared/errors.ts'
import type { ImportSource, SourcedRecord } from '../../domain/transfer/records.ts'
import { messageOf } from '../../platform/unknown.ts'
import type { ImportRequest, ImportResponse, ReaderInput } from './protocol.ts'
import { sentRecord } from './sent-record.ts'

export function createRequestHandler(
  open: (input: ReaderInput) => ImportSource,
  respond: (response: ImportResponse) => void,
): (request: ImportRequest) => Promise<void> {
  let records: AsyncIterator<SourcedRecord> | undefined

  async function nextRecord(): Promise<ImportResponse> {
    const next = await records?.next()
    if (!next || next.done) return { isLast: true }
    const { record, cursor } = next.value
    return { record: sentRecord(record), cursor, isLast: false }
  }

  return async (request) => {
    try {
      if (request !== 'next') {
        // Never aborted: the server ends the process instead.
        const { signal } = new AbortController()
        records = open(request.read).records(request.resumeFrom, signal)[Symbol.asyncIterator]()
      }
      respond(await nextRecord())
    } catch (error) {
      respond(responseTo(error))
    }
  }
}

function responseTo(error: unknown): ImportResponse {
  if (error instanceof DomainError) return { code: error.code, message: error.message }
  // A single string or buffer is larger than the runtime allows.
  if (error instanceof RangeError && /out of memory/i.test(error.message)) return { isOutOfMemory: true }
  return { fault: messageOf(error) }
}
