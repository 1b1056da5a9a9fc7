import type { ImportSources } from '../domain/transfer/ports.ts'
import { systemTimer } from '../platform/clock.ts'
import { createFileSource, findFileKind } from './files/file-source.ts'
import type { ServerClientParts } from './servers/server-client.ts'
import { createServerSource } from './servers/server-source.ts'

export interface ImportSourcesParts {
  /** Starts `files/file-worker.ts`. */
  readonly startWorker: () => Worker
  /** By which other servers are reached. */
  readonly servers: ServerClientParts
}

/** All that can be imported. */
export function createImportSources({ startWorker, servers }: ImportSourcesParts): ImportSources {
  return {
    async file(path, name) {
      const kind = await findFileKind(path)
      return { kind, source: createFileSource({ startWorker, timer: systemTimer }, { kind, path, name }) }
    },

    server: (request) => createServerSource(servers, request),
  }
}
