import { invalid } from '../../domain/shared/errors.ts'

export interface Paging {
  /** Counted from 0. */
  readonly page: number
  readonly perPage: number
}

const PER_PAGE = 20
const PER_PAGE_MAX = 100
/** Far beyond any list; keeps the products of pages whole numbers. */
const PAGE_MAX = 1_000_000_000

/** `page` and `per_page` of a query, clamped (docs/protocol.md#D19). Throws `validation_failed` for what is no whole number. */
export function parsePaging(query: { page?: string | undefined; per_page?: string | undefined }): Paging {
  const page = parseInteger('page', query.page, 0)
  const perPage = parseInteger('per_page', query.per_page, PER_PAGE)
  return { page: clamp(page, 0, PAGE_MAX), perPage: clamp(perPage, 1, PER_PAGE_MAX) }
}

/** The envelope of a page, but for the list itself (docs/protocol.md#D80). */
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
