import { isDeviceId } from '../../domain/accounts/identifiers.ts'
import { quickHash } from '../../platform/crypto.ts'

const LENGTH_KEPT = 48

/** ID here of a device of another server: its own if valid, otherwise a similar one, stable across imports. */
export function deviceIdHere(id: string): string {
  if (isDeviceId(id)) return id
  const usable = id.toWellFormed().replaceAll(/[^\p{L}\p{N}_.-]+/gu, '-')
  return `${Array.from(usable).slice(0, LENGTH_KEPT).join('')}-${quickHash(id)}`
}
