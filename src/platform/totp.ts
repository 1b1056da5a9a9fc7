import { createHmac, timingSafeEqual } from 'node:crypto'

/** Lifetime of a code (RFC 6238). */
const STEP_SECONDS = 30
/** Tolerated clock difference of a phone, in steps. */
const SKEW = 1
const DIGITS = 6
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Encodes without padding (RFC 4648), as authenticator apps expect of a typed secret. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let buffer = 0
  let bits = 0
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += BASE32[(buffer >>> bits) & 31]
    }
    buffer &= (1 << bits) - 1
  }
  return bits === 0 ? text : text + BASE32[(buffer << (5 - bits)) & 31]
}

export function stepAt(seconds: number): number {
  return Math.floor(seconds / STEP_SECONDS)
}

export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const number = mac.readUInt32BE(mac.readUInt8(mac.length - 1) & 15) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** Returns the matching step within the tolerance and later than `after`. Constant time. */
export function matchingStep(secret: Uint8Array, code: string, seconds: number, after: number): number | undefined {
  const now = stepAt(seconds)
  const sent = Buffer.from(code.padEnd(DIGITS).slice(0, DIGITS))
  let found: number | undefined
  for (let step = Math.max(0, now - SKEW); step <= now + SKEW; step++) {
    const isRight = sent.length === DIGITS && timingSafeEqual(sent, Buffer.from(totpCode(secret, step)))
    if (isRight && code.length === DIGITS && step > after) found ??= step
  }
  return found
}
