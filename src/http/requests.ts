import { isUtf8 } from 'node:buffer'
import type { Principal } from '../domain/accounts/authentication.ts'
import { clientLabel } from '../domain/accounts/sessions.ts'
import type { LookupPrincipal } from '../domain/feeds/on-demand.ts'
import { DomainError, invalid } from '../domain/shared/errors.ts'
import { LANGUAGES, type Language, USUAL_LANGUAGE } from '../domain/shared/languages.ts'
import type { LastSeen } from '../domain/sync/devices.ts'
import type { ByApp } from '../domain/sync/ports/written.ts'
import type { SyncClient } from '../domain/sync/subscriptions.ts'
import {
  type ListFormat,
  type PrivateFormat,
  parseListFormat,
  parsePrivateFormat,
  splitSuffix,
} from '../formats/negotiate.ts'
import type { Origins } from './origin.ts'
import { weightsOf } from './responses/accept-encoding.ts'

export function parseId(segment: string): number {
  if (!/^\d{1,15}$/.test(segment)) throw invalid('id', 'id must be a number')
  return Number(segment)
}

/** Items of an optional list in a body; nulls are dropped (docs/protocol.md#D5b). */
export function itemsOf<T>(list: readonly (T | null)[] | null | undefined): T[] {
  return (list ?? []).filter((item) => item !== null)
}

export function jsonName(segment: string): string {
  const { name, suffix } = splitSuffix(segment)
  if (suffix !== 'json') throw new DomainError('not_found', 'no such resource')
  return name
}

/** Splits the last path segment; the default is JSON (docs/protocol.md#D40). Throws `invalid_format`. */
export function listFile(segment: string): { name: string; format: ListFormat } {
  const { name, suffix } = splitSuffix(segment)
  return { name, format: suffix === '' ? 'json' : parseListFormat(suffix) }
}

/** `listFile` for private lists, which are not available as JSONP. */
export function privateListFile(segment: string): { name: string; format: PrivateFormat } {
  const { name, suffix } = splitSuffix(segment)
  return { name, format: suffix === '' ? 'json' : parsePrivateFormat(suffix) }
}

/** docs/protocol.md#D7: an invalid size is rejected for every format, before any other check. */
export function checkScale(raw: string | undefined): void {
  if (raw === undefined) return
  const size = /^\d{1,3}$/.test(raw) ? Number(raw) : 0
  if (size < 1 || size > 256) throw invalid('scale_logo', 'scale_logo must be an integer from 1 to 256')
}

export interface Paging {
  readonly page: number
  readonly perPage: number
}

const PER_PAGE = 20
const PER_PAGE_MAX = 100
/** Far beyond any list; keeps `page * perPage` a safe integer. */
const PAGE_MAX = 1_000_000_000

/** Parses and clamps `page` and `per_page` (docs/protocol.md#D19). Throws `validation_failed` if one is not an integer. */
export function parsePaging(query: { page?: string | undefined; per_page?: string | undefined }): Paging {
  const page = parseInteger('page', query.page, 0)
  const perPage = parseInteger('per_page', query.per_page, PER_PAGE)
  return { page: clamp(page, 0, PAGE_MAX), perPage: clamp(perPage, 1, PER_PAGE_MAX) }
}

/** Parses the cursor from the previous page; undefined for the first page. Throws `validation_failed`. */
export function parseCursor(field: string, text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined
  if (!/^\d{1,15}$/.test(text)) throw invalid(field, `${field} must be a whole number`)
  return Number(text)
}

/** Envelope of a page, without the list (docs/protocol.md#D80). */
export function pageEnvelope({ page, perPage }: Paging, total: number) {
  return { page, per_page: perPage, total, total_pages: Math.ceil(total / perPage) }
}

function parseInteger(field: string, text: string | undefined, fallback: number): number {
  if (text === undefined || text === '') return fallback
  if (!/^-?\d+$/.test(text)) throw invalid(field, `${field} must be a whole number`)
  return Number(text)
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(max, Math.max(min, value))
}

/** Decodes the User-Agent as UTF-8, or else Latin-1; '' if missing. */
export function userAgentOf({ headers }: Request): string {
  const name = headers.get('user-agent') ?? ''
  if (!/[^\0-\x7f]/.test(name)) return name
  const bytes = Buffer.from(name, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : name
}

/** The supported language that the client prefers (RFC 9110, 12.5.4). Regions are ignored: `de-AT` is German. */
export function languageOf({ headers }: Request): Language {
  const preferred = [...weightsOf(headers.get('accept-language') ?? '')]
    .filter(([, weight]) => weight > 0)
    .toSorted(([, one], [, other]) => other - one)
    .map(([range]) => LANGUAGES.find((language) => language === range.split('-')[0]))
  return preferred.find((language) => language !== undefined) ?? USUAL_LANGUAGE
}

/** A read caused by another site does not count as fetched by the session: its own page would miss those changes. */
export function syncClientOf({ user, via, client, appPassword, leavesNoTrace = false }: Principal): SyncClient {
  const isReader = leavesNoTrace || appPassword?.scope === 'read'
  return { userId: user.id, client: leavesNoTrace && via === 'cookie' ? '' : client, isReader }
}

/** `syncClientOf` for requests that change lists; adds the name of the app. */
export function writingClientOf(request: Request, principal: Principal): SyncClient {
  return { ...syncClientOf(principal), ...appOf(request), isBrowser: isBrowserSession(principal) }
}

export function appOf(request: Request): ByApp {
  return { app: clientLabel(userAgentOf(request)) }
}

export function lookupPrincipalOf(
  request: Request,
  principal: Principal | undefined,
  origins: Origins,
): LookupPrincipal {
  return { userId: principal?.user.id, address: origins.clientAddress(request) }
}

/** Whether the request comes from a person in a browser rather than from an app. */
export function isBrowserSession({ via, userAgent }: Principal): boolean {
  return via === 'cookie' && userAgent.startsWith('Mozilla/')
}

/** Records that an app has used devices. A signed-in browser does not count: managing a phone is not using it. */
export function noteLastSeen(lastSeen: LastSeen, principal: Principal, ...devices: readonly string[]): void {
  if (principal.leavesNoTrace || isBrowserSession(principal)) return
  for (const device of devices) lastSeen.note(principal.user.id, device)
}
