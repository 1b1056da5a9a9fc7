import { DomainError } from '../domain/shared/errors.ts'
import type { ImportSources } from '../domain/transfer/ports.ts'
import { systemTimer } from '../platform/clock.ts'
import { createFileSource, findFileKind } from './files/file-source.ts'

export interface ImportSourcesParts {
  /** Starts `files/file-worker.ts`. */
  readonly startWorker: () => Worker
}

/** All that can be imported. */
export function createImportSources({ startWorker }: ImportSourcesParts): ImportSources {
  return {
    async file(path, name) {
      const kind = await findFileKind(path)
      return { kind, source: createFileSource({ startWorker, timer: systemTimer }, { kind, path, name }) }
    },

    server() {
      throw new DomainError('validation_failed', 'only files can be imported so far')
    },
  }
}
