import type { Hint } from '../../domain/shared/hints.ts'
import { STREAM_HEADERS } from './connection-stream.ts'
import type { HintListener } from './hub.ts'

export type Rights = { readonly isAdmin: boolean } | undefined

const encoder = new TextEncoder()

/**
 * Server-sent events: `ready` at the beginning, a `hint` for each hint, and `heartbeat` while idle. `rights` is called
 * before each event after `ready`, and the stream ends once they are gone: revoked rights must not last as long as a
 * connection. New rights take effect with the next hint, and a change of rights causes one.
 */
export function streamHints(listener: HintListener, rights: () => Promise<Rights>): Response {
  let isBegun = false

  async function nextText(): Promise<string | undefined> {
    if (!isBegun) {
      isBegun = true
      return toEvent('ready', {})
    }
    const hints = await listener.next()
    const granted = hints && (await rights())
    if (!granted) return undefined
    listener.setAdmin(granted.isAdmin)
    const visible = hints.filter(({ topic }) => granted.isAdmin || topic !== 'refresh')
    return visible.length > 0 ? visible.map((hint) => toEvent('hint', hint)).join('') : toEvent('heartbeat', {})
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const text = await nextText()
          if (text !== undefined) {
            controller.enqueue(encoder.encode(text))
            return
          }
        } catch (error) {
          listener.end()
          throw error
        }
        listener.end()
        controller.close()
      },
      cancel: () => listener.end(),
    },
    // No read-ahead: hints for a slow reader wait in the listener, which merges them.
    { highWaterMark: 0 },
  )
  return new Response(stream, { headers: STREAM_HEADERS })
}

function toEvent(name: string, data: Hint | Record<never, never>): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
