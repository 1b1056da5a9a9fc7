import type { FeedProgress, ProgressWatcher } from '../../../domain/feeds/refresh.ts'

const encoder = new TextEncoder()

/** Signs of life after which the stream ends; browsers come back, and are asked again who they are. */
const PULSES_MAX = 15

/**
 * Server-sent events: one for each step that the reader has time for, and a comment when nothing happens. `mayWatch` is asked before each
 * of them, and the stream ends when it says no: a right that is taken away must not go on for as long as a connection lasts.
 */
export function streamProgress(watcher: ProgressWatcher, mayWatch: () => Promise<boolean>): Response {
  let pulses = 0

  async function mayGoOn(): Promise<boolean> {
    try {
      return await mayWatch()
    } catch (error) {
      watcher.end()
      throw error
    }
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await watcher.next()
        if (next === undefined) pulses++
        if (next === null || pulses > PULSES_MAX || !(await mayGoOn())) {
          watcher.end()
          controller.close()
        } else controller.enqueue(encoder.encode(next ? toEvent(next) : ': still here\n\n'))
      },
      cancel() {
        watcher.end()
      },
    },
    { highWaterMark: 0 },
  )
  // Proxies that collect an answer before they pass it on would keep it for ever.
  return new Response(stream, { headers: { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' } })
}

function toEvent({ isRunning, done, failed, total }: FeedProgress): string {
  return `event: progress\ndata: ${JSON.stringify({ running: isRunning, done, failed, total })}\n\n`
}
