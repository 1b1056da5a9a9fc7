// First: threads that the runtime starts later inherit the priority.
import '../../processes/lower-priority.ts'
import process from 'node:process'
import { serveParent } from '../../processes/serve-parent.ts'
import { openSource } from './open-source.ts'
import type { ImportRequest, ImportResponse } from './protocol.ts'
import { createRequestHandler } from './read-import.ts'

/** Reads one import where hostile input can neither block nor crash the server. */
export function readImports(guard: URL): void {
  serveParent<ImportRequest, ImportResponse>('when there is something to import', (respond) => {
    const thread = new Worker(guard.href, { smol: true })
    // Never read without the guard.
    thread.onerror = () => process.exit(1)
    return createRequestHandler(openSource, respond)
  })
}
