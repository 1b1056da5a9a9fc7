import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hash,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { Secret } from './secret.ts'

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

export function sha256(text: string): Uint8Array {
  return hash('sha256', text, 'buffer')
}

export function createDigest() {
  const digest = createHash('sha256')
  return {
    add: (piece: Uint8Array): void => void digest.update(piece),
    end: (): string => digest.digest('hex'),
  }
}

/** HMAC-SHA-256 in base64 over length-prefixed parts, so that no two lists of parts collide. */
export function keyedHash(key: Uint8Array, parts: readonly string[]): string {
  let text = ''
  for (const part of parts) text += `${part.length}:${part}`
  return createHmac('sha256', key).update(text).digest('base64')
}

export function signature(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64')
}

/** A fast hash: a millisecond for megabytes. It is not cryptographic: collisions can be constructed. */
export function quickHash(document: Uint8Array | string): string {
  return Bun.hash(document).toString(36)
}

/** `quickHash` as a 64-bit integer. */
export function quickHash64(text: string): bigint {
  return BigInt(Bun.hash(text))
}

export function sha1Hex(text: string): string {
  return hash('sha1', text)
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

export type Seal = ReturnType<typeof createSeal>

/** Encrypts text that a browser keeps for the server, by AES-256-GCM with a key of this process. */
export function createSeal(random: Random) {
  const key = random.bytes(32)
  return {
    close(text: string): string {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    /** Returns the text; `undefined` for anything not sealed with this key. */
    open(sealed: string): string | undefined {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}

/** Compares in constant time, so that timing does not reveal the secret character by character. */
export function isSameSecret(secret: Secret, text: string): boolean {
  return timingSafeEqual(sha256(secret.reveal()), sha256(text))
}
