import type { CheckReply } from './check-worker.ts'

/**
 * Has the whole database at `path` read on a thread; resolves with the faults found, none if it is sound. Rejects when it could not be
 * read to its end. Nobody waits for the thread when the process wants to end.
 */
export async function quickCheck(path: string, startWorker: () => Worker): Promise<readonly string[]> {
  const worker = startWorker()
  try {
    const { promise, resolve, reject } = Promise.withResolvers<CheckReply>()
    worker.onmessage = ({ data }: MessageEvent<CheckReply>) => resolve(data)
    worker.onerror = ({ message }) => reject(new Error(message))
    worker.addEventListener('close', () => reject(new Error('the thread has ended')))
    worker.unref()
    worker.postMessage(path)
    const reply = await promise
    if ('failure' in reply) throw new Error(reply.failure)
    return reply.faults
  } finally {
    worker.terminate()
  }
}
