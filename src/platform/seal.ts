import { createCipheriv, createDecipheriv } from 'node:crypto'
import type { Random } from './crypto.ts'

/** Gives a text into hands that shall neither read nor change it, such as a browser's. */
export interface Seal {
  /** base64url. */
  close(text: string): string
  /** The text, or undefined for anything that this seal has not closed. */
  open(sealed: string): string | undefined
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM under a key of this process: what is sealed does not outlive it. */
export function createSeal(random: Random): Seal {
  const key = random.bytes(32)
  return {
    close(text) {
      const nonce = random.bytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      try {
        return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        // Tampered with, or of another process: the same to whoever asks.
        return undefined
      }
    },
  }
}
