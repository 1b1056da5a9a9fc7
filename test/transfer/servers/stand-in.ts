import type { ImportRecord, ImportSource } from '../../../src/domain/transfer/records.ts'
import { FetchFailure } from '../../../src/outbound/fetch-failure.ts'
import type { StreamingFetch } from '../../../src/outbound/guarded-fetch.ts'
import { streamLimited } from '../../../src/outbound/response-body.ts'
import type { Timer } from '../../../src/platform/clock.ts'
import { createServerClient, type ServerClient } from '../../../src/transfer/servers/server-client.ts'
import { createServerSource } from '../../../src/transfer/servers/server-source.ts'
import { fakeClock } from '../../support/clock.ts'

export const ORIGIN = 'https://pods.example'

/** Responds, or fails like the guarded fetch. */
export type Handler = (request: Request) => Response | FetchFailure | Promise<Response | FetchFailure>

export interface StandIn {
  /** Paths with their queries, in order. */
  readonly asked: string[]
  /** Pauses in seconds. */
  readonly pauses: number[]
  readonly requests: Request[]
  /** Resolves when the first pause begins. */
  readonly paused: Promise<void>
  source(request?: Partial<Parameters<typeof createServerSource>[1]>): ImportSource
  /** A client with these limits. */
  client(importLimits: { readonly bytes: number; readonly items: number }): ServerClient
}

/** Stands in for another server without connections, and skips pauses. */
export function standIn(handler: Handler, replaced: { readonly timer?: Timer } = {}): StandIn {
  const asked: string[] = []
  const requests: Request[] = []
  const pauses: number[] = []
  const paused = Promise.withResolvers<void>()
  const timer: Timer = (ms, then) => {
    pauses.push(ms / 1000)
    paused.resolve()
    if (replaced.timer) return replaced.timer(ms, then)
    const immediate = setImmediate(then)
    return () => clearImmediate(immediate)
  }
  const fetcher: StreamingFetch = {
    async open({ url, headers, limits, signal }) {
      signal?.throwIfAborted()
      const request = new Request(url, { headers: { ...headers } })
      const { pathname, search } = new URL(url)
      asked.push(pathname + search)
      requests.push(request)
      const answer = await handler(request)
      if (answer instanceof FetchFailure) throw answer
      const response: Response = answer
      const { status } = response
      const next = response.headers.get('location')
      const location = next !== null && status >= 300 && status < 400 ? new URL(next, url).href : undefined
      async function* pieces() {
        try {
          yield* streamLimited(response, limits.maxBytes)
        } catch (error) {
          throw error instanceof FetchFailure
            ? error
            : new FetchFailure('unreachable', 'pods.example cannot be reached')
        }
      }
      return { status, headers: response.headers, location, pieces: pieces(), close: () => undefined }
    },
  }
  const parts = { fetcher, timer, clock: fakeClock() }
  return {
    asked,
    pauses,
    requests,
    paused: paused.promise,
    source: (request) => createServerSource(parts, { from: ORIGIN, username: 'ida', password: 'seaglass', ...request }),
    client: (importLimits) =>
      createServerClient(
        parts,
        { base: ORIGIN, username: 'ida', password: 'seaglass' },
        { signal: new AbortController().signal, isResumed: false, importLimits },
      ),
  }
}

export interface Reading {
  readonly records: readonly ImportRecord[]
  /** The last cursor, which the importer would store. */
  readonly cursor: string | undefined
  readonly error: unknown
}

export interface ReadOptions {
  readonly resumeFrom?: string | undefined
  /** Stops after the first record for which this is true, like a killed process. */
  readonly until?: (record: ImportRecord) => boolean
  readonly signal?: AbortSignal
}

/** Reads a source until it ends or fails. */
export async function readAll(
  source: ImportSource,
  { resumeFrom, until, signal = new AbortController().signal }: ReadOptions = {},
): Promise<Reading> {
  const records: ImportRecord[] = []
  let cursor = resumeFrom
  try {
    for await (const sourced of source.records(resumeFrom, signal)) {
      records.push(sourced.record)
      cursor = sourced.cursor ?? cursor
      if (until?.(sourced.record)) break
    }
  } catch (error) {
    return { records, cursor, error }
  }
  return { records, cursor, error: undefined }
}

type RecordOf<Kind extends ImportRecord['kind']> = ImportRecord & { readonly kind: Kind }

export function ofKind<Kind extends ImportRecord['kind']>({ records }: Pick<Reading, 'records'>, kind: Kind) {
  return records.filter((record): record is RecordOf<Kind> => record.kind === kind)
}

/** The media addresses of all actions, in order. */
export function episodesOf(reading: Pick<Reading, 'records'>): string[] {
  return ofKind(reading, 'actions').flatMap(({ actions }) => actions.map(({ episode }) => episode))
}

/** Responds by path, with or without query; 404 for other paths. Texts are sent as JSON. */
export function table(routes: Readonly<Record<string, unknown>>): Handler {
  return (request) => {
    const { pathname, search } = new URL(request.url)
    const found = routes[pathname + search] ?? routes[pathname]
    if (found === undefined) return new Response('nothing here', { status: 404 })
    if (found instanceof FetchFailure) return found
    if (typeof found === 'function') return found(request)
    if (found instanceof Response) return found.clone()
    return new Response(typeof found === 'string' ? found : JSON.stringify(found), {
      headers: { 'content-type': 'application/json' },
    })
  }
}
