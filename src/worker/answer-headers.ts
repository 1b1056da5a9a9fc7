/** Ignores long headers: they are not plausible validators, and would be sent with each request. */
export function shortHeader(headers: Headers, name: string): string | undefined {
  const value = headers.get(name)
  return value !== null && value !== '' && value.length <= 256 ? value : undefined
}

const DAY = 24 * 3600

/** Seconds for which a response is fresh, by `Cache-Control`, else `Expires`. */
export function freshSeconds(headers: Headers, now: number): number {
  const control = headers.get('cache-control') ?? ''
  if (/\bno-(?:cache|store)\b/i.test(control)) return 0
  const maxAge = /\bmax-age\s*=\s*"?(\d{1,9})/i.exec(control)?.[1]
  if (maxAge !== undefined) return Math.min(Number(maxAge), DAY)
  return until(headers.get('expires'), now) ?? 0
}

/** Seconds to wait according to Retry-After. */
export function retryAfterSeconds(headers: Headers, now: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (value === undefined || value === '') return undefined
  return /^\d+$/.test(value) ? Math.min(Number(value), DAY) : until(value, now)
}

function until(date: string | null, now: number): number | undefined {
  const at = Date.parse(date ?? '') / 1000
  return Number.isFinite(at) ? Math.min(Math.max(0, at - now), DAY) : undefined
}
