import { formatTimestamp } from '../../../domain/shared/time.ts'
import type { EpisodeAction } from '../../../domain/sync/ports.ts'
import { TextResponse } from '../../responses/text-response.ts'

const encoder = new TextEncoder()

/**
 * The answer of a fetch of episode actions. A short list is one string; a long one is sent as it is read, a chunk whenever the
 * client has taken the last one, so that a million actions need no more memory than a thousand.
 */
export function streamActions(chunks: Iterable<readonly EpisodeAction[]>, timestamp: number): Response {
  const tail = `],"timestamp":${timestamp}}`
  const iterator = chunks[Symbol.iterator]()
  const first = iterator.next()
  if (first.done) return json(`{"actions":[${tail}`)
  if (Array.isArray(chunks)) return json(`{"actions":[${first.value.map(actionJson).join()}${tail}`)

  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(encoder.encode(`{"actions":[${first.value.map(actionJson).join()}`))
      },
      async pull(controller) {
        // Let waiting requests have their turn between two chunks.
        await new Promise((resolve) => setImmediate(resolve))
        const next = iterator.next()
        if (next.done) {
          controller.enqueue(encoder.encode(tail))
          controller.close()
        } else controller.enqueue(encoder.encode(`,${next.value.map(actionJson).join()}`))
      },
      cancel() {
        iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return json(stream)
}

function json(body: string | ReadableStream<Uint8Array>): Response {
  return new TextResponse(body, 'application/json')
}

/** One action as JSON. Unknown keys are left out: clients choke on null and on -1 (docs/protocol.md#D43). `JSON.stringify` drops what is undefined. */
export function actionJson({
  podcast,
  episode,
  guid,
  device,
  kind,
  at,
  started,
  position,
  total,
}: EpisodeAction): string {
  const timestamp = formatTimestamp(at)
  return JSON.stringify({ podcast, episode, guid, device, action: kind, timestamp, started, position, total })
}
