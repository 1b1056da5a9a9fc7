import { stepAt, totpCode } from '../../src/platform/totp.ts'

/** Returns the code that an authenticator app shows for this secret in base32. */
export function codeOf(secret: string, seconds: number): string {
  const bits = Array.from(secret.replaceAll(' ', ''), (letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  ).join('')
  const key = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
  return totpCode(key, stepAt(seconds))
}
