import { isRecord } from '../../platform/unknown.ts'
import type { HistoryPlace } from './episode-actions.ts'
import { parse } from './read-items.ts'

export const SERVER_KINDS = ['gpodder', 'nextcloud'] as const
export type ServerKind = (typeof SERVER_KINDS)[number]

export interface Place {
  readonly kind: ServerKind
  readonly step: string
  readonly after?: string
  readonly history?: HistoryPlace
}

export function isServerKind(text: unknown): text is ServerKind {
  return SERVER_KINDS.some((kind) => kind === text)
}

export function cursorOf(place: Place): string {
  return JSON.stringify(place)
}

/** Parses a cursor; `undefined` if it is not from an import from a server, which then starts from the beginning. */
export function placeOf(cursor: string | undefined): Place | undefined {
  const read = parse(cursor ?? '')
  if (!isRecord(read)) return undefined
  const { kind, step, after, history } = read
  if (!isServerKind(kind) || typeof step !== 'string') return undefined
  return { kind, step, ...(typeof after === 'string' && { after }), ...(isHistoryPlace(history) && { history }) }
}

function isHistoryPlace(value: unknown): value is HistoryPlace {
  if (!isRecord(value)) return false
  const { since, latest, isByTime, needsPodcasts } = value
  const areNumbers = typeof since === 'number' && typeof latest === 'number'
  return areNumbers && typeof isByTime === 'boolean' && typeof needsPodcasts === 'boolean'
}
