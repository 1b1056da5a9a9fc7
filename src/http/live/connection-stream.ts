import { systemTimer } from '../../platform/clock.ts'

const PAUSE_MS = 500
const encoder = new TextEncoder()

/** Sends two server-sent events with a pause: if both arrive together, a proxy buffers responses. */
export function streamConnection(connection: Readonly<Record<string, unknown>>): Response {
  let cancelTimer: (() => void) | undefined
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`event: connection\ndata: ${JSON.stringify(connection)}\n\n`))
      cancelTimer = systemTimer(PAUSE_MS, () => {
        controller.enqueue(encoder.encode('event: end\ndata: {}\n\n'))
        controller.close()
      })
    },
    cancel: () => cancelTimer?.(),
  })
  return new Response(stream, { headers: STREAM_HEADERS })
}

/** A proxy that buffers responses until they are complete would never forward an event stream. */
export const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }
