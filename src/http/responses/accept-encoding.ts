/** How an answer can be packed. */
export type Coding = 'zstd' | 'br' | 'gzip'

/** By which of `offered`, the best first, the client wants an answer packed (RFC 9110, 12.5.3); undefined for not at all. */
export function chooseCoding(header: string | null, offered: readonly Coding[]): Coding | undefined {
  if (header === null) return undefined
  const weights = weightsOf(header)
  let chosen: Coding | undefined
  // A client that prefers what is not packed says so by name; without a word it takes it if there is nothing else.
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
  // Whoever takes anything has not thought of what is newer.
  return weights.get('x-gzip') ?? weights.get('*') ?? 0
}

function weightsOf(header: string): Map<string, number> {
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const q = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    // What is no weight must not be taken for a wish.
    weights.set(coding, q === undefined ? 1 : /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(q) ? Number(q) : 0)
  }
  return weights
}
