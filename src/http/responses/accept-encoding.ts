export type Coding = 'zstd' | 'br' | 'gzip'

/** Chooses a coding from `offered`, best first (RFC 9110, 12.5.3). Returns undefined for an uncompressed response. */
export function chooseCoding(header: string | null, offered: readonly Coding[]): Coding | undefined {
  if (header === null) return undefined
  const weights = weightsOf(header)
  let chosen: Coding | undefined
  // A client that prefers uncompressed responses names `identity`; otherwise they are the last resort.
  let best = weights.get('identity') ?? 0
  for (const coding of offered) {
    const weight = weightFor(coding, weights)
    if (weight > best || (chosen === undefined && weight > 0 && weight === best)) {
      chosen = coding
      best = weight
    }
  }
  return chosen
}

function weightFor(coding: Coding, weights: ReadonlyMap<string, number>): number {
  const named = weights.get(coding)
  if (named !== undefined || coding !== 'gzip') return named ?? 0
  // A client that accepts anything (`*`) may not support newer codings.
  return weights.get('x-gzip') ?? weights.get('*') ?? 0
}

/** Values of an `Accept-…` header in lower case and original order, with their weights (RFC 9110, 12.4.2). */
export function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    // A malformed weight counts as 0.
    weights.set(coding, q === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0)
  }
  return weights
}
