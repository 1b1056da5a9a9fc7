import { stat } from 'node:fs/promises'
import { DomainError } from '../domain/shared/errors.ts'
import type { ImportSources } from '../domain/transfer/ports.ts'
import type { Timer } from '../platform/clock.ts'
import { findFileKind } from './files/kinds.ts'
import { createProcessSource, type StartReader } from './process/client.ts'
import type { ServerInput } from './process/protocol.ts'
import { describeServer } from './servers/server-source.ts'

export interface ImportSourcesParts extends Pick<ServerInput, 'version' | 'importAllowPrivate'> {
  readonly startReader: StartReader
  readonly timer: Timer
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const processorMsFor = (bytes: number) => MINUTE / 3 + bytes / 1000
/** A small machine may check a large file for minutes before the first record. */
const RECORD_MS = 10 * MINUTE
const FILE_MS = 2 * HOUR

/** Requests for each podcast separately may take hours. */
const SERVER_LIMITS = { recordMs: undefined, processorMs: 15 * MINUTE, totalMs: 6 * HOUR }

export function createImportSources({ startReader, timer, ...settings }: ImportSourcesParts): ImportSources {
  return {
    async file(path, name) {
      const kind = await findFileKind(path)
      const { size } = await stat(path)
      const source = createProcessSource(startReader, timer, {
        ...{ what: 'the file', name, input: { kind, path, name } },
        limits: { recordMs: RECORD_MS, processorMs: processorMsFor(size), totalMs: FILE_MS },
        tooLate: () => new DomainError('validation_failed', 'the file takes too long to read'),
      })
      return { kind, source }
    },

    server(request) {
      const { kind, key, name, host } = describeServer(request)
      const source = createProcessSource(startReader, timer, {
        ...{ what: `what ${host} sends`, name, input: { server: request, ...settings }, limits: SERVER_LIMITS },
        tooLate: () =>
          new DomainError(
            'unavailable',
            `the import from ${host} reached its time limit; start the same import again to resume it`,
          ),
      })
      return { kind, key, source }
    },
  }
}
