import { createPasswordHasher, type PasswordHasher } from '../../src/platform/password.ts'

export interface CountingHasher {
  readonly hasher: PasswordHasher
  /** How many verifications really ran, those against the decoy of an unknown user included. */
  verified(): number
}

/** The real queue and decoy round hashes that cost nothing, counted. */
export function countingHasher(): CountingHasher {
  let verified = 0
  const hashOf = (password: string) => `counted:${Bun.hash(password)}`
  const hasher = createPasswordHasher({
    hash: async (password) => hashOf(password),
    verify: async (password, phc) => {
      verified++
      return phc === hashOf(password)
    },
  })
  return { hasher, verified: () => verified }
}
