import type { Arrival } from '../domain/server/doctor.ts'
import type { Clock } from '../platform/clock.ts'
import { isRecord } from '../platform/unknown.ts'

export interface Connection {
  readonly instance: string
  readonly arrival: Arrival
  readonly isBuffered: boolean
}

/** The server sends the two events of the response a few hundred milliseconds apart. */
const TOGETHER_MS = 50
const BYTES_MAX = 10_000

export async function readConnection(response: Response, clock: Clock): Promise<Connection | undefined> {
  if (!response.ok || !response.headers.get('content-type')?.startsWith('text/event-stream')) return undefined
  const decoder = new TextDecoder()
  let text = ''
  let startedAt: number | undefined
  for await (const bytes of response.body ?? []) {
    startedAt ??= clock.monotonic()
    text += decoder.decode(bytes, { stream: true })
    if (text.length > BYTES_MAX) return undefined
  }
  const isBuffered = clock.monotonic() - (startedAt ?? 0) < TOGETHER_MS
  const data = parse(/^event: connection\ndata: (.*)$/m.exec(text)?.[1])
  if (!data) return undefined
  const { instance, trusted, header, has_address, scheme, host } = data
  if (typeof instance !== 'string' || typeof host !== 'string') return undefined
  return {
    instance,
    isBuffered,
    arrival: {
      isTrusted: trusted === true,
      header: typeof header === 'string' ? header : undefined,
      hasAddress: has_address === true,
      scheme: typeof scheme === 'string' ? scheme : undefined,
      host,
    },
  }
}

function parse(json = ''): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
