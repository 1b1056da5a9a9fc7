import { createHmac, hash, randomBytes } from 'node:crypto'

/** Where the program gets randomness from; tests hand in a seeded one. */
export interface Random {
  bytes(count: number): Uint8Array
}

export function systemRandom(): Random {
  return { bytes: (count) => randomBytes(count) }
}

/** 43 characters of base64url: 32 random bytes (docs/protocol.md#D28). */
export function randomToken(random: Random): string {
  return Buffer.from(random.bytes(32)).toString('base64url')
}

/** A version 4 UUID (RFC 9562). */
export function randomUuid(random: Random): string {
  const bytes = Buffer.from(random.bytes(16))
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** SHA-256 of a token; all that the database keeps of it. */
export function sha256(text: string): Uint8Array {
  return hash('sha256', text, 'buffer')
}

/** HMAC-SHA-256 in base64 over length-prefixed parts, so that no two lists of parts collide. */
export function keyedHash(key: Uint8Array, parts: readonly string[]): string {
  let text = ''
  for (const part of parts) text += `${part.length}:${part}`
  return createHmac('sha256', key).update(text).digest('base64')
}

/** Knows a document of megabytes again within a millisecond. Whoever writes the document can bring about that two have the same. */
export function quickHash(document: Uint8Array | string): string {
  return Bun.hash(document).toString(36)
}

/** Lower-case hexadecimal; only for an API that wants it so. */
export function sha1Hex(text: string): string {
  return hash('sha1', text)
}
