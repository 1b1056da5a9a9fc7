import type { StartReader } from '../../src/transfer/process/client.ts'
import { openSource } from '../../src/transfer/process/open-source.ts'
import type { ImportResponse } from '../../src/transfer/process/protocol.ts'
import { createRequestHandler } from '../../src/transfer/process/read-import.ts'

/** Reads imports in this process, with the messages of the real one, which takes a second to start. */
export const readHere: StartReader = ({ onResponse }) => {
  let isThere = true
  const respond = (response: ImportResponse) => {
    const copy = structuredClone(response)
    queueMicrotask(() => isThere && onResponse(copy))
  }
  const handle = createRequestHandler(openSource, respond)
  return {
    send(request) {
      const copy = structuredClone(request)
      queueMicrotask(() => isThere && handle(copy))
    },
    processorMs: () => undefined,
    kill() {
      isThere = false
    },
  }
}
