import type { Database } from '../../engine.ts'

/** Values that the check for exact repeats compares (docs/protocol.md#D49), besides user and time. */
interface HashedAction {
  readonly userEpisodeId: number
  readonly deviceId: number
  readonly kind: number
  readonly started: number | null
  readonly position: number | null
  readonly total: number | null
}

export type HashFactors = Record<'episode' | 'device' | 'kind' | 'started' | 'position' | 'total', number>

const PRIME = 2_147_483_647
/** Stands for null. */
const UNKNOWN = 4_294_967_295

/** Returns 16 bits. Each product is below 2^52, since factors have 20 bits and values are cut to 32. */
export function hashOf(factors: HashFactors, action: HashedAction): number {
  const part = (factor: number, value: number | null) => (factor * ((value ?? UNKNOWN) % (UNKNOWN + 1))) % PRIME
  const sum =
    part(factors.episode, action.userEpisodeId) +
    part(factors.device, action.deviceId) +
    part(factors.kind, action.kind) +
    part(factors.started, action.started) +
    part(factors.position, action.position) +
    part(factors.total, action.total)
  return (sum % PRIME) & 0xffff
}

/** Returns a function that reads the factors on first use, so that a damaged page does not prevent a start. */
export function prepareHashFactors(db: Database): () => HashFactors {
  const select = db.prepare<HashFactors, []>('SELECT * FROM action_hash')
  let factors: HashFactors | undefined
  return () =>
    db.once(() => {
      factors ??= select.get() ?? undefined
      if (!factors) throw new Error('the table action_hash has no row')
      return factors
    })
}
